"""Calibrations: from games of known players to ratings with intervals that hold."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.answers.ratings import Ratings
from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.models.depth.agents import AgentsByElo
from assay.models.depth.model import DepthModel
from assay.models.elo_mapping import PairwiseMapping
from assay.rating.calibration import (
    VARIABLE,
    Calibration,
    find_calibration,
    of_several_games,
    place_of,
    rating_models,
)
from assay.rating.group_ratings import Rater
from assay.rating.pipeline import rate_decisions
from assay.study import Study
from examples.milepost_games import milepost_games


def test_an_appearance_is_one_player_in_one_game(games: Decisions, appearances: Appearances) -> None:
    assert len(appearances) == 2 * 10 * 10
    for name, model in rating_models().items():
        stack = appearances.stack(model)
        some = games.select(player=appearances.players()[5], game=appearances.games()[5])
        alone = model.profile(some)
        assert stack.only([5]).total().equals(Profile(**{**vars(alone), "left_out": {}})), name


def test_decisions_in_the_opening_or_without_a_value_are_no_size(appearances: Appearances) -> None:
    assert set(appearances.size) == {27.0}  # 35 turns less 8


def test_written_and_read_it_rates_the_same(
    appearances: Appearances, calibration: Calibration, tmp_path: Path
) -> None:
    calibration = replace(calibration, spread=replace(calibration.spread, lasting=0.4))
    calibration.write(tmp_path / "made.npz")
    again = Calibration.read(tmp_path / "made.npz")
    assert again.about == calibration.about
    assert again.spread.lasting == 0.4
    pairwise = [one for one in again.mappings.values() if isinstance(one, PairwiseMapping)]
    assert pairwise
    assert all(one.smooth for one in pairwise)  # mileposts of few games
    one, other = (
        Rater(appearances, each).rate([np.arange(8)])[0]["combined"] for each in (calibration, again)
    )
    assert other == one


def test_a_trace_is_read_where_a_method_of_the_scale_needs_it(calibration: Calibration) -> None:
    assert not calibration.reads_trace
    name = next(iter(calibration.mappings))
    assert replace(calibration, models={**calibration.models, name: DepthModel()}).reads_trace


def test_agents_by_elo_are_written_and_read(calibration: Calibration, tmp_path: Path) -> None:
    assert calibration.agents is None  # made of decisions without trace
    lines = AgentsByElo(np.array([1600.0, 2600.0]), np.array([[0.9, -1.1, 0.7], [1.3, -2.2, 1.5]]))
    replace(calibration, agents=lines).write(tmp_path / "made.npz")
    again = Calibration.read(tmp_path / "made.npz").agents
    assert again is not None
    assert np.array_equal(again.parameters, lines.parameters)
    assert again.at(2100.0) == lines.at(2100.0)


def test_a_file_that_does_not_say_is_not_smooth(calibration: Calibration, tmp_path: Path) -> None:
    """Calibrations made before: their spread was learned from curves through every milepost."""
    path = tmp_path / "made.npz"
    calibration.write(path)
    for smooth, said in ((None, False), (True, True), ("yes", None)):
        with np.load(path) as file:
            arrays = dict(file)
        header = json.loads(str(arrays["header"]))
        for one in header["mappings"].values():
            one.pop("smooth", None)
            if "quantity" not in one and smooth is not None:
                one["smooth"] = smooth
        np.savez(tmp_path / "other.npz", **(arrays | {"header": np.array(json.dumps(header))}))
        if said is None:
            with pytest.raises(InputError, match="has another form"):
                Calibration.read(tmp_path / "other.npz")
            continue
        found = Calibration.read(tmp_path / "other.npz").mappings.values()
        assert {one.smooth for one in found if isinstance(one, PairwiseMapping)} == {said}


def test_another_recipe_is_refused(games: Decisions, calibration: Calibration) -> None:
    with pytest.raises(MappingError, match="assay calibrate"):
        rate_decisions(milepost_games([2000], games=2, recipe="other"), calibration)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"{}"])
def test_a_damaged_file_is_told(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "damaged.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a calibration"):
        Calibration.read(path)
    with pytest.raises(InputError, match="assay calibrate"):
        Calibration.read(tmp_path / "missing.npz")


def test_too_few_games_make_no_calibration() -> None:
    with pytest.raises(InputError, match="three centuries"):
        Calibration.fit(Appearances.of(milepost_games([2000, 2200], games=8)))


def test_calibrate_then_rate(
    games: Decisions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "calibrations"))
    games.write(tmp_path / "mileposts.parquet")
    new = milepost_games([1700, 2400], seed=9, games=4)
    new.write(tmp_path / "new.parquet")
    assert main(["calibrate", str(tmp_path / "mileposts.parquet"), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["mileposts"] == list(range(1700, 2700, 100))
    assert Path(made["path"]).is_file()

    assert main(["rate", str(tmp_path / "new.parquet"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["calibrated"]
    assert {"engine", "recipe", "players"} <= set(found)
    first = found["players"][0]
    assert {"player", "games", "decisions", "ratings", "combined"} <= set(first)
    # These games have no trace.
    known = {name for name, model in rating_models().items() if not model.reads_trace}
    assert set(first["ratings"]) == known
    assert all(
        {"elo", "low", "high", "bound"} == set(one) for one in (*first["ratings"].values(), first["combined"])
    )
    assert first["combined"]["low"] < first["combined"]["elo"] < first["combined"]["high"]
    assert "2400" in first["player"]

    assert main(["rate", str(tmp_path / "new.parquet"), "--csv", "--method", "bayes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        "player,part,about,games,decisions,reference,opponents,wins,draws,losses,method,elo,low,high"
    )
    assert len(lines) == 1 + 4 * 3  # bayes, combined, and combined with the flat prior

    assert main(["rate", str(tmp_path / "new.parquet"), "--player", "white 1700", "--by", "year"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("white 1700 0 9")
    assert "2001" in text
    assert "white 2400" not in text


def test_studies_of_one_player(tmp_path: Path, calibration: Calibration) -> None:
    milepost_games([1800, 2200], seed=5, games=4).write(tmp_path / "new.parquet")
    study = Study(tmp_path / "new.parquet")
    with pytest.raises(InputError, match="do not carry their decisions"):
        study.report(
            Ratings(engine="", recipe="", recipe_id="", by="player", scale="Elo", players=(), too_few={})
        )
    ratings = study.rate(players="white 2200", calibration=calibration)
    assert [one.player for one in ratings.players] == ["white 2200 0 5"]
    assert ratings.span == (1700, 2600)
    assert (ratings.engine, ratings.recipe) == ("agents", "made")
    page = study.report(ratings)
    assert "black 1800" not in page
    assert "from 1700 to 2600" in page


def test_a_method_that_does_not_rise_with_elo_is_left_out(games: Decisions) -> None:
    """Evaluations of positions only: nothing is known of the other options, and gain is all there is."""
    table = games.table()
    for name in ("moves", "cp", "mate"):
        column = table[name].combine_chunks()
        played = table["played_index"].to_pylist()
        values = [[options[index]] for options, index in zip(column.to_pylist(), played, strict=True)]
        table = table.set_column(table.schema.get_field_index(name), name, [values])
    zeros = [0] * len(table)
    table = table.set_column(table.schema.get_field_index("played_index"), "played_index", [zeros])
    made = Calibration.fit(Appearances.of(Decisions.from_table(table)))
    assert set(made.mappings) == {"gain"}
    assert made.spread.channels == ("gain", "papers")
    assert made.by_moves == ("papers", "gain")


def test_a_method_that_is_not_installed_is_named(calibration: Calibration) -> None:
    fewer = {name: model for name, model in calibration.models.items() if name != "gain"}
    with pytest.raises(MappingError, match="contains the method 'gain', which is not installed"):
        replace(calibration, models=fewer).check(calibration.recipe_id)


def test_form_is_learned_from_players_of_several_games() -> None:
    player = np.repeat(np.arange(6), [1, 4, 5, 30, 8, 40])
    rows = of_several_games(player, 1000)
    known, counts = np.unique(player[rows], return_counts=True)
    assert dict(zip(known.tolist(), counts.tolist(), strict=True)) == {2: 5, 3: 20, 4: 8, 5: 20}
    assert (np.diff(rows) > 0).all()
    assert len(of_several_games(player, 1)) <= 20
    assert not len(of_several_games(np.arange(9), 1000))


# Where calibrations are found.


def test_a_users_calibration_is_found(
    calibration: Calibration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert find_calibration("made") is None
    assert find_calibration("../made") is None
    with pytest.raises(InputError, match="cannot be the id of a recipe"):
        place_of("../made")
    assert place_of("elsewhere-1a2b").name == "elsewhere-1a2b.npz"
    calibration.write(place_of("made"))
    found = find_calibration("made")
    assert found is not None
    assert found.recipe_id == "made"


def test_a_calibration_of_other_settings_is_passed_over(
    calibration: Calibration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings of a method changed since it was made: rate goes on with the package's, or without one."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    calibration.write(place_of("made"))
    assert find_calibration("made") is not None
    monkeypatch.setattr(type(calibration.models["conformance"]), "settings", property(lambda _: "others"))
    assert find_calibration("made") is None


# Where calibrations are looked for.


def test_without_a_home_the_shipped_calibration_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    for variable in ("ASSAY_CALIBRATIONS", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    assert find_calibration("672593ce2551e878") is not None
    assert find_calibration("absent") is None
    with pytest.raises(InputError, match="there is no home"):
        place_of("672593ce2551e878")
