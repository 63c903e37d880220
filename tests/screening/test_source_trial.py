"""Halves by player, groups of one player, and error rates of each half by norms of the other."""

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.screening.source_trial import Judged, groups_of_one_player, halves_of, measured_source
from examples.evaluated_games import evaluated_games


@pytest.fixture(scope="module")
def appearances() -> Appearances:
    return Appearances.of(evaluated_games(np.arange(1500, 2700, 300), games=18, plies=60))


def test_no_player_is_in_both_halves(appearances: Appearances) -> None:
    first, second = halves_of(appearances, np.arange(len(appearances)))
    assert len(first) + len(second) == len(appearances)
    assert not set(appearances.player[first].tolist()) & set(appearances.player[second].tolist())
    assert len(first) > 0
    assert len(second) > 0


def test_groups_are_of_one_player_and_no_game_is_in_two(appearances: Appearances) -> None:
    groups = groups_of_one_player(appearances, np.arange(len(appearances)), 5)
    assert groups
    for rows in groups:
        assert len(rows) == 5
        assert len(set(appearances.player[rows].tolist())) == 1
    used = np.concatenate(groups)
    assert len(used) == len(set(used.tolist()))


def test_rates_of_honest_halves_are_nominal_whatever_the_middle() -> None:
    """Both halves depart by a middle of 0.3 and a deviation of 1.2: the norms take that off."""
    generator = np.random.default_rng(0)
    halves = []
    for _ in range(2):
        games = np.repeat([1.0, 5.0, 9.0], (4000, 1000, 1000))
        departure = 0.3 + 1.2 * generator.normal(size=(len(games), 2))
        halves.append(Judged(games, generator.uniform(1500, 2600, len(games)), departure))
    found = measured_source("made", halves, {"games": 12_000})
    whole = {(one["games"], one["threshold"]): one for one in found.rates if one["band"] == "all"}
    assert {n for n, _ in whole} == {1, 5, 9}
    assert whole[1, 1.645]["groups"] == 8000
    for n in (1, 5, 9):
        assert whole[n, 1.645]["above"] == pytest.approx(0.05, abs=0.015)
        assert whole[n, 1.645]["below"] == pytest.approx(0.05, abs=0.015)
    assert (halves[0].departure > 1.645).mean() > 0.1, "or the test could not fail"
