"""The scale of Stockfish 15.1 for other engines: by positions that both have analysed."""

import dataclasses
import json

import numpy as np
import pytest

from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.engine.recipe import NAMED, EngineIdentity, recipe_id
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating import bridge
from assay.rating.calibration import Calibration, all_shipped, find_calibration, shipped
from assay.rating.group_ratings import COMBINED, Rater, reading
from assay.rating.scale import POSITIONS, bridge_note, deviations, kind_of
from examples.spreads import raw_of

ABOUT = {"engine": "Another 1", "recipe": "standard"}


@pytest.fixture(scope="module")
def scale() -> Calibration:
    return bridge.native("standard")[0]


@pytest.fixture(scope="module")
def positions() -> Decisions:
    return bridge.native("standard")[1]


def worse(decisions, noise, seed=0):
    """The decisions by an engine that errs: every value with noise, lines in the order of these."""
    rng = np.random.default_rng(seed)
    table = decisions.table().to_pydict()
    for row in range(len(decisions)):
        played = table["played"][row]
        options = decisions.options(row)
        values = {move: value + rng.normal(0, noise) for move, value in options}
        order = sorted(values, key=lambda move: -values[move])
        n = table["n_lines"][row]
        order = [*order[:n], *([played] if played not in order[:n] else [])]
        table["moves"][row] = order
        table["cp"][row] = [round(min(values[move], values[order[0]])) for move in order]
        table["mate"][row] = [None] * len(order)
        table["played_index"][row] = order.index(played)
    import pyarrow as pa

    return Decisions.from_table(pa.table(table, schema=decisions.table().schema))


@pytest.mark.parametrize("like", bridge.LIKE)
def test_what_ships_is_small_and_of_every_strength(like):
    scale, positions = bridge.native(like)
    assert len(positions) == POSITIONS[like]
    assert scale.about["engine"] == "Stockfish 15.1"
    elo = positions.numbers("player_elo")
    assert np.bincount((elo / 100).round().astype(int))[15:29].min() >= 40
    assert "trace_depth" not in positions.table().column_names


def test_the_same_engine_has_the_same_scale(scale, positions):
    made = bridge.carry_over(scale, positions, positions, ABOUT)
    assert made.about["bridge"]["agreement"] == 1
    assert made.about["bridge"]["shift"] == pytest.approx(0, abs=0.1)
    assert made.spread.carried == pytest.approx(0, abs=0.1)
    peaks = []
    for one in (scale, made):
        raw = Rater(Appearances.of(positions), one).raw([np.arange(20)])
        peaks.append(reading(one, raw, one.by_moves)[0])
    assert peaks[1] == pytest.approx(peaks[0], abs=0.5)


def test_another_unit_of_value_changes_nothing(scale, positions):
    """An engine whose pawn is 70 of the native centipawns."""
    other = positions.first_lines(10, lambda values: values * 0.7)
    values, native = bridge.value_map(positions, other)
    assert native[5:] / values[5:] == pytest.approx(1 / 0.7, rel=0.05)
    made = bridge.carry_over(scale, positions, other, ABOUT)
    assert abs(made.about["bridge"]["shift"]) < 25
    without = dataclasses.replace(made, models=scale.models)
    groups = [np.arange(len(Appearances.of(other)))]
    native_elo, carried, unmapped = (
        Rater(Appearances.of(decisions), by).rate(groups)[0][COMBINED].elo
        for decisions, by in ((positions, scale), (other, made), (other, without))
    )
    assert abs(carried - native_elo) < 10
    assert abs(unmapped - native_elo) > 2 * abs(carried - native_elo)


def test_an_engine_that_errs_is_shifted_and_its_error_is_in_the_range(scale, positions):
    made = bridge.carry_over(scale, positions, worse(positions, 25), ABOUT, more_error=30.0)
    carried = made.about["bridge"]
    assert carried["agreement"] < 0.95
    assert made.spread.carried > 30
    assert made.spread.carried < 150
    # Noise makes played moves look worse, and the shift gives that back on average.
    assert carried["shift"] < 0
    other = worse(positions, 25, seed=1)
    everybody = [np.arange(len(Appearances.of(positions)))]
    elos = [
        Rater(Appearances.of(decisions), by).rate(everybody)[0][COMBINED].elo
        for decisions, by in ((positions, scale), (other, made))
    ]
    assert elos[1] == pytest.approx(elos[0], abs=3 * made.spread.carried)


def test_a_larger_error_is_a_wider_range(scale, positions):
    widths = []
    for more in (0.0, 200.0):
        made = bridge.carry_over(scale, positions, positions, ABOUT, more_error=more)
        rating = Rater(Appearances.of(positions), made).rate([np.arange(200)])[0][COMBINED]
        widths.append(rating.high - rating.low)
    assert widths[1] > widths[0] + 200


def test_an_engine_that_is_too_unlike_is_refused(scale, positions):
    with pytest.raises(InputError, match=r"Another 1 is unfit .* below 0\.55"):
        bridge.carry_over(scale, positions, worse(positions, 400), ABOUT, least_agreement=0.55)


def test_a_scale_is_written_and_read(scale, positions, tmp_path):
    made = bridge.carry_over(scale, positions, worse(positions, 25), ABOUT, more_error=30.0)
    made.write(tmp_path / "scale.npz")
    again = Calibration.read(tmp_path / "scale.npz")
    assert again.spread.carried == made.spread.carried
    appearances = Appearances.of(positions)
    ratings = [Rater(appearances, one).rate([np.arange(50)])[0][COMBINED] for one in (made, again)]
    assert ratings[0] == ratings[1]
    assert "700 positions" in bridge_note(again)
    assert kind_of(again) == "carried over from Stockfish 15.1, 700 positions"


