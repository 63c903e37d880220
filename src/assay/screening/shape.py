"""Departures that are neither symmetric nor normal, made standard normal: the sinh-arcsinh distribution.

Jones and Pewsey (2009), *Sinh-arcsinh distributions*, Biometrika 96, 761-780: with

    z = sinh(exp(tail) arcsinh((d - middle) / exp(scale)) - skew)

standard normal, d has a middle, a scale, a skewness and tails of its own. A tail above zero makes them
lighter than normal ones, a skew above zero draws d to the right. Each of the four is a line over what is
known of a group, by maximum likelihood. Far out, where one in 1,000 is decided, few groups weigh little in
that: beyond FAR deviations either side is stretched once more by a factor of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from assay.decisions.arrays import Floats
from assay.errors import FitError

FAR = 2.0
"""Standard deviations beyond which tails have a factor of their own."""

DRAWN = 0.5
"""Numbers that few groups tell are drawn to zero, as if they were normal with this deviation."""

_STEPS = 5000


@dataclass(frozen=True, eq=False)
class Shape:
    """The lines of the four parameters: one number for each column of what is known of a group."""

    middle: Floats
    scale: Floats
    """Logarithms."""
    skew: Floats
    tail: Floats
    above: Floats
    """Logarithms of the factor by which departures beyond FAR are stretched."""
    below: Floats

    def standard(self, departure: Floats, wide: Floats, narrow: Floats) -> Floats:
        """Departures as standard normal ones; middle and scale follow `wide`, skew and tail `narrow`."""
        y = (departure - wide @ self.middle) * np.exp(-(wide @ self.scale))
        z = np.sinh(np.exp(narrow @ self.tail) * np.arcsinh(y) - narrow @ self.skew)
        factor = np.exp(np.where(z > 0, narrow @ self.above, narrow @ self.below))
        size = np.abs(z)
        return np.asarray(np.where(size > FAR, np.copysign(FAR + (size - FAR) * factor, z), z))


def fit_shape(departure: Floats, wide: Floats, narrow: Floats, weight: Floats) -> Shape:
    """The shape under which departures are most likely; some groups may count more than others."""
    k, j = wide.shape[1], narrow.shape[1]
    start = np.zeros(2 * k + 2 * j)
    if len(departure) <= len(start):
        raise FitError(f"{len(departure)} honest groups do not tell how departures vary: give more games")
    start[0], start[k] = np.average(departure, weights=weight), np.log(departure.std())
    # What middle and scale are at the centre is free; everything else is zero unless groups tell otherwise.
    ridge = np.full(len(start), 1 / (DRAWN**2 * len(departure)))
    ridge[[0, k]] = 0.0
    found = minimize(
        _loss,
        start,
        args=(departure, wide, narrow, weight / weight.sum(), ridge),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _STEPS},
    )
    if not (found.success and np.isfinite(found.x).all()):
        raise FitError(f"the shape of honest departures could not be fitted ({found.message})")
    nothing = np.zeros(j)
    middle, scale, skew, tail = np.split(found.x, [k, 2 * k, 2 * k + j])
    plain = Shape(middle, scale, skew, tail, nothing, nothing)
    z = plain.standard(departure, wide, narrow)
    return replace(plain, above=_stretched(z, narrow), below=_stretched(-z, narrow))


def _stretched(z: Floats, narrow: Floats) -> Floats:
    """Logarithms of the factor under which what is beyond FAR is as likely as can be for a normal tail."""
    beyond = z > FAR
    excess, known = z[beyond] - FAR, narrow[beyond]

    def loss(numbers: Floats) -> float:
        factor = known @ numbers
        drawn = np.square(numbers / DRAWN).sum() / 2
        return float(drawn + (np.square(FAR + excess * np.exp(factor)) / 2 - factor).sum())

    found = minimize(loss, np.zeros(narrow.shape[1]), method="L-BFGS-B")
    return np.asarray(found.x)


def _loss(
    numbers: Floats, departure: Floats, wide: Floats, narrow: Floats, weight: Floats, ridge: Floats
) -> tuple[float, Floats]:
    """Minus the mean log-likelihood, with what draws numbers to zero; and its gradient."""
    k, j = wide.shape[1], narrow.shape[1]
    middle, scale, skew, tail = np.split(numbers, [k, 2 * k, 2 * k + j])
    narrower = np.exp(-(wide @ scale))
    y = (departure - wide @ middle) * narrower
    root, bent, power = np.sqrt(1 + y * y), np.arcsinh(y), np.exp(narrow @ tail)
    # A step that leads far off is no better for being finite.
    u = np.clip(power * bent - narrow @ skew, -30, 30)
    z = np.sinh(u)
    likelihood = -z * z / 2 + np.log(np.cosh(u)) + narrow @ tail - np.log(root) - wide @ scale
    by_u = np.tanh(u) - z * np.cosh(u)
    by_y = by_u * power / root - y / (root * root)
    slopes = (
        wide.T @ (weight * -by_y * narrower),
        wide.T @ (weight * (-by_y * y - 1)),
        narrow.T @ (weight * -by_u),
        narrow.T @ (weight * (by_u * power * bent + 1)),
    )
    drawn = float(ridge @ np.square(numbers)) / 2
    return drawn - float(weight @ likelihood), ridge * numbers - np.concatenate(slopes)
