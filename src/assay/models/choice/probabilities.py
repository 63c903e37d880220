"""From proxies to probabilities, and sums of them over many turns.

Regan and Haworth 2011, section 3: p_i = p_0^(1/y_i) with sum 1 (`power`, the default), or p_i = y_i / sum y
(`share`, plain normalisation). With u = ln(1/p_0) and w_i = 1/y_i the first is one equation in u for each
turn: sum exp(-u w_i) = 1. Derivatives are by ln s and ln c.
"""

from __future__ import annotations

import math

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.compiled import njit
from assay.errors import InputError
from assay.models.choice.spreads import Spreads

CONVERSIONS = ("power", "share")
"""Conversions by name; the first is what the paper found better. Their places are the codes that kernels
take."""

UNITS = {
    "power": ((1.0, 1.0), (0.5, 1.75), (0.34, 1.55), (0.22, 0.67), (0.07, 0.6)),
    "share": ((0.48, 1.33), (0.49, 3.9), (1.55, 6.5), (0.19, 1.04), (0.094, 0.91)),
}
"""What (s, c) of each curve are beside those of the first, measured on the mileposts 1600 to 2700: bounds,
first guesses and pulls of a fit are placed by them."""

_NEGLIGIBLE = 40.0
_STEPS = 60


def conversion_code(name: str) -> int:
    """Place of a conversion in CONVERSIONS."""
    if name not in CONVERSIONS:
        raise InputError(f"no conversion named '{name}': choose one of {', '.join(CONVERSIONS)}")
    return CONVERSIONS.index(name)


def log_units(curve: str, conversion: str) -> Floats:
    """Logarithms of the units of s and c of a curve with a conversion."""
    conversion_code(conversion)
    return np.asarray(np.log(UNITS[conversion][curve_code(curve)]), dtype=np.float64)


@njit(nogil=True)
def solve_log_first(w: Floats, n: int, guess: float) -> float:
    """Solve sum exp(-u w_i) = 1 for u = ln(1/p_0), by Newton in v = ln u, kept within a bracket.

    The equation is written as ln(1 - p_0) = ln sum_{i>0} p_i, which loses nothing when p_0 is near one.
    w_0 is 1, the least.
    """
    least = w[1]
    for i in range(2, n):
        least = min(least, w[i])
    # All w are at least 1, so p_0 is at least 1/n; the other end is where one rival of this w alone would
    # put it.
    high = math.log(math.log(n)) + 1e-6
    low = -math.log(least) - 7.0
    v = guess if low < guess < high else 0.5 * (max(low, high - 4.0) + high)
    for _ in range(_STEPS):
        u = math.exp(v)
        total, moment = 0.0, 0.0
        for i in range(1, n):
            above = u * (w[i] - least)
            if above < _NEGLIGIBLE:
                term = math.exp(-above)
                total += term
                moment += w[i] * term
        rest = -math.expm1(-u)
        gap = math.log(rest) + u * least - math.log(total)
        if gap > 0.0:
            high = v
        else:
            low = v
        step = gap / (u * (1.0 - rest) / rest + u * moment / total)
        if abs(step) < 3e-6:  # Newton squares the error: what is left is below 1e-10
            return math.exp(v - step)
        v -= step
        if not low <= v <= high:
            v = 0.5 * (low + high)
    return math.exp(v)


