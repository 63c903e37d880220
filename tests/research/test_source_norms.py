"""Kinds of honest players, and how often they are beyond thresholds."""

import numpy as np
import pytest

from assay.models.appearances import Appearances
from examples.evaluated_games import evaluated_games
from research.calibration.source_norms import (
    groups_of_one_player,
    parts_of,
    situations,
    unmoved,
    whole_events_first,
)


def test_a_rating_that_has_not_moved_since_another_year() -> None:
    """Player 1 has 2000 in 2012, 2000 in 2013 and 2150 in 2016; player 2 one year only."""
    player = np.array([1, 1, 1, 1, 2])
    year = np.array([2012.0, 2013.0, 2016.0, 2016.0, 2013.0])
    elo = np.array([2000.0, 2000.0, 2150.0, 2180.0, 1800.0])
    assert unmoved(player, year, elo).tolist() == [False, True, False, False, False]


def test_rates_are_of_each_kind_and_error() -> None:
    z = np.repeat([2.0, 0.0, -3.0, np.nan], 30)
    kinds = {"young": np.repeat([True, True, False, True], 30)}
    rates = list(situations(kinds, np.ones(120), {0.0: z, 140.0: z / 2}))
    assert [(rate["more"], rate["threshold"], rate["above"]) for rate in rates] == [
        (0.0, 1.645, 0.5),
        (0.0, 2.326, 0.0),
        (140.0, 1.645, 0.0),
        (140.0, 2.326, 0.0),
    ]
    assert {rate["groups"] for rate in rates} == {60}
    assert not list(situations({"young": kinds["young"] & (np.arange(120) < 20)}, np.ones(120), {0.0: z}))


# Parts by player, groups of one player, and error rates of each part by norms of another.


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
    found = whole_events_first(rows, event, 5)
    assert sorted(found.tolist()) == rows.tolist()
    assert set(event[found[:5]].tolist()) == {0}
    assert whole_events_first(rows, event, 1).tolist() == sorted(rows.tolist(), key=lambda row: event[row])


def test_a_rating_that_moved_makes_no_group() -> None:
    decisions = evaluated_games([1900], games=18, plies=60)
    appearances = Appearances.of(decisions)
    rows = np.arange(len(appearances))
    assert groups_of_one_player(appearances, rows, 5)
    appearances.elo[:] = np.where(rows // 6 % 2 == 0, 1900.0, 2100.0)
    assert not groups_of_one_player(appearances, rows, 5)
    assert len(groups_of_one_player(appearances, rows, 1)) == len(rows)
