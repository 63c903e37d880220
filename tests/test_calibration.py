"""Calibrations: from games of known players to ratings with intervals that hold."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from assay.cli import main
from assay.domain.decisions import Decisions
from assay.domain.profile import Profile
from assay.domain.rating import Ratings
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.models.calibration import Calibration, rating_models
from assay.models.calibration_files import VARIABLE, find_calibration, place_of
from assay.models.elo_mapping import PairwiseMapping
from assay.models.elo_posterior import Range, RawRatings, covariance, elo_posterior
from assay.models.player_ratings import rate_decisions
from assay.models.rated_groups import Rater, groups_of, leave_out_covariance, leave_out_weights
from assay.models.spread import Spread, deal, fit_spread
from assay.study import Study
from assay.validation.accuracy import Summary, held_out, summaries
from milepost_games import milepost_games


@pytest.fixture(scope="module")
def games() -> Decisions:
    return milepost_games(games=10, games_each=5)


@pytest.fixture(scope="module")
def appearances(games: Decisions) -> Appearances:
    return Appearances.of(games)


@pytest.fixture(scope="module")
def calibration(appearances: Appearances) -> Calibration:
    return Calibration.fit(appearances, {"engine": "agents", "recipe": "made", "games": 100})


# Appearances ---------------------------------------------------------------------------------------------


def test_an_appearance_is_one_player_in_one_game(games: Decisions, appearances: Appearances) -> None:
    assert len(appearances) == 2 * 10 * 10
    for name, model in rating_models().items():
        stack = appearances.stack(model)
        some = games.select(player=appearances.players()[5], game=appearances.games()[5])
        alone = model.profile(some)
        assert stack.only([5]).total().equals(Profile(**{**vars(alone), "left_out": {}})), name


def test_decisions_in_the_opening_or_without_a_value_are_no_size(appearances: Appearances) -> None:
    assert set(appearances.size) == {27.0}  # 35 turns less 8


# Mapping many at once ------------------------------------------------------------------------------------


def slow_crossing(elos: np.ndarray, against: np.ndarray) -> float:
    """One row of expectations, step by step."""
    falling = -isotonic_regression(-against).x
    slope = min(np.polyfit(elos, against, 1)[0], -1e-5)
    if falling[0] < 0.5:
        return float(elos[0] + (0.5 - falling[0]) / slope)
    if falling[-1] > 0.5:
        return float(elos[-1] + (0.5 - falling[-1]) / slope)
    above, below = np.flatnonzero(falling >= 0.5)[-1], np.flatnonzero(falling <= 0.5)[0]
    if falling[above] == falling[below]:
        return float((elos[above] + elos[below]) / 2)
    share = (falling[above] - 0.5) / (falling[above] - falling[below])
    return float(elos[above] + share * (elos[below] - elos[above]))


def test_crossings_of_many_rows_are_those_of_each() -> None:
    elos = np.arange(1500.0, 2900, 100)
    rng = np.random.default_rng(1)
    noisy = 0.5 + 0.4 * np.tanh((rng.uniform(1000, 3300, (300, 1)) - elos) / 400)
    noisy = np.clip(noisy + rng.normal(0, 0.03, noisy.shape), 0, 1)
    noisy[0], noisy[1], noisy[2, 3:6] = 0.5, 0.7, 0.5
    found = PairwiseMapping("m", "r", elos, ()).elo(noisy)
    assert found == pytest.approx([slow_crossing(elos, row) for row in noisy])
    assert (found[noisy[:, 0] < 0.5] < 1500).all()


@pytest.mark.parametrize("name", ["bayes", "choice", "conformance"])
def test_strengths_of_many_profiles_are_those_of_each(name: str, appearances: Appearances) -> None:
    model = rating_models()[name]
    profiles = appearances.stack(model).weighted(np.kron(np.eye(10), np.ones(20)))
    alone = [model.estimate(profile)[model.strength or ""].value for profile in profiles]
    assert model.strengths(profiles) == pytest.approx(alone, rel=2e-2 if name == "choice" else 1e-9)
    assert np.ptp(alone) > 0


def test_expectations_of_gain_are_those_of_each_forecast(appearances: Appearances) -> None:
    for name in ("gain", "choice"):
        model = rating_models()[name]
        profiles = appearances.stack(model).weighted(np.kron(np.eye(10), np.ones(20)))[:3]
        each = [[model.forecast(one, other).expectation for other in profiles] for one in profiles]
        assert model.expectations(profiles, profiles) == pytest.approx(np.array(each))


# Spread and posterior, where the truth is known ----------------------------------------------------------

TRUE_UNIT = np.array([[250_000.0, 150_000.0], [150_000.0, 400_000.0]])
TRUE_FORM = 120.0


def simulated_errors(rng: np.random.Generator, players: int, games: int) -> tuple[np.ndarray, ...]:
    """Raw ratings of two methods, linear in weights: means over games of Elo, form and noise."""
    elo = np.repeat(np.tile(np.arange(1500.0, 2900, 100), players // 14), games)
    player = np.repeat(np.arange(len(elo) // games), games)
    form = np.repeat(rng.normal(0, TRUE_FORM, len(elo) // games), games)
    whole = TRUE_UNIT - TRUE_FORM**2
    noise = rng.multivariate_normal([0, 0], whole, len(elo))
    return elo, player, elo[:, None] + form[:, None] + noise


def fitted(rng: np.random.Generator, players: int = 700, games: int = 6) -> Spread:
    elo, player, raw = simulated_errors(rng, players, games)
    return fit_spread(
        ("one", "two"),
        lambda weights: weights @ raw / weights.sum(axis=1, keepdims=True),
        elo,
        np.full(len(elo), 30.0),
        player,
        ((elo - 1500) // 100).astype(np.int64),
    )


@pytest.fixture(scope="module")
def spread() -> Spread:
    return fitted(np.random.default_rng(3))


def test_spread_recovers_the_truth(spread: Spread) -> None:
    assert spread.games.tolist() == [1, 2, 4, 8, 16, 32]
    assert spread.slope == pytest.approx(np.ones((6, 2)), abs=0.06)
    assert spread.unit[0] == pytest.approx(TRUE_UNIT, rel=0.08)
    assert np.linalg.eigvalsh(spread.unit).min() > 0
    assert spread.form == pytest.approx(TRUE_FORM, rel=0.15)
    assert np.abs(spread.tilt * 1000).max() < 0.15
    assert spread.milepost_games == 300


def test_without_players_seen_twice_form_is_the_least() -> None:
    assert fitted(np.random.default_rng(4), players=280, games=1).form == 50.0


@pytest.mark.parametrize("n", [1, 3, 10, 40])
def test_intervals_cover_simulated_players(n: int, spread: Spread) -> None:
    """A thousand players of n games, each with his form; their own games count from two on."""
    rng = np.random.default_rng(n)
    known = replace(
        spread,
        unit=np.broadcast_to(TRUE_UNIT, spread.unit.shape),
        slope=np.ones_like(spread.slope),
        offset=np.zeros_like(spread.offset),
        tilt=np.zeros(2),
        form=TRUE_FORM,
        milepost_games=np.inf,
    )
    prior = Range(1500, 2800)
    whole = TRUE_UNIT - TRUE_FORM**2
    hits = {0.95: [], 0.5: []}
    errors = {"one": [], "two": [], "both": []}
    for _ in range(1000):
        elo = rng.uniform(1470, 2830)
        each = elo + rng.normal(0, TRUE_FORM) + rng.multivariate_normal([0, 0], whole, n)
        own = np.cov(each.T) / n if n > 1 else None
        raw = RawRatings(each.mean(axis=0), 30.0 * n, own, n)
        for name, methods in {"one": [0], "two": [1], "both": [0, 1]}.items():
            posterior = elo_posterior(raw, known, prior, methods)
            assert posterior is not None
            errors[name].append(abs(posterior.mean - elo))
        for level, found in hits.items():
            low, high = posterior.region(level)
            found.append(low <= elo <= high)
    # Three deviations of a share of a thousand.
    assert np.mean(hits[0.95]) == pytest.approx(0.95, abs=0.021)
    assert np.mean(hits[0.5]) == pytest.approx(0.5, abs=0.048)
    means = {name: np.mean(found) for name, found in errors.items()}
    assert means["one"] < means["two"]
    if n < 40:  # beyond, form is most of the error, and no method sees through it
        assert means["both"] < means["one"]


def test_form_is_not_averaged_away(spread: Spread) -> None:
    many = RawRatings(np.array([2000.0, 2000.0]), 30.0 * 10_000)
    assert covariance(many, spread, 2000, [0, 1]).min() > 0.8 * spread.form**2
    composite = RawRatings(many.values, many.size, players=10_000)
    assert covariance(composite, spread, 2000, [0, 1]).max() < 0.2 * spread.form**2


def test_no_raw_rating_no_posterior(spread: Spread) -> None:
    nothing = RawRatings(np.array([np.nan, 2000.0]), 30.0)
    assert elo_posterior(nothing, spread, Range(1500, 2800), [0]) is None
    assert elo_posterior(nothing, spread, Range(1500, 2800), [0, 1]) is not None


def test_players_beyond_the_range_take_evidence(spread: Spread) -> None:
    prior = Range(1500, 2800)
    raw = np.array([3100.0, 3100.0])
    one_game, many = (elo_posterior(RawRatings(raw, 30.0 * n), spread, prior, [0, 1]) for n in (1, 400))
    assert one_game is not None
    assert many is not None
    assert one_game.mean < 2700 < 2850 < many.mean < 3100


def test_leaving_out_one_game_gives_the_variance_of_a_mean() -> None:
    values = np.random.default_rng(8).normal(size=(12, 2))
    weights = leave_out_weights(12)
    means = weights @ values / weights.sum(axis=1, keepdims=True)
    assert leave_out_covariance(means[1:]) == pytest.approx(np.cov(values.T) / 12)
    assert leave_out_weights(1).tolist() == [[1.0]]
    assert leave_out_weights(1000).shape == (41, 1000)


def test_dealt_groups_are_of_one_milepost_each() -> None:
    milepost = np.repeat([0, 1, 2], [7, 8, 9])
    weights = deal(milepost, 3, 2, np.random.default_rng(0))
    assert (weights.sum(axis=1) == 3).all()
    assert len(weights) == 2 * (2 + 2 + 3)
    for row in weights:
        assert len(set(milepost[row > 0])) == 1


# The whole ------------------------------------------------------------------------------------------------


def test_new_players_are_rated_where_they_are(calibration: Calibration) -> None:
    new = milepost_games(seed=1, games=6, games_each=6)
    players, too_few = rate_decisions(new, calibration)
    assert not too_few
    truth = np.array([one.reference for one in players])
    found = np.array([one.combined.elo for one in players])
    inside = [one.combined.low <= one.reference <= one.combined.high for one in players]
    assert np.mean(inside) >= 18 / 20
    assert np.corrcoef(truth, found)[0, 1] > 0.9
    assert players == tuple(sorted(players, key=lambda one: -one.combined.elo))
    assert set(players[0].ratings) == set(rating_models())


def test_more_games_narrower_intervals(calibration: Calibration) -> None:
    new = milepost_games([2000], seed=2, games=12, games_each=12)
    whole, _ = rate_decisions(new, calibration)
    single, _ = rate_decisions(new, calibration, by="game")
    assert len(whole) == 2
    assert len(single) == 24
    width = {one.player: one.combined.high - one.combined.low for one in whole}
    assert all(one.combined.high - one.combined.low > 1.3 * width[one.player] for one in single)
    assert {one.games for one in single} == {1}
    assert {one.record.draws for one in single} == {1}


def test_groups_by_year_event_and_game(appearances: Appearances) -> None:
    by_year = groups_of(appearances, "year")
    assert {group.label for group in by_year} == {"2000", "2001", "2002"}
    assert sum(len(group.rows) for group in by_year) == len(appearances)
    assert {group.label for group in groups_of(appearances, "event")} == {"event0", "event1"}
    assert len(groups_of(appearances, "game")) == len(appearances)
    with pytest.raises(InputError, match="not by 'moon'"):
        groups_of(appearances, "moon")


def test_batches_do_not_change_ratings(appearances: Appearances, calibration: Calibration) -> None:
    rater = Rater(appearances, calibration)
    groups = [group.rows for group in groups_of(appearances)]
    together = [ratings["combined"].elo for ratings in rater.rate(groups)]
    apart = [next(rater.rate([rows]))["combined"].elo for rows in groups]
    assert together == pytest.approx(apart)


def test_only_some_methods(appearances: Appearances, calibration: Calibration) -> None:
    [ratings] = Rater(appearances, calibration, methods=["gain"]).rate([np.arange(6)])
    assert set(ratings) == {"gain", "combined"}
    assert ratings["gain"].elo == ratings["combined"].elo
    with pytest.raises(InputError, match="no method 'magic'"):
        Rater(appearances, calibration, methods=["magic"])


def test_held_out_games_are_covered_and_all_methods_beat_none(appearances: Appearances) -> None:
    found = summaries(held_out(appearances, sizes=(1, 3), splits=1))
    one = found[1, True, "combined"]
    assert one.groups == len(appearances)
    # Two halves of a hundred games make two rough calibrations; three deviations of a share of 200.
    assert one.within_95 == pytest.approx(0.95, abs=0.046)
    assert found[3, False, "combined"].mean_error < one.mean_error
    assert isinstance(found[3, True, "bayes"], Summary)


def test_history_by_period(calibration: Calibration) -> None:
    new = milepost_games([2200], seed=3, games=6, games_each=6)
    periods = {game: "2001-0" + str(1 + index // 3) for index, game in enumerate(new.games)}
    players, _ = rate_decisions(new, calibration, periods=periods)
    for one in players:
        assert [label for label, _ in one.history] == ["2001-01", "2001-02"]
        assert all(rating.games == 3 for _, rating in one.history)


def test_nobody_with_enough_decisions(games: Decisions, calibration: Calibration) -> None:
    with pytest.raises(InputError, match="nobody has 1000"):
        rate_decisions(games, calibration, least=1000)


# Files ---------------------------------------------------------------------------------------------------


def test_written_and_read_it_rates_the_same(
    appearances: Appearances, calibration: Calibration, tmp_path: Path
) -> None:
    calibration.write(tmp_path / "made.npz")
    again = Calibration.read(tmp_path / "made.npz")
    assert again.about == calibration.about
    one, other = (
        next(Rater(appearances, each).rate([np.arange(8)]))["combined"] for each in (calibration, again)
    )
    assert other == one


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


def test_a_users_calibration_is_found(
    calibration: Calibration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert find_calibration("made") is None
    assert find_calibration("../made") is None
    with pytest.raises(InputError, match="no id of a recipe"):
        place_of("../made")
    assert place_of("elsewhere-1a2b").name == "elsewhere-1a2b.npz"
    calibration.write(place_of("made"))
    found = find_calibration("made")
    assert found is not None
    assert found.recipe_id == "made"


# Commands ------------------------------------------------------------------------------------------------


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
    assert set(first["ratings"]) == set(rating_models())
    assert all({"elo", "low", "high"} == set(one) for one in (*first["ratings"].values(), first["combined"]))
    assert first["combined"]["low"] < first["combined"]["elo"] < first["combined"]["high"]
    assert "2400" in first["player"]

    assert main(["rate", str(tmp_path / "new.parquet"), "--csv", "--method", "bayes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        "player,part,about,games,decisions,wins,draws,losses,reference,method,elo,low,high"
    )
    assert len(lines) == 1 + 4 * 2

    assert main(["rate", str(tmp_path / "new.parquet"), "--player", "white 1700", "--by", "year"]) == 0
    text = capsys.readouterr().out
    assert "white 1700 0 9, 2001" in text
    assert "2400" not in text.split("By method")[0].split("95%")[1].replace("2400 to", "")


def test_without_a_calibration_ratings_are_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    milepost_games([1600, 2000, 2400], games=8, games_each=8).write(tmp_path / "new.parquet")
    assert main(["rate", str(tmp_path / "new.parquet"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert not found["calibrated"]
    assert "anchored" in found["notes"][0]
    elos = {one["player"]: one["combined"]["elo"] for one in found["players"]}
    assert np.mean(list(elos.values())) == pytest.approx(2000, abs=1)
    order = [name.split()[1] for name in elos]
    assert order == sorted(order, reverse=True)
    assert "bayes" not in found["players"][0]["ratings"]
    for one in found["players"]:
        assert one["combined"]["low"] < one["combined"]["elo"] < one["combined"]["high"]


def test_a_level_is_what_intervals_are_of(calibration: Calibration) -> None:
    new = milepost_games([1800, 2200], seed=4, games=6, games_each=6)
    for made in (calibration, None):
        narrow, wide = (rate_decisions(new, made, level=level)[0] for level in (0.5, 0.95))
        for one, other in zip(narrow, wide, strict=True):
            assert one.combined.high - one.combined.low < 0.5 * (other.combined.high - other.combined.low)
    for wrong in ({"level": 1.5}, {"methods": []}):
        with pytest.raises(InputError):
            rate_decisions(new, calibration, **wrong)


def test_a_rating_of_zero_is_none(calibration: Calibration) -> None:
    table = milepost_games([2000], games=2).to_table()
    place = table.schema.get_field_index("player_elo")
    table = table.set_column(place, table.schema.field(place), [np.zeros(len(table), np.int16)])
    players, _ = rate_decisions(Decisions.from_table(table), calibration)
    assert all(np.isnan(one.reference) for one in players)


def test_studies_of_one_player(tmp_path: Path, calibration: Calibration) -> None:
    milepost_games([1800, 2200], seed=5, games=4).write(tmp_path / "new.parquet")
    study = Study(tmp_path / "new.parquet")
    with pytest.raises(InputError, match="call rate first"):
        study.report(Ratings("", "", "", "player", True, (), {}))
    ratings = study.rate(players="white 2200", calibration=calibration)
    assert [one.player for one in ratings.players] == ["white 2200 0 5"]
    assert ratings.scale == (1700, 2600)
    assert (ratings.engine, ratings.recipe) == ("agents", "made")
    page = study.report(ratings)
    assert "black 1800" not in page
    assert "from 1700 to 2600" in page


def test_few_games_without_a_calibration_have_no_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    milepost_games([1800, 2200], seed=6, games=2, games_each=2).write(tmp_path / "new.parquet")
    study = Study(tmp_path / "new.parquet")
    ratings = study.rate()
    assert all(np.isnan(one.combined.low) for one in ratings.players)
    assert "no intervals" in ratings.notes[0]
    page = study.report(ratings)
    assert "do not overlap" not in page
    assert "hold with 95%" not in page
    # Anchored on everyone, also where one is asked for whose rating is not known.
    assert study.rate(players=["white 1800"]).anchored


def test_bad_use_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    milepost_games([2000], games=2).write(tmp_path / "few.parquet")
    few = str(tmp_path / "few.parquet")
    for arguments, said in {
        ("rate", "nowhere.pgn"): "does not exist",
        ("rate", few, "--method", "magic"): "magic",
        ("rate", few, "--player", "Nobody"): "Nobody",
        ("rate", few, "--min-decisions", "5000"): "nobody has 5000",
        ("rate", few, "--calibration", str(tmp_path / "none.npz")): "assay calibrate",
        ("rate", few, "--report", str(tmp_path / "no" / "where.html")): "no folder",
        ("calibrate", few): "three centuries",
    }.items():
        assert main(list(arguments)) == 2, arguments
        error = capsys.readouterr().err
        assert said in error, arguments
        assert error.count("\n") == 1, arguments


def test_a_method_that_does_not_rise_with_elo_is_left_out(games: Decisions) -> None:
    """Evaluations of positions only: nothing is known of the other options, and gain is all there is."""
    table = games.to_table()
    for name in ("moves", "cp", "mate"):
        column = table[name].combine_chunks()
        played = table["played_index"].to_pylist()
        values = [[options[index]] for options, index in zip(column.to_pylist(), played, strict=True)]
        table = table.set_column(table.schema.get_field_index(name), name, [values])
    zeros = [0] * len(table)
    table = table.set_column(table.schema.get_field_index("played_index"), "played_index", [zeros])
    made = Calibration.fit(Appearances.of(Decisions.from_table(table)))
    assert set(made.mappings) == {"gain"}
    assert made.spread.methods == ("gain",)
