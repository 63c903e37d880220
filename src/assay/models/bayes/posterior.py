"""A posterior over one skill on a grid (Di Fatta, Haworth, Regan 2009, section IV).

The prior is flat over the grid: Eq. 3 applied to one decision after another, Eq. 4, is the sum of their
log-likelihoods, exponentiated and normalised at the end, where nothing can underflow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError

_NEGLIGIBLE = 40.0
"""Points whose likelihood is below exp(-40) of the largest hold no probability worth a thought."""

_RESOLVED = 8.0
"""A posterior is resolved when its deviation is this many steps of the grid."""

_FINE = 512
"""Steps across the range that matters, where a posterior is narrower than the grid can show."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Probability density of the skill c at the points of an even grid."""

    c: Floats
    density: Floats
    """Density at each point; its integral (trapezoids) is one."""

    @classmethod
    def of(cls, c: Floats, log_likelihood: Floats) -> Posterior:
        """The posterior from a flat prior over the range of `c`."""
        if len(c) < 2 or not np.isfinite(log_likelihood).all():
            raise InputError("a posterior needs a finite log-likelihood at two or more values of c")
        density = np.exp(log_likelihood - log_likelihood.max())
        return cls(c, density / np.trapezoid(density, c))

    @cached_property
    def mass(self) -> Floats:
        """Probability of each point: density times the width that the point stands for."""
        mass = self.density * (self.c[1] - self.c[0])
        mass[[0, -1]] /= 2
        return np.asarray(mass / mass.sum(), dtype=np.float64)

    @property
    def mean(self) -> float:
        """The apparent skill."""
        return float(self.mass @ self.c)

    @property
    def deviation(self) -> float:
        """Standard deviation: the uncertainty of the apparent skill."""
        return float(np.sqrt(self.mass @ np.square(self.c - self.mean)))

    def quantile(self, probability: npt.ArrayLike) -> Floats:
        """Values of c below which the given probabilities lie."""
        between = (self.density[1:] + self.density[:-1]) / 2
        cumulative = np.concatenate(([0.0], np.cumsum(between)))
        rising = np.concatenate(([True], np.diff(cumulative) > 0))
        return np.interp(
            np.asarray(probability, np.float64), cumulative[rising] / cumulative[-1], self.c[rising]
        )

    def region(self, level: float = 0.95) -> tuple[float, float]:
        """The credible region with equal probability beyond either end."""
        low, high = self.quantile([(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


def resolve(c: Floats, log_likelihood: Floats) -> Posterior:
    """The posterior from a log-likelihood on a fixed grid, however narrow it is.

    The log-likelihood of any number of decisions is smooth on the scale of the grid, its exponential is
    not: between the points the logarithm is interpolated by a cubic spline, where it matters.
    """
    coarse = Posterior.of(c, log_likelihood)
    step = float(c[1] - c[0])
    if coarse.deviation >= _RESOLVED * step:
        return coarse
    first, last = _range_that_matters(log_likelihood)
    begin, end = max(first - 6, 0), min(last + 7, len(c))
    fine = np.linspace(c[first], c[last], _FINE + 1)
    spline = CubicSpline(c[begin:end], log_likelihood[begin:end])
    return Posterior.of(fine, spline(fine))


def adaptive_posterior(
    log_likelihood: Callable[[Floats], Floats], low: float, high: float, step: float = 0.1
) -> Posterior:
    """The posterior by section IV.A: a wide range and a coarse step, narrowed and refined until resolved.

    `log_likelihood` gives the log-likelihood at the points of any even grid.
    """
    for _ in range(60):
        n_steps = max(2, round((high - low) / step))
        c = np.linspace(low, high, n_steps + 1)
        found = log_likelihood(c)
        posterior = Posterior.of(c, found)
        step = float(c[1] - c[0])
        if posterior.deviation >= _RESOLVED * step:
            return posterior
        first, last = _range_that_matters(found)
        low, high, step = float(c[first]), float(c[last]), step / 4
    raise FitError("the posterior over c could not be resolved: its deviation is below any step of the grid")


def _range_that_matters(log_likelihood: Floats) -> tuple[int, int]:
    """First and last point of the range that holds the probability, one point wider on either side."""
    matters = np.flatnonzero(log_likelihood >= log_likelihood.max() - _NEGLIGIBLE)
    return max(int(matters[0]) - 1, 0), min(int(matters[-1]) + 1, len(log_likelihood) - 1)
