"""Posteriors over Elo from raw ratings."""

from dataclasses import replace

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.evidence import groups_of
from assay.rating.group_ratings import Rater
from assay.rating.posterior import (
    ManyRaw,
    Range,
    RawRatings,
    as_rating,
    covariance,
    elo_posterior,
    heard,
    many_posteriors,
)
from assay.rating.spread import BridgeError, Spread
from examples.spreads import TRUE_FORM, TRUE_UNIT, fitted


@pytest.fixture(scope="module")
def spread() -> Spread:
    return fitted(np.random.default_rng(3))


@pytest.mark.parametrize("n", [1, 3, 10, 40])
def test_intervals_cover_simulated_players(n: int, spread: Spread) -> None:
    """A thousand players of n games, each with their form; their own games count from two on."""
    rng = np.random.default_rng(n)
    known = replace(
        spread,
        unit=np.broadcast_to(TRUE_UNIT, spread.unit.shape),
        slope=np.ones_like(spread.slope),
        offset=np.zeros_like(spread.offset),
        tilt=np.zeros(2),
        form=TRUE_FORM,
        milepost_games=np.inf,
    )
    prior = Range(1500, 2800)
    whole = TRUE_UNIT - TRUE_FORM**2
    hits = {0.95: [], 0.5: []}
    errors = {"one": [], "two": [], "both": []}
    for _ in range(1000):
        elo = rng.uniform(1470, 2830)
        each = elo + rng.normal(0, TRUE_FORM) + rng.multivariate_normal([0, 0], whole, n)
        own = np.cov(each.T) / n if n > 1 else None
        raw = RawRatings(each.mean(axis=0), 30.0 * n, own, n)
        for name, methods in {"one": [0], "two": [1], "both": [0, 1]}.items():
            posterior = elo_posterior(raw, known, prior, methods)
            assert posterior is not None
            errors[name].append(abs(posterior.mean - elo))
        for level, found in hits.items():
            low, high = posterior.region(level)
            found.append(low <= elo <= high)
    # Three deviations of a share of a thousand.
    assert np.mean(hits[0.95]) == pytest.approx(0.95, abs=0.021)
    assert np.mean(hits[0.5]) == pytest.approx(0.5, abs=0.048)
    means = {name: np.mean(found) for name, found in errors.items()}
    assert means["one"] < means["two"]
    if n < 40:  # beyond, form is most of the error, and no method sees through it
        assert means["both"] < means["one"]


def test_form_is_not_averaged_away(spread: Spread) -> None:
    many = RawRatings(np.array([2000.0, 2000.0]), 30.0 * 10_000)
    assert covariance(many, spread, 2000, [0, 1]).min() > 0.8 * spread.form**2
    composite = RawRatings(many.values, many.size, players=10_000)
    assert covariance(composite, spread, 2000, [0, 1]).max() < 0.2 * spread.form**2


def test_no_raw_rating_no_posterior(spread: Spread) -> None:
    nothing = RawRatings(np.array([np.nan, 2000.0]), 30.0)
    assert elo_posterior(nothing, spread, Range(1500, 2800), [0]) is None
    assert elo_posterior(nothing, spread, Range(1500, 2800), [0, 1]) is not None


def test_players_beyond_the_range_take_evidence(spread: Spread) -> None:
    prior = Range(1500, 2800)
    raw = np.array([3100.0, 3100.0])
    one_game, many = (elo_posterior(RawRatings(raw, 30.0 * n), spread, prior, [0, 1]) for n in (1, 400))
    assert one_game is not None
    assert many is not None
    assert one_game.mean < 2700 < 2850 < many.mean < 3100


# Ratings of many players at once, against those of one after another.

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
