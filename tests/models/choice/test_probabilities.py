"""From curves to the probability of every option."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from assay.models.choice.curves import LARGEST_INVERSE
from assay.models.choice.probabilities import CONVERSIONS, probabilities
from assay.models.choice.spreads import Spreads
from examples.proxies import proxies

parameters = {"s": st.floats(0.02, 1.5), "c": st.floats(0.1, 1.6)}


def turn(delta: list[float]) -> Spreads:
    return Spreads(np.array(delta, dtype=float), np.array([0, len(delta)]), np.array([0]))


@settings(deadline=None)
@given(gaps=st.lists(st.floats(0, 2), min_size=1, max_size=60), **parameters)
def test_probabilities_are_powers_of_the_first_and_sum_to_one(gaps: list[float], s: float, c: float) -> None:
    delta = [0.0, *sorted(gaps)]
    p = probabilities(turn(delta), s, c)
    assert p.sum() == pytest.approx(1, abs=1e-9)
    w = np.minimum(1 / np.maximum(proxies("inverse-exponential", delta, s, c), 1e-300), LARGEST_INVERSE)
    # Solved slowly, in the paper's terms: p_0 is where sum p_0^(1/y_i) is one.
    log_first = brentq(lambda v: np.exp(-np.exp(v) * w).sum() - 1, -60, math.log(math.log(len(delta)) + 1))
    assert p[0] == pytest.approx(math.exp(-math.exp(log_first)), abs=1e-8)
    assert p == pytest.approx(np.exp(-math.exp(log_first) * w), abs=1e-8)


@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_equal_options_are_equally_likely(conversion: str) -> None:
    five = probabilities(turn([0, 0, 0, 0, 0, 3]), 0.1, 0.5, conversion=conversion)
    # Section 1: if five moves are equal and the sixth far below, each has somewhere near 20%.
    assert five[:5] == pytest.approx(0.2, abs=0.01)
    assert probabilities(turn([0]), 0.1, 0.5, conversion=conversion) == pytest.approx(1)


def test_plain_normalisation_is_the_share_of_the_proxy() -> None:
    delta = [0, 0.05, 0.1, 0.4]
    y = proxies("ipa", delta, 0.1, 0.5)
    assert probabilities(turn(delta), 0.1, 0.5, "ipa", "share") == pytest.approx(y / y.sum())


def test_a_clear_best_move_is_all_but_certain() -> None:
    p = probabilities(turn([0, 3, 3]), 0.01, 1.6)
    assert p[0] == pytest.approx(1, abs=1e-9)
    assert (p[1:] > 0).all()
