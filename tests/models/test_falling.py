import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from assay.models.falling import make_fall


def test_rows_fall_as_least_squares_has_it() -> None:
    rows = np.random.default_rng(3).random((50, 14)) - np.linspace(0, 1, 14)
    found = rows.copy()
    make_fall(found)
    for before, after in zip(rows, found, strict=True):
        assert after == pytest.approx(-isotonic_regression(-before).x)
    assert (np.diff(found) <= 0).all()


def test_what_falls_is_left_as_it_is() -> None:
    rows = np.array([[0.9, 0.5, 0.5, 0.1]])
    found = rows.copy()
    make_fall(found)
    assert found.tolist() == rows.tolist()
