"""Bridges checked on players they were not made from."""

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.rating.bridge import Bridge
from assay.rating.bridge_check import crossed, mean_error
from examples.bridge_games import few_methods, revalued
from examples.milepost_games import milepost_games


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
