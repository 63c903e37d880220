"""What a stationary vector can be when matrices are rounded."""

import numpy as np
import pytest

from assay.decisions.arrays import Floats
from assay.reproduce import alliot2017 as alliot
from assay.reproduce.alliot2017 import (
    HALF_UNIT,
    reach_of_component,
    reachable,
    value_and_gradient,
)


def test_the_rounding_envelope_is_as_wide_as_random_perturbations_show() -> None:
    white, black = alliot.printed_matrices()
    low, high = reach_of_component(white, black, -1)
    assert low < 0.25
    assert high > 0.56


def test_no_vector_is_reached_from_afar() -> None:
    white, black = alliot.printed_matrices()
    impossible = np.eye(10)[4]
    assert reachable(white, black, impossible)[4] < 0.6
    assert HALF_UNIT == 0.005


def test_the_gradient_of_a_stationary_vector() -> None:
    """Against differences: the search within the rounding rests on it."""
    generator = np.random.default_rng(0)
    both = np.stack((np.tril(generator.random((5, 5)) + 0.1), np.triu(generator.random((5, 5)) + 0.1)))
    target = generator.random(5)

    def aim(vector: Floats) -> tuple[float, Floats]:
        return float(np.square(vector - target).sum()), 2 * (vector - target)

    _, gradient = value_and_gradient(both, aim)
    for place in zip(*np.nonzero(both), strict=True):
        ends = []
        for step in (1e-6, -1e-6):
            moved = both.copy()
            moved[place] += step
            ends.append(value_and_gradient(moved, aim)[0])
        assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-8)
