"""Where a player stands among others: ranks of games by hand, honest players in the middle, nobody beyond."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FIDE_CLASSICAL
from assay.decisions.measures import expectation
from assay.insights import standing
from assay.insights.standing import (
    KINDS,
    by_game,
    rating_percentile,
    standings,
    standings_of,
)
from assay.models.registry import make_model
from assay.rating import measures as percentiles
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.measures import LEVEL, SHARES, Population, level_populations, quantiles_of
from assay.study import Study
from examples.evaluated_games import evaluated_games
from examples.pupil_games import STANDARD, pupil_games


def test_measures_of_a_game_as_written_out() -> None:
    games = pupil_games(2)
    values, kept = by_game(games)
    assert all(len(values[name]) == 4 for name in KINDS)  # two sides of two games
    first = kept.select(game="game0", player="Pupil, Pat")
    lost, exact, loss = [], [], []
    for row in range(len(first)):
        options, index = first.values[first.offsets[row] : first.offsets[row + 1]], first.played_index[row]
        lost.append(float(expectation(options[0]) - expectation(options[index])))
        exact.append(index == 0)
        loss.append(options[0] - options[index])
    assert np.isclose(values["accuracy"], 100 * (1 - np.mean(lost))).any()
    assert np.isclose(values["mean_loss"], np.mean(loss)).any()
    assert np.isclose(values["first_move"], np.mean(exact)).any()
    assert np.isclose(values["large_losses"], np.mean(np.array(lost) >= 0.1)).any()


def test_games_of_few_decisions_are_not_ranked() -> None:
    values, kept = by_game(pupil_games(2), least=10_000)
    assert len(kept) == 0
    assert len(values["accuracy"]) == 0
    assert len(by_game(pupil_games(1).take(np.arange(0)))[1]) == 0


def test_levels_next_to_a_rating(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = tuple(Population("x", "games", 40, {}, part={LEVEL: str(elo)}) for elo in (2000, 1500, 1600))
    monkeypatch.setattr(percentiles, "shipped_populations", lambda: levels)
    near = [(one.part[LEVEL], weight) for one, weight in level_populations("x", 1525.0)]
    assert near == [("1500", 0.75), ("1600", 0.25)]
    assert [one.part[LEVEL] for one, _ in level_populations("x", 1200.0)] == ["1500"]
    assert [one.part[LEVEL] for one, _ in level_populations("x", 2700.0)] == ["2000"]
    assert [one.part[LEVEL] for one, _ in level_populations("x", 1600.0)] == ["1600"]
    assert level_populations("y", 1600.0) == []
    assert level_populations("x", math.nan) == []


def test_honest_players_stand_in_the_middle_and_careful_ones_above(
    pupil: Path, calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = Decisions.read(pupil)
    values, _ = by_game(pupil_games(40, seed=9))  # of the same players, other games
    known = {name: quantiles_of(some) or [] for name, some in values.items()}
    rises = {name: kind.rises for name, kind in KINDS.items()}
    made = Population(STANDARD, "games of players rated", 80, known, rises, part={LEVEL: "1800"})
    monkeypatch.setattr(percentiles, "shipped_populations", lambda: (made,))
    monkeypatch.setattr(standing, "rating_percentile", lambda *_: None)
    [one, _] = Study(pupil).rate().players
    assert one.combined is not None
    asked = decisions, one.player, one.combined.elo, one.decisions, calibration
    found = standings_of(*asked)
    assert found.among == "80 games of players rated 1800"
    for part in found.measures:
        assert part.low < part.percentile.share < part.high
        assert 0.15 < part.percentile.share < 0.85
        assert part.low <= 0.5 <= part.high
    # The same moves beside players who lose four times as much.
    worse = {**known, "mean_loss": [4 * x for x in known["mean_loss"]]}
    monkeypatch.setattr(percentiles, "shipped_populations", lambda: (replace(made, quantiles=worse),))
    again = standings_of(*asked)
    shares = [{part.measure: part.percentile.share for part in one.measures} for one in (found, again)]
    assert shares[1]["mean_loss"] > 0.9 > shares[0]["mean_loss"]
    assert shares[1]["accuracy"] == shares[0]["accuracy"]


def test_players_of_evaluated_games_are_ranked_with_all_their_games(monkeypatch: pytest.MonkeyPatch) -> None:
    calibration = find_calibration(FIDE_CLASSICAL)
    assert calibration is not None
    own = evaluated_games([2000], games=6).select(player="W2000-0")
    model = make_model("covariance")
    value = model.estimate(model.profile(own))["loss"].value
    quantiles = {"covariance": np.linspace(value - 9, value + 6, len(SHARES)).tolist(), "rating": [0.0] * 15}
    made = Population(
        FIDE_CLASSICAL,
        "players rated 2000 to 2199",
        90,
        quantiles,
        {"covariance": False},
        (2000, 2199),
        least=50,
    )
    (fide,) = (one for one in percentiles.shipped_populations() if one.source == "fide")
    monkeypatch.setattr(percentiles, "shipped_populations", lambda: (made, fide))
    found = standings_of(own, "W2000-0", 2050.0, 90, calibration)
    [only] = found.measures
    assert (only.measure, only.value) == ("covariance", pytest.approx(value))
    assert only.percentile.share == pytest.approx(1 - np.interp(9, np.linspace(0, 15, len(SHARES)), SHARES))
    assert found.among == "90 players rated 2000 to 2199"
    assert found.rating is not None
    # Of few decisions, or of a rating that the table does not have, nothing is said.
    assert standings_of(own, "W2000-0", 2050.0, 49, calibration).measures == ()
    assert standings_of(own, "W2000-0", 2650.0, 90, calibration).measures == ()


def test_what_ships_falls_and_rises_with_the_level() -> None:
    shipped = [one for one in percentiles.shipped_populations() if one.source == STANDARD]
    assert [one.part[LEVEL] for one in shipped] == [str(elo) for elo in range(1500, 2900, 100)]
    medians = {name: [one.quantiles[name][7] for one in shipped] for name in KINDS}
    for name, kind in KINDS.items():
        slope = np.polyfit(np.arange(14), medians[name], 1)[0]
        assert slope > 0 if kind.rises else slope < 0


def test_a_rating_is_among_its_own_list(calibration: Calibration) -> None:
    found = rating_percentile(2400.0, calibration)
    assert found is not None
    assert "FIDE" in found.words
    assert found.share > 0.95
    other = replace(calibration, about={**calibration.about, "scale": "my club"})
    assert rating_percentile(2400.0, other) is None


def test_a_study_says_where_everyone_stands(pupil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study(pupil)
    ratings = study.rate()
    found = study.standings(ratings)
    assert [one.player for one in found] == [one.player for one in ratings.players]
    assert all([part.measure for part in one.measures] == list(KINDS) for one in found)
    answer = replace(ratings, standings=found)
    document = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    of = document["players"][0]["percentiles"]
    assert set(of) == {"rating", *KINDS}
    assert 0 <= of["accuracy"]["better_than"] <= 1
    assert of["accuracy"]["of"] in (80, 160)
    shown = next(words for words in answer.details() if words.title == "Among others")
    assert shown.columns
    assert "1600" in shown.note or "1500" in shown.note
    assert ratings.to_dict()["players"][0]["percentiles"] is None
    # Of many players the decisions are not read again: their ratings alone are ranked.
    calibration = find_calibration(STANDARD)
    assert all(not one.measures and one.rating for one in standings(ratings, calibration, most=1))
    with monkeypatch.context() as fewer:
        fewer.setattr("assay.insights.standing.MOST_DECISIONS", 10)
        assert all(not one.measures and one.rating for one in standings(ratings, calibration))
    assert standings(ratings, None) == ()
