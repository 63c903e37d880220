"""The error of a mapping is measured on mileposts that the curve has not seen."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from assay.models.elo_mapping import PairwiseMapping, interpolate, left_out_error, monotone_knots

ELOS = np.arange(1600.0, 2800.0, 100.0)


def test_mileposts_on_a_line_are_found_without_error() -> None:
    assert left_out_error(ELOS / 2000, ELOS) == pytest.approx(0, abs=1e-6)


def test_a_curve_through_every_milepost_still_has_an_error() -> None:
    generator = np.random.default_rng(5)
    strengths = np.sort(ELOS / 2000 + generator.normal(0, 0.02, len(ELOS)))
    residuals = interpolate(*monotone_knots(strengths, ELOS), strengths) - ELOS
    assert np.abs(residuals).max() == pytest.approx(0, abs=1e-6)
    assert 10 < left_out_error(strengths, ELOS) < 200


def test_the_error_is_that_of_new_mileposts() -> None:
    """Noise of 0.03 in strength is 60 Elo: left out, a milepost errs by its own noise and its neighbours'."""
    generator = np.random.default_rng(6)
    found = [left_out_error(ELOS / 2000 + generator.normal(0, 0.03, len(ELOS)), ELOS) for _ in range(100)]
    assert 60 < np.sqrt(np.mean(np.square(found))) < 120


def test_few_mileposts_are_taken_as_they_are() -> None:
    assert left_out_error(np.array([0.8, 1.0, 1.1]), np.array([1600.0, 2000.0, 2700.0])) == pytest.approx(0)


def slow_crossing(elos: np.ndarray, against: np.ndarray) -> float:
    """One row of expectations, step by step."""
    falling = -isotonic_regression(-against).x
    slope = min(np.polyfit(elos, against, 1)[0], -1e-5)
    if falling[0] < 0.5:
        return float(elos[0] + (0.5 - falling[0]) / slope)
    if falling[-1] > 0.5:
        return float(elos[-1] + (0.5 - falling[-1]) / slope)
    above, below = np.flatnonzero(falling >= 0.5)[-1], np.flatnonzero(falling <= 0.5)[0]
    if falling[above] == falling[below]:
        return float((elos[above] + elos[below]) / 2)
    share = (falling[above] - 0.5) / (falling[above] - falling[below])
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
