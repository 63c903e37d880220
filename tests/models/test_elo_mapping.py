"""The error of a mapping is measured on mileposts that the curve has not seen."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from assay.decisions.profile import Profile
from assay.models.elo_mapping import (
    PairwiseMapping,
    falling,
    interpolate,
    left_out_error,
    monotone_knots,
    on_quadratic,
)

ELOS = np.arange(1600.0, 2800.0, 100.0)
EVEN = np.ones(len(ELOS))


def test_a_curve_through_every_milepost_still_has_an_error() -> None:
    generator = np.random.default_rng(5)
    strengths = np.sort(ELOS / 2000 + generator.normal(0, 0.02, len(ELOS)))
    residuals = interpolate(*monotone_knots(strengths, ELOS, EVEN), strengths) - ELOS
    assert np.abs(residuals).max() == pytest.approx(0, abs=1e-6)
    assert 10 < left_out_error(strengths, ELOS, EVEN) < 200


def test_the_error_is_that_of_new_mileposts() -> None:
    """Noise of 0.03 in strength is 60 Elo: left out, a milepost errs by its own noise and its neighbours'."""
    generator = np.random.default_rng(6)
    noise = generator.normal(0, 0.03, (100, len(ELOS)))
    found = [left_out_error(ELOS / 2000 + one, ELOS, EVEN) for one in noise]
    assert 60 < np.sqrt(np.mean(np.square(found))) < 120


def slow_crossing(elos: np.ndarray, against: np.ndarray) -> float:
    """One row of expectations, step by step."""
    fallen = -isotonic_regression(-against).x
    slope = min(np.polyfit(elos, against, 1)[0], -1e-5)
    if fallen[0] < 0.5:
        return float(elos[0] + (0.5 - fallen[0]) / slope)
    if fallen[-1] > 0.5:
        return float(elos[-1] + (0.5 - fallen[-1]) / slope)
    above, below = np.flatnonzero(fallen >= 0.5)[-1], np.flatnonzero(fallen <= 0.5)[0]
    if fallen[above] == fallen[below]:
        return float((elos[above] + elos[below]) / 2)
    share = (fallen[above] - 0.5) / (fallen[above] - fallen[below])
    return float(elos[above] + share * (elos[below] - elos[above]))


def test_crossings_of_many_rows_are_those_of_each() -> None:
    elos = np.arange(1500.0, 2900, 100)
    rng = np.random.default_rng(1)
    noisy = 0.5 + 0.4 * np.tanh((rng.uniform(1000, 3300, (300, 1)) - elos) / 400)
    noisy = np.clip(noisy + rng.normal(0, 0.03, noisy.shape), 0, 1)
    noisy[0], noisy[1], noisy[2, 3:6] = 0.5, 0.7, 0.5
    found = PairwiseMapping("m", "r", elos, ()).elo(noisy)
    assert found == pytest.approx([slow_crossing(elos, row) for row in noisy])
    assert (found[noisy[:, 0] < 0.5] < 1500).all()


# Mileposts of few games are drawn onto a quadratic: against polyfit, and by simulation with known truth.

CENTURIES = np.arange(1500.0, 2900.0, 100.0)
CURVE = 1.0 + 0.8 * (CENTURIES - 1500) / 1300 + 0.3 * np.square((CENTURIES - 1500) / 1300)


def profiles(decisions: np.ndarray) -> tuple[Profile, ...]:
    return tuple(Profile("m", np.zeros(1), float(n), 40.0, recipe_id="r") for n in decisions)


def test_the_matrix_is_a_weighted_least_squares_fit() -> None:
    rng = np.random.default_rng(3)
    weights, values = rng.uniform(500, 4000, len(CENTURIES)), rng.normal(size=len(CENTURIES))
    place = (CENTURIES - 2000) / 500
    slow = np.polyval(np.polyfit(place, values, 2, w=np.sqrt(weights)), place)
    assert on_quadratic(CENTURIES, weights) @ values == pytest.approx(slow)
    assert on_quadratic(CENTURIES, weights).sum(axis=1) == pytest.approx(1)


def test_a_curve_that_would_turn_back_is_not_used() -> None:
    bent = np.where(CENTURIES < 1900, CENTURIES / 400, 5.0 + (CENTURIES - 1900) / 1e6)
    for strengths in (bent, CURVE):
        knots = monotone_knots(strengths, CENTURIES, np.ones(14), smooth=True)
        assert np.array(knots) == pytest.approx(np.stack((strengths, CENTURIES)))


def test_a_smooth_mapping_finds_the_truth_better_than_one_through_every_milepost() -> None:
    """Each milepost is known to some 40 points; Elo of known strengths is off by far less when smoothed."""
    rng = np.random.default_rng(4)
    noise = 40 * np.gradient(CURVE, CENTURIES)
    errors = {smooth: [] for smooth in (False, True)}
    for _ in range(50):
        noisy = CURVE + rng.normal(0, noise)
        for smooth, found in errors.items():
            knots = monotone_knots(noisy, CENTURIES, np.ones(14), smooth=smooth)
            found.append(np.abs(interpolate(*knots, CURVE) - CENTURIES).mean())
    assert np.mean(errors[True]) < 0.7 * np.mean(errors[False])
    assert np.mean(errors[True]) < 25


def test_the_error_of_a_smooth_mapping_is_that_of_mileposts_left_out() -> None:
    rng = np.random.default_rng(5)
    noise = 40 * np.gradient(CURVE, CENTURIES)
    found = [
        left_out_error(CURVE + rng.normal(0, noise), CENTURIES, np.ones(14), smooth=True) for _ in range(100)
    ]
    # The noise of the milepost itself, and some of the curve's, most at the ends.
    assert 40 < np.sqrt(np.mean(np.square(found))) < 65


def test_expectations_are_smoothed_by_the_same_rule() -> None:
    rng = np.random.default_rng(6)
    decisions = rng.uniform(500, 4000, len(CENTURIES))
    truth = rng.uniform(1600, 2700, (200, 1))
    against = 0.5 + (truth - CENTURIES) / 3000 + rng.normal(0, 0.02, (200, len(CENTURIES)))
    plain, smooth = (PairwiseMapping("m", "r", CENTURIES, profiles(decisions), one) for one in (False, True))
    place = (CENTURIES - 2000) / 500
    fitted = [np.polyval(np.polyfit(place, row, 2, w=np.sqrt(decisions)), place) for row in against]
    assert smooth.elo(against) == pytest.approx(plain.elo(np.stack(fitted)))
    off = [np.abs(one.elo(against) - truth[:, 0]).mean() for one in (plain, smooth)]
    assert off[1] < 0.8 * off[0]


def test_rows_fall_as_least_squares_has_it() -> None:
    rows = np.random.default_rng(3).random((50, 14)) - np.linspace(0, 1, 14)
    for before, after in zip(rows, falling(rows), strict=True):
        assert after == pytest.approx(-isotonic_regression(-before).x)
    fallen = np.array([[0.9, 0.5, 0.5, 0.1]])
    assert falling(fallen).tolist() == fallen.tolist()
