"""Ratings of many players at once, against those of one after another."""

from dataclasses import replace

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.groups import Rater, groups_of
from assay.rating.many import ManyRaw, many_posteriors
from assay.rating.posterior import Range, RawRatings, as_rating, elo_posterior, heard
from assay.rating.spread import BridgeError, Spread

PRIOR = Range(1500, 2800)


def three_methods(*, bridge: bool = False) -> Spread:
    """Three methods, the third of which mostly repeats the errors of the first."""
    games = np.array([1.0, 4.0, 16.0])
    unit = np.array([[250_000.0, 150_000.0, 330_000.0], [0, 400_000.0, 190_000.0], [0, 0, 520_000.0]])
    unit = np.triu(unit) + np.triu(unit, 1).T
    return Spread(
        methods=("one", "two", "three"),
        centre=2150.0,
        game_size=30.0,
        games=games,
        offset=np.array([[400.0, 300.0, 350.0], [200.0, 150.0, 180.0], [0.0, 20.0, 10.0]]),
        slope=np.array([[0.8, 0.7, 0.75], [0.9, 0.85, 0.9], [1.0, 0.98, 1.0]]),
        unit=np.stack([unit, 1.1 * unit, 1.3 * unit]),
        tilt=np.array([-4e-4, -2e-4, 1e-4]),
        form=60.0,
        milepost_games=150.0,
        lasting=0.4,
        bridge=BridgeError(2100.0, 0.002 * np.eye(3), 1e-9 * np.ones((3, 3))) if bridge else None,
    )


def players(rng: np.random.Generator, n: int) -> list[RawRatings]:
    found = []
    for _ in range(n):
        elo, games = rng.uniform(1400, 2900), int(rng.integers(1, 60))
        values = elo + rng.normal(0, 500 / np.sqrt(games), 3)
        values[rng.random(3) < 0.15] = np.nan
        noise = rng.normal(0, 400 / np.sqrt(games), (8, 3))
        own = noise.T @ noise / 8 if games > 1 else None
        if own is not None:
            own[np.isnan(values)] = own[:, np.isnan(values)] = np.nan
        many = float(rng.choice([1.0, 1.0, 3.0]))
        size = 30.0 * games * rng.uniform(0.5, 1.5)
        squares = None if rng.random() < 0.5 else size**2 / games * rng.uniform(1.0, 2.0)
        found.append(RawRatings(values, size, own, min(games, 8), many, squares))
    return found


@pytest.mark.parametrize("bridge", [False, True])
@pytest.mark.parametrize("methods", [[0], [2], [0, 1, 2]])
def test_many_are_what_one_by_one_are(methods: list[int], bridge: bool) -> None:
    spread = three_methods(bridge=bridge)
    several = players(np.random.default_rng(len(methods)), 80)
    found = many_posteriors(ManyRaw.of(several, spread), spread, PRIOR, methods, 0.9)
    passed_over = silent = 0
    for place, raw in enumerate(several):
        posterior = elo_posterior(raw, spread, PRIOR, methods)
        passed_over += len(heard(raw, spread, methods)) < np.isfinite(raw.values[methods]).sum()
        silent += posterior is None
        answer = [found.elo[place], found.low[place], found.high[place]]
        if posterior is None:
            assert np.isnan(answer).all()
        else:
            one = as_rating("x", posterior, raw.size, 1, 0.9)
            assert answer == pytest.approx([one.elo, one.low, one.high], abs=1e-6)
    # The cases that are hard occur: methods of a weight below zero, and nothing to go by.
    assert passed_over > 5 if len(methods) > 1 else silent > 3


def test_a_rater_says_the_same_of_many(appearances: Appearances, calibration: Calibration) -> None:
    rater = Rater(appearances, calibration)
    groups = [group.rows for group in groups_of(appearances)]
    raws, games = list(rater.raw(groups)), [len(rows) for rows in groups]
    single = list(rater.rate(groups, level=0.8))
    many = rater.many_ratings(raws, games=games, level=0.8)
    rater._provisional = not rater._provisional  # the other way too
    assert len(rater.many_ratings(raws, games=games, level=0.8)) == len(many)
    for one, other in zip(single, many, strict=True):
        assert one.keys() == other.keys()
        for name, rating in one.items():
            assert replace(other[name], elo=0, low=0, high=0) == replace(rating, elo=0, low=0, high=0)
            ends = [other[name].elo, other[name].low, other[name].high]
            assert ends == pytest.approx([rating.elo, rating.low, rating.high], abs=1e-6)
    assert rater.many_ratings([], games=[]) == []
