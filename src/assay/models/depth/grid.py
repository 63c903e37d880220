"""Log-likelihood on a grid of agents, interpolated between them, and the posterior over their parameters.

The prior is flat over the grid in c, the logit of sight, and rise. The log-likelihood of any number of
decisions is smooth on the scale of the grid, its exponential is not: the logarithm is interpolated by cubic
splines in the box where the probability lies, which is drawn closer until it is resolved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from assay.decisions.arrays import Floats
from assay.errors import InputError

NAMES = ("c", "logit", "rise")

AXES = (np.linspace(0.5, 9.0, 17), np.linspace(-6.0, 2.0, 10), np.linspace(-2.0, 6.0, 10))
"""Consistency c from 0.5 to 9; logit of the share at sight from -6 (nothing) to 2; rise from -2 to 6."""

_SPLINES = tuple(CubicSpline(axis, np.eye(len(axis))) for axis in AXES)
"""What each node of an axis contributes between the nodes."""

SHAPE = tuple(len(axis) for axis in AXES)

_NEGLIGIBLE = 10.0
"""Points whose likelihood is below exp(-10) of the largest are outside the box."""

_FINE = 41


@dataclass(frozen=True, eq=False)
class AgentPosterior:
    """Probability of the points of a box of agents."""

    axes: tuple[Floats, Floats, Floats]
    mass: Floats

    @cached_property
    def margins(self) -> tuple[Floats, Floats, Floats]:
        """Probability along each axis."""
        return self.mass.sum((1, 2)), self.mass.sum((0, 2)), self.mass.sum((0, 1))

    @property
    def mean(self) -> Floats:
        """Mean of c, the logit of sight, and rise."""
        return np.array([margin @ axis for margin, axis in zip(self.margins, self.axes, strict=True)])

    @property
    def deviation(self) -> Floats:
        """Their standard deviations."""
        pairs = zip(self.margins, self.axes, self.mean, strict=True)
        return np.sqrt([margin @ np.square(axis - mean) for margin, axis, mean in pairs])

    def region(self, level: float = 0.95) -> Floats:
        """Equal-tailed credible regions, shape (3, 2)."""
        ends = [(1 - level) / 2, (1 + level) / 2]
        return np.array([_quantiles(*pair, ends) for pair in zip(self.axes, self.margins, strict=True)])

    def region_of(self, function: Callable[[Floats, Floats], Floats], level: float = 0.95) -> Floats:
        """Mean, deviation and region of a function of (logit of sight, rise): shape (4,)."""
        values = function(self.axes[1][:, None], self.axes[2][None, :]).ravel()
        mass = self.mass.sum(axis=0).ravel()
        order = np.argsort(values)
        low, high = np.interp([(1 - level) / 2, (1 + level) / 2], np.cumsum(mass[order]), values[order])
        mean = float(mass @ values)
        return np.array([mean, np.sqrt(mass @ np.square(values - mean)), low, high])


def interpolation(points: Floats) -> Floats:
    """What each agent of the grid contributes to the log-likelihood at some parameters: (points, grid)."""
    bounded = [np.clip(points[:, k], axis[0], axis[-1]) for k, axis in enumerate(AXES)]
    c, logit, rise = (spline(fine) for spline, fine in zip(_SPLINES, bounded, strict=True))
    both = c[:, :, None, None] * logit[:, None, :, None] * rise[:, None, None, :]
    return np.asarray(both.reshape(len(points), -1))


def at(evidence: Floats, points: Floats) -> Floats:
    """Log-likelihood at some parameters, interpolated: evidence (..., grid), points (n, 3) give (..., n)."""
    return np.asarray(evidence @ interpolation(points).T)


def resolve(evidence: Floats) -> AgentPosterior:
    """The posterior from log-likelihoods on the grid, however narrow it is."""
    if not np.isfinite(evidence).all():
        raise InputError("a posterior needs a finite log-likelihood at every agent of the grid")
    box = [(axis[0], axis[-1]) for axis in AXES]
    for _ in range(12):
        axes = tuple(np.linspace(low, high, _FINE) for low, high in box)
        c, logit, rise = (spline(fine) for spline, fine in zip(_SPLINES, axes, strict=True))
        found = np.einsum("nc,ml,kr,clr->nmk", c, logit, rise, evidence.reshape(SHAPE), optimize=True)
        likely = found >= found.max() - _NEGLIGIBLE
        closer = []
        for k, fine in enumerate(axes):
            there = np.flatnonzero(likely.any(axis=tuple({0, 1, 2} - {k})))
            closer.append((fine[max(there[0] - 1, 0)], fine[min(there[-1] + 1, _FINE - 1)]))
        if all(b - a > 0.7 * (high - low) for (a, b), (low, high) in zip(closer, box, strict=True)):
            break
        box = closer
    weight = np.exp(found - found.max())
    for k in range(3):
        ends = [slice(None)] * 3
        ends[k] = np.array([0, -1])  # type: ignore[call-overload]
        weight[tuple(ends)] /= 2
    return AgentPosterior(axes, weight / weight.sum())  # type: ignore[arg-type]


def _quantiles(axis: Floats, mass: Floats, levels: list[float]) -> Floats:
    density = mass.copy()
    density[[0, -1]] *= 2  # the outer points stand for half a step
    between = (density[1:] + density[:-1]) / 2
    reached = np.concatenate(([0.0], np.cumsum(between)))
    return np.interp(levels, reached / reached[-1], axis)
