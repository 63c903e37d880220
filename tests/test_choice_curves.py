import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

from assay.errors import InputError
from assay.models.choice_curves import CURVES, LARGEST_INVERSE, curve_code, inverse_proxy, proxies
from assay.models.choice_probabilities import CONVERSIONS, probabilities
from assay.models.choice_spreads import Scaling, Spreads, antiderivative, differences, extended

parameters = {"s": st.floats(0.02, 1.5), "c": st.floats(0.1, 1.6)}


@pytest.mark.parametrize("curve", CURVES)
@settings(deadline=None)
@given(delta=st.floats(1e-4, 3), **parameters)
def test_the_inverse_is_one_over_the_papers_curve(curve: str, delta: float, s: float, c: float) -> None:
    inverse, _, _ = inverse_proxy(curve_code(curve), math.log(delta / s), c)
    written = float(proxies(curve, delta, s, c))
    assert inverse == pytest.approx(min(1 / max(written, 1e-300), LARGEST_INVERSE), rel=1e-9)


@pytest.mark.parametrize("curve", CURVES)
@settings(deadline=None)
@given(delta=st.floats(1e-3, 1), **parameters)
def test_derivatives_are_the_numerical_ones(curve: str, delta: float, s: float, c: float) -> None:
    code, ratio, step = curve_code(curve), math.log(delta / s), 1e-6
    inverse, by_s, by_c = inverse_proxy(code, ratio, c)
    if inverse > 1e9:
        return
    along_s = inverse_proxy(code, ratio - step, c)[0] - inverse_proxy(code, ratio + step, c)[0]
    grown, shrunk = c * math.exp(step), c * math.exp(-step)
    along_c = inverse_proxy(code, ratio, grown)[0] - inverse_proxy(code, ratio, shrunk)[0]
    assert by_s == pytest.approx(along_s / (2 * step), rel=1e-4, abs=1e-6)
    assert by_c == pytest.approx(along_c / (2 * step), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("curve", CURVES)
def test_curves_start_at_one_and_fall(curve: str) -> None:
    y = proxies(curve, np.linspace(0, 3, 100), 0.1, 0.5)
    assert y[0] == 1
    assert (np.diff(y) < 0).all()
    assert inverse_proxy(curve_code(curve), -math.inf, 0.5) == (1.0, 0.0, 0.0)


def test_unknown_names_are_clear_errors() -> None:
    with pytest.raises(InputError, match="inverse-exponential"):
        curve_code("gaussian")
    with pytest.raises(InputError, match="power"):
        probabilities(turn([0, 1]), 0.1, 0.5, conversion="softmax")
    with pytest.raises(InputError, match="positive"):
        probabilities(turn([0, 1]), -0.1, 0.5)


def turn(delta: list[float]) -> Spreads:
    return Spreads(np.array(delta, dtype=float), np.array([0, len(delta)]), np.array([0]))


# Conversion ----------------------------------------------------------------------------------------------


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


# Scaling -------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(high=st.floats(-8, 8), drop=st.floats(0, 8))
def test_a_difference_is_the_integral_across_zero_too(high: float, drop: float) -> None:
    low = high - drop
    area, _ = quad(lambda x: 1 / (1 + abs(x)), low, high, points=[0] if low < 0 < high else None)
    assert float(antiderivative(high) - antiderivative(low)) == pytest.approx(area, abs=1e-9)


def test_the_side_behind_is_scaled_down_more() -> None:
    offsets = np.array([0, 2, 4])
    delta = differences([200, 100, -200, -300], offsets)
    assert delta[1] == pytest.approx(math.log(3 / 2))
    assert delta[3] == pytest.approx(math.log(4 / 3))


def test_later_ties_are_set_apart_and_everything_can_be_switched_off() -> None:
    offsets = np.array([0, 4])
    values = [0, 0, -1, -3000]
    assert differences(values, offsets) == pytest.approx([0, 0.03, math.log(1.01), math.log(5)])
    plain = Scaling(logarithmic=False, tie=0, cap=None)
    assert differences(values, offsets, plain) == pytest.approx([0, 0, 0.01, 30])
    with pytest.raises(InputError, match="tail"):
        Scaling(unlisted="ignored")
    with pytest.raises(InputError, match="cap"):
        Scaling(cap=0)


def test_unlisted_moves_follow_the_last_line() -> None:
    # Four lines at 0, 1, 2, 4 and the played move, searched alone, at 5.2; seven legal moves.
    spreads = Spreads(np.array([0, 1, 2, 4, 5.2]), np.array([0, 5]), np.array([4]))
    longer = extended(spreads, np.array([4]), np.array([7]))
    # From the second line to the fourth the mean step is 1.5: guesses at 5.5 and 7, behind the played one.
    assert longer.delta == pytest.approx([0, 1, 2, 4, 5.2, 5.5, 7.0])
    assert longer.played.tolist() == [4]
    behind = Spreads(np.array([0, 1, 2, 4, 6.0]), np.array([0, 5]), np.array([4]))
    longer = extended(behind, np.array([4]), np.array([7]))
    assert longer.delta == pytest.approx([0, 1, 2, 4, 5.5, 6.0, 7.0])
    assert longer.played.tolist() == [5]


def test_there_is_no_tail_without_three_lines_or_unlisted_moves() -> None:
    spreads = Spreads(np.array([0, 1.0, 0, 1, 2]), np.array([0, 2, 5]), np.array([0, 0]))
    assert extended(spreads, np.array([2, 3]), np.array([30, 3])).offsets.tolist() == [0, 2, 5]
    assert np.diff(extended(spreads, np.array([2, 3]), np.array([30, 5])).offsets).tolist() == [2, 5]
