"""Intervals from games drawn anew."""

import math

import numpy as np
import pytest

from assay.models.intervals import (
    FEWEST_GAMES,
    equal_tailed,
    exponential_factor,
    exponential_weights,
    pair_factor,
    resample_weights,
    resampling_factor,
    student,
    variance_correction,
    widened,
)


def test_games_are_drawn_with_replacement() -> None:
    weights = resample_weights(7, 500, seed=1)
    assert weights.shape == (500, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert weights.max() > 1
    assert weights.mean(axis=0) == pytest.approx(np.ones(7), abs=0.15)
    assert (weights == resample_weights(7, 500, seed=1)).all()


def test_exponential_weights_leave_nobody_without_games() -> None:
    weights = exponential_weights(3, 5000, seed=1)
    assert weights.min() > 0
    assert weights.mean() == pytest.approx(1, abs=0.03)


def test_resamples_vary_as_new_games_would_once_corrected() -> None:
    """The variance of a mean of n numbers, from resamples of them, is right on average."""
    generator = np.random.default_rng(3)
    n = FEWEST_GAMES
    found = []
    for seed in range(400):
        numbers = generator.normal(size=n)
        means = resample_weights(n, 200, seed) @ numbers / n
        found.append(means.var() * variance_correction(n))
    assert np.mean(found) == pytest.approx(1 / n, rel=0.1)


@pytest.mark.parametrize("n", [FEWEST_GAMES, 8])
def test_intervals_hold_with_few_games(n: int) -> None:
    generator = np.random.default_rng(5)
    held = 0
    for seed in range(400):
        numbers = generator.normal(size=n)
        ends = equal_tailed(resample_weights(n, 400, seed) @ numbers / n)
        low, high = widened(numbers.mean(), ends, resampling_factor(n))
        held += low <= 0 <= high
    # A skewed bootstrap of four numbers is a little off; without the factor it would hold 75 times in 100.
    assert held / 400 > 0.9


def test_fewer_games_make_wider_intervals() -> None:
    factor = exponential_factor([1, 4, 14, 10_000])
    assert factor[0] == math.inf
    assert factor[1] > factor[2] > factor[3]
    # Student's 97.5% quantile with 13 degrees of freedom is 2.160.
    assert student(14) == pytest.approx(2.160, abs=1e-3)
    assert factor[2] == pytest.approx(math.sqrt(15 / 13) * 2.160 / 1.960, abs=1e-3)
    assert resampling_factor(14) == pytest.approx(math.sqrt(14 / 13) * 2.160 / 1.960, abs=1e-3)
    assert factor[3] == pytest.approx(1, abs=1e-3)
    assert resampling_factor(10_000) == pytest.approx(1, abs=1e-3)


def test_two_players_tell_more_of_how_games_vary_than_one() -> None:
    assert pair_factor(6, 6) == pytest.approx(math.sqrt(6 / 5) * 2.228 / 1.960, abs=1e-3)  # ten degrees
    assert pair_factor(6, 100_000) == pytest.approx(resampling_factor(6), abs=1e-3)
    assert pair_factor(4, 9) == pair_factor(9, 4)
    generator = np.random.default_rng(3)
    one, other = generator.normal(size=(2, 4000, 5))
    difference = one.mean(axis=1) - other.mean(axis=1)
    spread = np.sqrt((one.var(axis=1) + other.var(axis=1)) / 5)  # as resamples have it
    inside = np.abs(difference) <= pair_factor(5, 5) * 1.96 * spread
    assert inside.mean() == pytest.approx(0.95, abs=0.01)


def test_ends_and_how_far_they_are() -> None:
    low, high = equal_tailed(np.arange(41.0))
    assert (float(low), float(high)) == (1.0, 39.0)
    assert [float(end) for end in widened(1.0, (0.5, 2.0), 2.0)] == [0.0, 3.0]
