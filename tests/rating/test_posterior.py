"""Posteriors over Elo from raw ratings."""

from dataclasses import replace

import numpy as np
import pytest

from assay.rating.posterior import Range, RawRatings, covariance, elo_posterior
from assay.rating.spread import Spread
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
