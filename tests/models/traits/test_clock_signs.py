"""Signs of clocks, against one move at a time."""

import math

import numpy as np
import pytest

from assay.models.traits.clock_signs import CLOCK_SIGNS, clock_signs


def test_signs_are_those_of_each_move() -> None:
    spent, before = np.array([0.0, 1.0, 4.0, 70.0]), np.array([60.0, 9.0, 25.0, 40.0])
    found = clock_signs(spent, before)
    for row, (took, left) in enumerate(zip(spent, before, strict=True)):
        expected = {
            "logarithm of seconds": math.log(1 + took),
            "square of logarithm of seconds": math.log(1 + took) ** 2,
            "within 1 s": float(took <= 1),
            "within 2 s": float(took <= 2),
            "within 5 s": float(took <= 5),
            "share of the clock": min(took / left, 1),
            "logarithm of clock": math.log(1 + left),
            "clock below 10 s": float(left < 10),
            "clock below 30 s": float(left < 30),
        }
        assert found[row] == pytest.approx([expected[name] for name in CLOCK_SIGNS])