# Versions of Stockfish -------------------------------------------------------------------------------------


def stockfish(version, recipe, network="nn-any.nnue", **settings):
    usual = {"Hash": str(NAMED[recipe].hash_mb), "MultiPV": str(NAMED[recipe].lines), "UCI_ShowWDL": "true"}
    identity = EngineIdentity(version, network, tuple(sorted({**usual, **settings}.items())))
    return find_calibration(recipe_id(NAMED[recipe], identity))


@pytest.mark.parametrize("recipe", ["standard", "thrifty", "quick"])
def test_any_stockfish_has_a_scale(recipe):
    """One that was measured, and one that was not: with a larger error, and what it rests on is said."""
    measured = stockfish("Stockfish 17.1", recipe, "nn-1c0000000000.nnue nn-37f18f62d772.nnue")
    assert measured is not None
    unmeasured = stockfish("Stockfish 20", recipe)
    assert unmeasured is not None
    assert unmeasured.about["engine"] == "Stockfish 20"
    assert "not of this one" in bridge_note(unmeasured)
    assert str(kind_of(unmeasured)).endswith("of other versions")
    ids = {"standard": "da1363715620d7cd", "thrifty": "2906e50e3c9c2aed", "quick": "0cd058974aaa8d44"}
    known = shipped(ids[recipe])
    assert known is not None
    assert known.about["engine"] == "Stockfish 17.1"
    assert unmeasured.spread.carried > known.spread.carried


@pytest.mark.parametrize("games", [1, 10, 100])
def test_a_scale_that_was_carried_over_is_never_narrower_than_its_native_parent(games):
    """By how far a rating of so many games may be off, from 1500 to 2700."""
    elo = np.arange(1500.0, 2701, 300)
    natives = {one.about["recipe"]: one for one in all_shipped() if one.carried_from is None}
    for one in all_shipped():
        if one.carried_from is not None:
            native = natives[one.carried_from["recipe"]]
            widths = []
            for scale in (one, native):
                channel = scale.spread.channels.index("traits")
                raw = raw_of(np.zeros((1, len(scale.spread.channels))), np.array([36.0 * games]), games)
                widths.append(deviations(scale, raw, channel, elo)[0])
            assert (widths[0] >= widths[1]).all(), one.about


@pytest.mark.parametrize(
    ("version", "settings"),
    [
        ("Stockfish 14", {}),
        ("Stockfish 18 Lite WASM", {}),
        ("Another 20", {}),
        ("Stockfish 20", {"Skill Level": "3"}),
        ("Stockfish 20", {"Hash": "1", "UCI_Elo": "1500"}),
    ],
)
def test_what_is_not_such_a_stockfish_has_none(version, settings):
    assert stockfish(version, "quick", **settings) is None


def test_other_recipes_have_none():
    assert stockfish("Stockfish 20", "deep") is None


# The command -----------------------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch, tmp_path):
    """A hundred positions, and a folder for calibrations."""
    scale, positions = bridge.native("quick")
    some = positions.take(np.arange(100))
    monkeypatch.setattr(bridge, "native", lambda like: (scale, some))
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(tmp_path / "calibrations"))
    return some


def values_file(positions, path):
    known = {}
    for row, key in enumerate(positions.text("position_key")):
        known[key] = {move: value for move, value in positions.options(row) if abs(value) < 20_000}
    path.write_text(json.dumps(known))
    return path


def calibrate(capsys, engine, *words):
    code = main(["calibrate", "--like", "quick", "--engine", engine.path, "--jobs", "1", "--yes", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_command_makes_a_scale_that_rate_finds(few, scripted, capsys, tmp_path):
    engine = scripted("--values", values_file(few, tmp_path / "values.json"))
    code, out, err = calibrate(capsys, engine, "--json")
    assert code == 0, err
    assert "100 positions to analyse by quick with Scripted 1: about" in err
    made = json.loads(out)
    assert made["bridge"]["agreement"] > 0.9
    found = find_calibration(made["recipe_id"])
    assert found is not None
    assert found.about["engine"] == "Scripted 1"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--name", "Random 1"], "Random 1 is unfit for the scale of Stockfish 15.1"),
        (["--fault", "die"], "20 positions in a row failed, the last because Scripted 1 has died"),
        (["--fault", "ignores_nodes"], "ignores its limit (nodes 15000)"),
        (["--fault", "no_lines"], "gives no exact values for 5 lines"),
        (["--fault", "one_line"], "without 5 lines"),
        (["--name", "Stockfish 20"], "its values are not those of Stockfish 20"),
    ],
)
def test_an_engine_that_cannot_gets_a_sentence_and_no_scale(
    few, scripted, capsys, tmp_path, arguments, sentence
):
    code, out, err = calibrate(capsys, scripted(*arguments))
    assert code in (2, 3)
    assert sentence in err
    assert not out
    assert not list((tmp_path / "calibrations").glob("*"))


def test_an_engine_that_fails_on_some_positions_has_no_scale(few, scripted, capsys, tmp_path):
    """A calibration half made is not used: every tenth position is missing."""
    values = values_file(few, tmp_path / "values.json")
    engine = scripted("--values", values, "--fault", "die", "--only", " b ")
    code, _, err = calibrate(capsys, engine)
    assert code == 3
    assert "no scale was made" in err or "positions in a row failed" in err
    assert not list((tmp_path / "calibrations").glob("*"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "use --like standard"),
        (["--like", "deep"], "there are no positions to carry over the scale of 'deep'"),
        (["--like", "standard", "--check"], "leave out GAMES and --check"),
    ],
)
def test_what_the_command_refuses(words, sentence, capsys):
    assert main(["calibrate", *words]) == 2
    assert sentence in capsys.readouterr().err
