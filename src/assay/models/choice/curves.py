"""The family of curves that turn a difference in value into a probability proxy.

Regan and Haworth 2011, section 4: y = g(delta) with g(0) = 1, falling, from two parameters: sensitivity `s`
(the unit of delta) and consistency `c` (the exponent). What the conversion into probabilities needs is the
inverse proxy w = 1/y and its derivatives, so that is what a member of the family gives.
"""

import math

from assay.decisions.compiled import njit
from assay.errors import InputError

CURVES = ("inverse-exponential", "ipa", "ipb", "secha", "sechb")
"""The curves by name; the first is the paper's choice (Eq. 1). Their places are the codes that kernels
take."""

LARGEST_INVERSE = 1e12
"""Inverse proxies stop here: options that are worse than this all have a probability of about 1e-11."""

_LARGEST_EXPONENT = math.log(LARGEST_INVERSE)


def curve_code(name: str) -> int:
    """Place of a curve in CURVES."""
    if name not in CURVES:
        raise InputError(f"no curve named '{name}': choose one of {', '.join(CURVES)}")
    return CURVES.index(name)


@njit(nogil=True)
def inverse_proxy(curve: int, log_ratio: float, c: float) -> tuple[float, float, float]:
    """The inverse 1/g at ln(delta/s), which is -inf at zero, and its derivatives by ln s and ln c."""
    if log_ratio == -math.inf:
        return 1.0, 0.0, 0.0
    if curve == 2:  # ipb: w = (1 + delta/s)^c
        ratio = math.exp(log_ratio)
        grown = c * math.log1p(ratio)
        if grown > _LARGEST_EXPONENT:
            return LARGEST_INVERSE, 0.0, 0.0
        w = math.exp(grown)
        return w, -c * w * ratio / (1.0 + ratio), w * grown
    exponent = c * log_ratio
    if exponent > _LARGEST_EXPONENT:
        return LARGEST_INVERSE, 0.0, 0.0
    z = math.exp(exponent)
    w, slope = _of_power(curve, z)
    if w >= LARGEST_INVERSE:
        return LARGEST_INVERSE, 0.0, 0.0
    # z = (delta/s)^c, so dz/d(ln s) = -c z and dz/d(ln c) = c ln(delta/s) z.
    return w, -slope * c * z, slope * exponent * z


@njit(nogil=True)
def _of_power(curve: int, z: float) -> tuple[float, float]:
    """The inverse w and dw/dz of the curves that are functions of z = (delta/s)^c."""
    if curve == 1:  # ipa: 1 + z
        return 1.0 + z, 1.0
    if z > _LARGEST_EXPONENT + 2.0:
        return LARGEST_INVERSE, 0.0
    grown = math.exp(z)
    if curve == 0:  # inverse-exponential: e^z
        return grown, grown
    if curve == 3:  # secha: cosh z
        return (grown + 1 / grown) / 2, (grown - 1 / grown) / 2
    # sechb: (cosh z + 1) / 2
    return (grown + 2 + 1 / grown) / 4, (grown - 1 / grown) / 4
