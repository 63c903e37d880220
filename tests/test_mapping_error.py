"""The error of a mapping is measured on mileposts that the curve has not seen."""

import numpy as np
import pytest

from assay.models.elo_mapping import interpolate, left_out_error, monotone_knots

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
