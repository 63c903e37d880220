import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.models.choice.curves import CURVES, LARGEST_INVERSE, curve_code, inverse_proxy
from assay.models.choice.probabilities import probabilities
from assay.models.choice.spreads import Spreads
from examples.proxies import proxies

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
    code = curve_code(curve)
    assert inverse_proxy(code, -math.inf, 0.5) == (1.0, 0.0, 0.0)
    inverses = [
        1.0,
        *(inverse_proxy(code, math.log(delta / 0.1), 0.5)[0] for delta in np.linspace(0.03, 3, 99)),
    ]
    assert (np.diff(1 / np.array(inverses)) < 0).all()


def test_unknown_names_are_clear_errors() -> None:
    with pytest.raises(InputError, match="inverse-exponential"):
        curve_code("gaussian")
    with pytest.raises(InputError, match="power"):
        probabilities(turn([0, 1]), 0.1, 0.5, conversion="softmax")
    with pytest.raises(InputError, match="positive"):
        probabilities(turn([0, 1]), -0.1, 0.5)


def turn(delta: list[float]) -> Spreads:
    return Spreads(np.array(delta, dtype=float), np.array([0, len(delta)]), np.array([0]))
