"""Kinds of honest players, and how often they are beyond thresholds."""

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.screening.norms import Groups
from examples.evaluated_games import evaluated_games
from research.calibration.source_norms import (
    PARTS,
    Facts,
    Judged,
    groups_of_one_player,
    held_out,
    kinds_of,
    moved,
    norms_of,
    parts_of,
    situation_rates,
    source_rates,
    whole_events_first,
)


def test_how_far_ratings_moved_from_year_to_year() -> None:
    """Player 1 has 2000 in 2012, 2000 in 2013 and 2150 in 2016; player 2 one year only."""
    player = np.array([1, 1, 1, 1, 2])
    year = np.array([2012.0, 2013.0, 2016.0, 2016.0, 2013.0])
    elo = np.array([2000.0, 2000.0, 2150.0, 2180.0, 1800.0])
    earlier, later = moved(player, year, elo)
    assert earlier == pytest.approx([np.nan, 0, 150, 180, np.nan], nan_ok=True)
    assert later == pytest.approx([0, 150, np.nan, np.nan, np.nan], nan_ok=True)


def test_kinds_are_told_by_age_and_by_how_ratings_moved() -> None:
    facts = Facts(
        np.array([12.0, 40.0, np.nan]), np.array([np.nan, 0.0, 30.0]), np.array([150.0, -120.0, np.nan])
    )
    kinds = kinds_of(facts, [np.array([place]) for place in range(3)])
    assert kinds["up to 13 years"].tolist() == [True, False, False]
    assert not kinds["14 to 17 years"].any()
    assert kinds["rated 100 or more higher in a later year"].tolist() == [True, False, False]
    assert kinds["rated 100 or more lower in a later year"].tolist() == [False, True, False]
    assert kinds["a rating that had not moved by a point for a year or more"].tolist() == [False, True, False]


def test_rates_are_of_each_kind_and_error() -> None:
    z = np.array([2.0, 0.0, -3.0, np.nan])
    kinds = {"young": np.array([True, True, False, True])}
    rates = list(situation_rates(kinds, np.ones(4), {60.0: z, 150.0: z / 2}, 1))
    assert [(one["error"], one["threshold"], one["above"]) for one in rates] == [
        (60.0, 1.645, 0.5),
        (60.0, 2.326, 0.0),
        (150.0, 1.645, 0.0),
        (150.0, 2.326, 0.0),
    ]
    assert {one["groups"] for one in rates} == {2}


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


def test_rates_of_honest_parts_are_nominal_whatever_the_middle() -> None:
    """Each calibration sees games in its own way, which norms of the same calibration take off."""
    generator = np.random.default_rng(0)

    def seen(middle: float, deviation: float) -> Judged:
        games = np.repeat([1.0, 5.0, 9.0], (2000, 700, 700))
        departure = middle + deviation * generator.normal(size=(len(games), 2))
        reference = generator.uniform(1500, 2600, len(games))
        return Judged(Groups(games, 35 * games, reference), departure)

    by = {0: (0.3, 1.2), 1: (-0.2, 0.9), 2: (0.0, 1.4)}
    trial = {(k, j): seen(*by[k]) for k in range(PARTS) for j in range(PARTS) if j != k}
    rates = source_rates(*held_out(trial, norms_of("made", trial)))
    whole = {(one["games"], one["threshold"]): one for one in rates if one["band"] == "all"}
    assert {n for n, _ in whole} == {1, 5, 9}
    assert whole[1, 1.645]["groups"] == 6_000, "each is judged twice, and counted once"
    for n in (1, 5, 9):
        assert whole[n, 1.645]["above"] == pytest.approx(0.05, abs=0.01)
        assert whole[n, 1.645]["below"] == pytest.approx(0.05, abs=0.01)
    assert (trial[0, 1].departure > 1.645).mean() > 0.1, "or the test could not fail"