@njit(nogil=True)
def turn_probabilities(  # type: ignore[no-untyped-def] # pragma: no cover
    curve, conversion, log_delta, log_s, c, guess, w, dw, p, dp
):
    """Fill p and dp (by ln s, ln c) for one turn; give ln u, the next guess for this turn.

    `w` (n), `dw` (n, 2), `p` (n) and `dp` (n, 2) are places to work in, at least as long as the turn.
    """
    n = len(log_delta)
    for i in range(n):
        w[i], dw[i, 0], dw[i, 1] = inverse_proxy(curve, log_delta[i] - log_s, c)
    if n == 1:
        p[0], dp[0, 0], dp[0, 1] = 1.0, 0.0, 0.0
        return guess
    if conversion == 1:
        _shares(n, w, dw, p, dp)
        return guess
    u = solve_log_first(w, n, guess)
    weight, by_s, by_c = 0.0, 0.0, 0.0
    for i in range(n):
        exponent = u * w[i]
        p[i] = math.exp(-exponent) if exponent < 700.0 else 0.0
        weight += p[i] * w[i]
        by_s += p[i] * dw[i, 0]
        by_c += p[i] * dw[i, 1]
    # sum p_i (w_i du + u dw_i) = 0 gives du; then dp_i = -p_i (w_i du + u dw_i).
    u_s, u_c = -u * by_s / weight, -u * by_c / weight
    for i in range(n):
        dp[i, 0] = -p[i] * (w[i] * u_s + u * dw[i, 0])
        dp[i, 1] = -p[i] * (w[i] * u_c + u * dw[i, 1])
    return math.log(u)


@njit(nogil=True)
def _shares(n: int, w: Floats, dw: Floats, p: Floats, dp: Floats) -> None:
    """Plain normalisation: p_i = (1/w_i) / sum (1/w_j)."""
    total, by_s, by_c = 0.0, 0.0, 0.0
    for i in range(n):
        p[i] = 1.0 / w[i]
        total += p[i]
    for i in range(n):
        p[i] /= total
        by_s += p[i] * dw[i, 0] / w[i]
        by_c += p[i] * dw[i, 1] / w[i]
    for i in range(n):
        dp[i, 0] = p[i] * (by_s - dw[i, 0] / w[i])
        dp[i, 1] = p[i] * (by_c - dw[i, 1] / w[i])


@njit(nogil=True)
def _all_turns(curve, conversion, turns, log_s, c, widest):  # type: ignore[no-untyped-def] # pragma: no cover
    log_delta, _, offsets, _ = turns
    w, dw = np.empty(widest), np.empty((widest, 2))
    p, dp = np.empty(widest), np.empty((widest, 2))
    flat = np.empty(len(log_delta))
    for t in range(len(offsets) - 1):
        a, b = offsets[t], offsets[t + 1]
        turn_probabilities(curve, conversion, log_delta[a:b], log_s, c, 0.0, w, dw, p, dp)
        flat[a:b] = p[: b - a]
    return flat


def probabilities(
    spreads: Spreads, s: float, c: float, curve: str = "inverse-exponential", conversion: str = "power"
) -> Floats:
    """Probability of every option of every turn, flat like the spreads: what the agent (s, c) would play."""
    if not (s > 0 and c > 0):
        raise InputError(f"sensitivity and consistency must be positive, not s={s:g}, c={c:g}")
    codes = curve_code(curve), conversion_code(conversion)
    return np.asarray(_all_turns(*codes, spreads.arrays, math.log(s), c, max(spreads.widest, 1)))


def play(spreads: Spreads, flat: Floats, seed: int | np.random.Generator) -> Spreads:
    """The same turns with choices drawn from the probabilities of their options: an agent at play."""
    reached = np.concatenate(([0.0], np.cumsum(flat)))
    low, high = reached[spreads.offsets[:-1]], reached[spreads.offsets[1:]]
    drawn = low + np.random.default_rng(seed).random(len(spreads)) * (high - low)
    place = np.searchsorted(reached, drawn, side="right") - 1 - spreads.offsets[:-1]
    return spreads.replayed(np.clip(place, 0, np.diff(spreads.offsets) - 1))


# The family of curves (section 4) ------------------------------------------------------------------------
#
# y = g(delta) with g(0) = 1, falling, from two parameters: sensitivity `s` (the unit of delta) and
# consistency `c` (the exponent). The conversion into probabilities needs w = 1/y and its derivatives.

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
