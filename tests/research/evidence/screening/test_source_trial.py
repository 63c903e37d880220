"""Parts by player, groups of one player, and error rates of each part by norms of another."""

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.screening.source_norms import Known
from examples.evaluated_games import evaluated_games
from research.evidence.screening.source_trial import (
    PARTS,
    Judged,
    _whole_events_first,
    groups_of_one_player,
    kept_out,
    norms_of,
    parts_of,
    source_rates,
)


@pytest.fixture(scope="module")
def appearances() -> Appearances:
    return Appearances.of(evaluated_games(np.arange(1500, 2700, 300), games=18, plies=60))


def test_no_player_is_in_two_parts(appearances: Appearances) -> None:
    parts = parts_of(appearances, np.arange(len(appearances)))
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(appearances)))
    players = [set(appearances.player[rows].tolist()) for rows in parts]
    assert all(players)
    assert sum(map(len, players)) == len(set.union(*players))


def test_groups_are_of_one_player_and_no_game_is_in_two(appearances: Appearances) -> None:
    groups = groups_of_one_player(appearances, np.arange(len(appearances)), 5)
    assert groups
    for rows in groups:
        assert len(rows) == 5
        assert len(set(appearances.player[rows].tolist())) == 1
    used = np.concatenate(groups)
    assert len(used) == len(set(used.tolist()))


def test_groups_are_of_one_event_as_far_as_its_games_go() -> None:
    """Of seven games at one event and two at another, five are a group, and the rest too few for a second."""
    rows, event = np.arange(9), np.array([0, 1, 0, 0, 0, 1, 0, 0, 0])
    found = _whole_events_first(rows, event, 5)
    assert sorted(found.tolist()) == rows.tolist()
    assert set(event[found[:5]].tolist()) == {0}
    assert _whole_events_first(rows, event, 1).tolist() == sorted(rows.tolist(), key=lambda row: event[row])


def test_a_rating_that_moved_makes_no_group() -> None:
    decisions = evaluated_games([1900], games=18, plies=60)
    appearances = Appearances.of(decisions)
    rows = np.arange(len(appearances))
    assert groups_of_one_player(appearances, rows, 5)
    appearances.elo[:] = np.where(rows // 6 % 2 == 0, 1900.0, 2100.0)
    assert not groups_of_one_player(appearances, rows, 5)
    assert len(groups_of_one_player(appearances, rows, 1)) == len(rows)


def test_rates_of_honest_parts_are_nominal_whatever_the_middle() -> None:
    """Each calibration sees games in its own way, which norms of the same calibration take off."""
    generator = np.random.default_rng(0)

    def seen(middle: float, deviation: float) -> Judged:
        games = np.repeat([1.0, 5.0, 9.0], (4000, 1000, 1000))
        departure = middle + deviation * generator.normal(size=(len(games), 2))
        reference = generator.uniform(1500, 2600, len(games))
        return Judged(Known(games, 35 * games, reference), departure)

    by = {0: (0.3, 1.2), 1: (-0.2, 0.9), 2: (0.0, 1.4)}
    trial = {(k, j): seen(*by[k]) for k in range(PARTS) for j in range(PARTS) if j != k}
    rates = source_rates(*kept_out(trial, norms_of("made", trial)))
    whole = {(one["games"], one["threshold"]): one for one in rates if one["band"] == "all"}
    assert {n for n, _ in whole} == {1, 5, 9}
    assert whole[1, 1.645]["groups"] == 12_000, "each is judged twice, and counted once"
    for n in (1, 5, 9):
        assert whole[n, 1.645]["above"] == pytest.approx(0.05, abs=0.01)
        assert whole[n, 1.645]["below"] == pytest.approx(0.05, abs=0.01)
    assert (trial[0, 1].departure > 1.645).mean() > 0.1, "or the test could not fail"
