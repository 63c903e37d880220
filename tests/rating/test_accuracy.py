"""How far ratings can be trusted: games kept out, and outcomes counted."""

from typing import Any

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.models.mileposts import Mileposts
from assay.rating import accuracy
from assay.rating.accuracy import BASELINE, Outcome, Summary, crossed, held_out, mean_error, summaries
from assay.rating.bridge import Bridge
from examples.bridge_games import few_methods, revalued
from examples.milepost_games import milepost_games


@pytest.fixture(scope="module")
def appearances() -> Appearances:
    return Appearances.of(milepost_games(games=10, games_each=5))


def test_held_out_games_are_covered_and_all_methods_beat_none(appearances: Appearances) -> None:
    found = summaries(held_out(appearances, sizes=(1, 3), splits=1))
    one = found[1, True, "combined"]
    assert one.groups == len(appearances)
    # Two halves of a hundred games make two rough calibrations; three deviations of a share of 200.
    assert one.within_95 == pytest.approx(0.95, abs=0.046)
    assert found[3, False, "combined"].mean_error < one.mean_error
    assert isinstance(found[3, True, "bayes"], Summary)


def outcome(elo: float, *, method: str = "gain", inside: bool = True) -> Outcome:
    return Outcome(
        method=method,
        games=3,
        one_player=False,
        reference=2400.0,
        elo=elo,
        within_95=True,
        within_50=inside,
        width=200.0,
    )


def test_a_summary_is_the_means_of_its_outcomes() -> None:
    found = Summary.of([outcome(2450.0), outcome(2370.0, inside=False), outcome(2380.0)])
    assert (found.groups, found.mean_error, found.bias) == (3, pytest.approx(100 / 3), pytest.approx(0.0))
    assert (found.within_95, found.within_50, found.width) == (1.0, pytest.approx(2 / 3), 200.0)


def test_summaries_are_apart_by_method_and_leave_the_baseline_out() -> None:
    found = summaries([outcome(2400.0, method="markov"), outcome(2500.0), outcome(9.0, method=BASELINE)])
    assert list(found) == [(3, False, "gain"), (3, False, "markov")]
    assert found[3, False, "gain"].bias == 100


def test_both_sides_of_a_game_are_kept_out_together(
    appearances: Appearances, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What rates a group was made without its games, or errors would be flattered."""
    made = []

    def remember(stacks: Any, reference: Mileposts, *_: Any) -> Any:
        made.append(set(reference.game.tolist()))
        return None

    def rated(appearances: Appearances, stacks: Any, calibration: Any, test: Any, *_: Any) -> list[Outcome]:
        assert not made[-1] & set(appearances.game[test].tolist())
        return []

    monkeypatch.setattr(accuracy, "fit_calibration", remember)
    monkeypatch.setattr(accuracy, "rated_groups", rated)
    assert held_out(appearances, splits=2) == []
    assert len(made) == 4
    assert made[0] | made[1] == set(appearances.game.tolist())


# Bridges checked on players they were not made from.


def test_bridged_ratings_are_held_against_native_and_published_ones(appearances: Appearances) -> None:
    calibration = few_methods(appearances)
    games = milepost_games(games=6, games_each=2, seed=61)
    bridge = Bridge.of(calibration, Appearances.of(games), Appearances.of(revalued(games)))
    one, five = crossed(bridge, folds=2)
    assert (one.games, five.games) == (1, 5)
    assert one.groups == 120
    assert five.correlation > 0.8
    assert abs(five.shift) < 80
    assert abs(one.shift) < 4 * one.shift_error
    assert five.bridged_error < one.bridged_error
    assert five.bridged_within >= 0.8
    assert one.native_width > five.native_width
    unknown = crossed(bridge.without_ratings(), folds=2)[0]
    assert np.isnan(unknown.bridged_error)
    assert unknown.correlation == pytest.approx(one.correlation, abs=0.15)


def test_no_shift_where_each_milepost_is_of_one_player(appearances: Appearances) -> None:
    """As in the games that ship: with all of them in one fold, bridges of few games rated all the others."""
    calibration = few_methods(appearances)
    games = milepost_games(games=5, games_each=5, seed=67)
    bridge = Bridge.of(calibration, Appearances.of(games), Appearances.of(revalued(games)))
    one, five = crossed(bridge)
    assert one.groups == 100
    assert abs(one.shift) < 3 * one.shift_error
    assert one.correlation > 0.8
    assert five.groups == 20


def test_values_of_one_cluster_count_once() -> None:
    rng = np.random.default_rng(1)
    apart = rng.normal(size=400)
    assert mean_error(apart, np.arange(400)) == pytest.approx(apart.std(ddof=1) / 20)
    twice = np.repeat(apart, 2)
    assert mean_error(twice, np.repeat(np.arange(400), 2)) == pytest.approx(apart.std(ddof=1) / 20)
