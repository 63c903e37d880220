"""The population of the players at hand, against the same by plain integration and against known truth."""

import numpy as np
import pytest

from assay.rating.pool import DEVIATIONS, USUAL_DEVIATION, Pool, pool_of
from assay.rating.posterior import GRID, Range, RawRatings, elo_posterior
from examples.spreads import known

SPAN = Range(1500, 2800)


def log_likelihoods(elos: list[float], error: float) -> list[np.ndarray]:
    return [-0.5 * np.square((GRID - elo) / error) for elo in elos]


def normal(x: np.ndarray | float, mean: float, deviation: float) -> np.ndarray:
    return np.exp(-0.5 * np.square((x - mean) / deviation)) / (deviation * np.sqrt(2 * np.pi))


def slow_prior(elos: list[float], error: float, at: np.ndarray) -> np.ndarray:
    """Density of one more player: every pair of mean and deviation in turn, nothing clever.

    The integral of a normal likelihood times a normal is a normal of both variances.
    """
    total = np.zeros(len(at))
    weight_of_all = 0.0
    for deviation in DEVIATIONS:
        for mean in np.arange(900.0, 3401.0, 12.5):
            before = np.exp(SPAN.log_density(np.array([mean]))[0]) * deviation
            before *= np.exp(-0.5 * (deviation / USUAL_DEVIATION) ** 2)
            weight = before * np.prod([normal(elo, mean, np.hypot(deviation, error)) for elo in elos])
            total += weight * normal(at, mean, deviation)
            weight_of_all += weight
    return total / weight_of_all


@pytest.mark.parametrize("elos", [[], [1650.0], [1600.0, 1700.0, 1540.0], [2500.0, 1700.0]])
def test_the_prior_of_a_player_is_what_the_others_let_expect(elos: list[float]) -> None:
    at = np.arange(1200.0, 3001.0, 150.0)
    own = 2300.0  # whatever the player's own moves say: it must not count
    pool = Pool.learn(log_likelihoods([*elos, own], 80.0), SPAN)
    found = np.exp(pool.without(len(elos)).log_density(at))
    assert found == pytest.approx(slow_prior(elos, 80.0, at), rel=0.05, abs=2e-6)


def test_mean_and_deviation_of_a_population_are_found() -> None:
    rng = np.random.default_rng(5)
    elos = rng.normal(1620, 110, 300)
    pool = Pool.learn(log_likelihoods((elos + rng.normal(0, 300, 300)).tolist(), 300.0), SPAN)
    # Standard errors: 18 of the mean; the deviation hides below errors almost three times as large.
    assert pool.mean == pytest.approx(1620, abs=54)
    assert 40 < pool.deviation < 200
    assert pool.weights().sum() == pytest.approx(1)


def test_a_club_comes_out_as_it_is() -> None:
    """One game each: the flat prior lifts everybody to the middle of the scale, the pool does not."""
    spread = known()
    rng = np.random.default_rng(6)
    elos = rng.normal(1600, 100, 100)
    raws = [RawRatings(rng.multivariate_normal([elo, elo], spread.unit[0]), 30.0) for elo in elos]
    pool, priors = pool_of(raws, spread, SPAN, [0, 1])
    assert pool is not None
    means = {}
    for name, chosen in {"flat": [SPAN] * 100, "pool": priors}.items():
        posteriors = [
            elo_posterior(raw, spread, prior, [0, 1]) for raw, prior in zip(raws, chosen, strict=True)
        ]
        means[name] = np.mean([one.mean for one in posteriors if one is not None])
    assert means["flat"] > 1750
    assert means["pool"] == pytest.approx(1600, abs=150)  # three standard errors


def test_moves_that_say_nothing_make_no_pool() -> None:
    spread = known()
    nothing = RawRatings(np.array([np.nan, np.nan]), 30.0)
    something = RawRatings(np.array([1700.0, 1700.0]), 30.0)
    assert pool_of([nothing], spread, SPAN, [0, 1]) == (None, [SPAN])
    pool, priors = pool_of([nothing, something], spread, SPAN, [0, 1])
    assert pool is not None
    assert len(pool.said) == 1
    assert len(priors) == 2
