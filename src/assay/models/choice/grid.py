"""Percentile fits from counts on a grid of (s, c): many at once, without the decisions.

Counts add up over games, so a resample of games is a weighted sum of grids. Between the nodes counts follow
a cubic spline in (ln s, ln c), and all fits of a batch take their Gauss-Newton steps together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.interpolate import BSpline, make_interp_spline

from assay.decisions.arrays import Floats
from assay.models.choice.curves import CURVES
from assay.models.choice.percentile import Pull, log_bounds
from assay.models.choice.probabilities import CONVERSIONS
from assay.models.choice.sums import PERCENTILES

_STEPS = 80


@dataclass(frozen=True)
class ChoiceGrid:
    """Nodes in ln s and ln c, evenly spaced over the bounds of the fits."""

    n_s: int = 10
    n_c: int = 7
    curve: str = CURVES[0]
    conversion: str = CONVERSIONS[0]

    @cached_property
    def log_s(self) -> Floats:
        """Nodes in ln s."""
        return np.linspace(self.bounds[0, 0], self.bounds[1, 0], self.n_s)

    @cached_property
    def log_c(self) -> Floats:
        """Nodes in ln c."""
        return np.linspace(self.bounds[0, 1], self.bounds[1, 1], self.n_c)

    @cached_property
    def bounds(self) -> Floats:
        """Bounds of (ln s, ln c): rows low and high."""
        return log_bounds(self.curve, self.conversion).T

    @cached_property
    def _bases(self) -> tuple[BSpline, BSpline]:
        # Interpolation is linear in the counts: the spline of the identity gives every node's own curve.
        return tuple(make_interp_spline(nodes, np.eye(len(nodes)), k=3) for nodes in (self.log_s, self.log_c))

    @cached_property
    def _slopes(self) -> tuple[BSpline, BSpline]:
        return tuple(basis.derivative() for basis in self._bases)

    def at(self, table: Floats, points: Floats) -> Floats:
        """Value and derivatives by ln s and ln c of each row of each table at its point.

        `table` is (batch, rows, n_s, n_c), `points` (batch, 2); the answer is (batch, rows, 3).
        """
        (by_s, by_c), (slope_s, slope_c) = self._bases, self._slopes
        c_side = np.stack((by_c(points[:, 1]), slope_c(points[:, 1])), axis=-1)
        s_side = np.stack((by_s(points[:, 0]), slope_s(points[:, 0])), axis=-1)
        half = table @ c_side[:, None]
        whole = np.swapaxes(half, -1, -2) @ s_side[:, None]
        # whole[..., i, j]: i-th derivative by ln c, j-th by ln s.
        return np.stack((whole[..., 0, 0], whole[..., 0, 1], whole[..., 1, 0]), axis=-1)


@dataclass(frozen=True, eq=False)
class GridFits:
    """A batch of fits: points (ln s, ln c), residuals with derivatives there, and which converged inside."""

    points: Floats
    rows: Floats
    converged: npt.NDArray[np.bool_]
    inside: npt.NDArray[np.bool_]


def fit_grids(grid: ChoiceGrid, counts: Floats, decisions: Floats, pull: Pull) -> GridFits:
    """Percentile fit of each table of up-counts (batch, percentiles, n_s, n_c), with the pull's row last."""
    shares = counts / decisions[:, None, None, None] - PERCENTILES[None, :, None, None]
    weight = np.sqrt(pull.weight / decisions)
    points = _best_nodes(grid, shares, weight, pull)
    rows = _rows(grid, shares, points, weight, pull)
    damping = np.full(len(points), 1e-3)
    done = np.zeros(len(points), dtype=bool)
    low, high = grid.bounds
    for _ in range(_STEPS):
        trial = np.clip(points + _steps(rows, damping), low, high)
        trial_rows = _rows(grid, shares, trial, weight, pull)
        better = _cost(trial_rows) <= _cost(rows)
        moved = np.abs(trial - points).max(axis=1)
        points = np.where(better[:, None], trial, points)
        rows = np.where(better[:, None, None], trial_rows, rows)
        damping = np.clip(np.where(better, damping / 5, damping * 8), 1e-9, 1e9)
        done |= moved < 1e-6
        if done.all():
            break
    inside = ((points - low > 1e-4) & (high - points > 1e-4)).all(axis=1)
    return GridFits(points, rows, done, inside)


def _rows(grid: ChoiceGrid, shares: Floats, points: Floats, weight: Floats, pull: Pull) -> Floats:
    """Residuals with derivatives, (batch, percentiles + 1, 3)."""
    found = grid.at(shares, points)
    off = points[:, 1] - pull.intercept - pull.slope * points[:, 0]
    pulled = np.column_stack((off, np.full(len(off), -pull.slope), np.ones(len(off)))) * weight[:, None]
    return np.concatenate((found, pulled[:, None, :]), axis=1)


def _cost(rows: Floats) -> Floats:
    return np.asarray(np.square(rows[..., 0]).sum(axis=1), dtype=np.float64)


def _steps(rows: Floats, damping: Floats) -> Floats:
    """Levenberg's damped Gauss-Newton steps."""
    jacobian, off = rows[..., 1:], rows[..., 0]
    normal = np.swapaxes(jacobian, 1, 2) @ jacobian
    trace = np.trace(normal, axis1=1, axis2=2)[:, None, None]
    damped = normal + (damping[:, None, None] * trace + 1e-15) * np.eye(2)
    gradient = np.swapaxes(jacobian, 1, 2) @ off[..., None]
    return -np.linalg.solve(damped, gradient)[..., 0]


def _best_nodes(grid: ChoiceGrid, shares: Floats, weight: Floats, pull: Pull) -> Floats:
    """The inner node with the least cost, where each fit starts."""
    off = grid.log_c[None, :] - pull.intercept - pull.slope * grid.log_s[:, None]
    cost = np.square(shares).sum(axis=1) + np.square(weight[:, None, None] * off)
    inner = cost[:, 1:-1, 1:-1].reshape(len(cost), -1).argmin(axis=1)
    i, j = np.unravel_index(inner, (grid.n_s - 2, grid.n_c - 2))
    return np.column_stack((grid.log_s[i + 1], grid.log_c[j + 1]))
