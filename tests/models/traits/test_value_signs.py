"""Signs of consecutive values, against one move at a time."""

import math

import numpy as np
import pytest

from assay.models.traits.value_signs import STRETCHES, VALUE_SIGNS, value_signs

SLOPE = 0.00368208


def slow(before: float, after: float) -> dict[str, float]:
    """The signs of one move, by name."""

    def expected(value: float) -> float:
        return 1 / (1 + math.exp(-SLOPE * max(-1500.0, min(1500.0, value))))

    lost = max(expected(before) - expected(after), 0.0)
    cp = max(max(-1000.0, min(1000.0, before)) - max(-1000.0, min(1000.0, after)), 0.0)
    decided = abs(expected(before) - 0.5)
    found = {
        "loss": lost,
        "root of loss": math.sqrt(lost),
        "logarithm of loss": math.log(1 + cp),
        "no loss": float(cp == 0),
        "decided": decided,
        "expectation": expected(before),
        "root of loss, by decided": math.sqrt(lost) * decided,
        "no loss, by decided": (cp == 0) * decided,
        "rise": max(expected(after) - expected(before), 0.0),
        "change": abs(expected(after) - expected(before)),
        "unchanged": float(abs(after - before) < 5),
        "even": float(before == 0),
        "stays even": float(before == after == 0),
    }
    for bound in (10, 30, 60, 100, 200):
        found[f"loss within {bound} cp"] = float(cp <= bound)
    for low, high in zip((0.0, *STRETCHES), (*STRETCHES, 0.5), strict=True):
        here = low <= decided < high
        found[f"moves where decided by {low:g} to {high:g}"] = float(here)
        found[f"root of loss where decided by {low:g} to {high:g}"] = math.sqrt(lost) * here
        found[f"loss within 30 cp where decided by {low:g} to {high:g}"] = float(here and cp <= 30)
    return found


@pytest.mark.parametrize("mates", [False, True])
def test_signs_are_those_of_each_move(mates: bool) -> None:
    rng = np.random.default_rng(3)
    before = rng.integers(-400, 400, 60).astype(float)
    after = before - rng.integers(-40, 150, 60)
    before[:4], after[:4] = (0, 0, 0, 12), (0, -30, 4, 12)
    if mates:
        before[:20], after[20:30] = 31_990, -31_995
    found = value_signs(before, after)
    for row in range(60):
        expected = slow(before[row], after[row])
        assert list(VALUE_SIGNS) == sorted(expected, key=VALUE_SIGNS.index)
        assert found[row] == pytest.approx([expected[name] for name in VALUE_SIGNS], abs=1e-12)
