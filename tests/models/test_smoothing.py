"""Mileposts of few games are drawn onto a quadratic: against polyfit, and by simulation with known truth."""

import numpy as np
import pytest

from assay.decisions.profile import Profile
from assay.models.elo_mapping import PairwiseMapping, ScalarMapping, left_out_error
from assay.models.smoothing import FEWEST_MILEPOSTS, on_quadratic, rising

ELOS = np.arange(1500.0, 2900.0, 100.0)
CURVE = 1.0 + 0.8 * (ELOS - 1500) / 1300 + 0.3 * np.square((ELOS - 1500) / 1300)


def profiles(decisions: np.ndarray) -> tuple[Profile, ...]:
    return tuple(Profile("m", np.zeros(1), float(n), 40.0, recipe_id="r") for n in decisions)


def test_the_matrix_is_a_weighted_least_squares_fit() -> None:
    rng = np.random.default_rng(3)
    weights, values = rng.uniform(500, 4000, len(ELOS)), rng.normal(size=len(ELOS))
    place = (ELOS - 2000) / 500
    slow = np.polyval(np.polyfit(place, values, 2, w=np.sqrt(weights)), place)
    assert on_quadratic(ELOS, weights) @ values == pytest.approx(slow)
    assert on_quadratic(ELOS, weights).sum(axis=1) == pytest.approx(1)


def test_few_mileposts_stay_as_they_are() -> None:
    few = ELOS[: FEWEST_MILEPOSTS - 1]
    assert (on_quadratic(few) == np.eye(len(few))).all()


def test_a_curve_that_would_turn_back_is_not_used() -> None:
    bent = np.where(ELOS < 1900, ELOS / 400, 5.0 + (ELOS - 1900) / 1e6)
    assert (rising(bent, ELOS) == bent).all()
    assert rising(CURVE, ELOS) == pytest.approx(CURVE)


def test_a_smooth_mapping_finds_the_truth_better_than_one_through_every_milepost() -> None:
    """Each milepost is known to some 40 points; Elo of known strengths is off by far less when smoothed."""
    rng = np.random.default_rng(4)
    noise = 40 * np.gradient(CURVE, ELOS)
    errors = {smooth: [] for smooth in (False, True)}
    for _ in range(200):
        noisy = CURVE + rng.normal(0, noise)
        for smooth, found in errors.items():
            mapping = ScalarMapping.through("m", "r", "s", ELOS, noisy, smooth=smooth)
            found.append(np.abs(mapping.elo(CURVE) - ELOS).mean())
    assert np.mean(errors[True]) < 0.7 * np.mean(errors[False])
    assert np.mean(errors[True]) < 25


def test_the_error_of_a_smooth_mapping_is_that_of_mileposts_left_out() -> None:
    rng = np.random.default_rng(5)
    noise = 40 * np.gradient(CURVE, ELOS)
    found = [left_out_error(CURVE + rng.normal(0, noise), ELOS, smooth=True) for _ in range(100)]
    # The noise of the milepost itself, and some of the curve's, most at the ends.
    assert 40 < np.sqrt(np.mean(np.square(found))) < 65


def test_expectations_are_smoothed_by_the_same_rule() -> None:
    rng = np.random.default_rng(6)
    decisions = rng.uniform(500, 4000, len(ELOS))
    truth = rng.uniform(1600, 2700, (200, 1))
    against = 0.5 + (truth - ELOS) / 3000 + rng.normal(0, 0.02, (200, len(ELOS)))
    plain, smooth = (PairwiseMapping("m", "r", ELOS, profiles(decisions), one) for one in (False, True))
    place = (ELOS - 2000) / 500
    fitted = [np.polyval(np.polyfit(place, row, 2, w=np.sqrt(decisions)), place) for row in against]
    assert smooth.elo(against) == pytest.approx(plain.elo(np.stack(fitted)))
    off = [np.abs(one.elo(against) - truth[:, 0]).mean() for one in (plain, smooth)]
    assert off[1] < 0.8 * off[0]
