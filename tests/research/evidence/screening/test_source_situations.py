"""Kinds of honest players, and how often they are beyond thresholds."""

import numpy as np
import pytest

from research.evidence.screening.source_situations import Facts, kinds_of, moved, situation_rates


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
