"""Bridges checked on players they were not made from."""

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.rating.bridge import Bridge
from assay.validation.bridge_check import crossed
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
    assert five.bridged_error < one.bridged_error
    assert five.bridged_within >= 0.8
    assert one.native_width > five.native_width
    unknown = crossed(bridge.without_ratings(), folds=2)[0]
    assert np.isnan(unknown.bridged_error)
    assert unknown.correlation == pytest.approx(one.correlation, abs=0.15)
