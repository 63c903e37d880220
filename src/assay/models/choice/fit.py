"""Fits of (s, c) to the choices made, on the decisions themselves or on sums over them (profiles).

Regan and Haworth 2011, section 6: percentile method, maximum likelihood, matching of two averages. All work
in (ln s, ln c), within bounds, with analytic gradients. With few decisions the two parameters run away
together, so `Pull` shrinks them towards a line with a stated weight.

`fit_choice` fits the decisions: it raises FitError where it does not converge, or runs into a bound. A
profile holds the sums on a `ChoiceGrid` of (s, c). They add up over games, so a resample of games is a
weighted sum; between the nodes they follow a cubic spline, and `fit_grids` takes the Gauss-Newton steps of
all fits of a batch together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats, Ints
from assay.errors import FitError, InputError
from assay.models.choice.probabilities import CONVERSIONS, CURVES, log_units
from assay.models.choice.sums import (
    AGREEMENT,
    DIFFERENCE,
    LIKELIHOOD,
    N_PAIRS,
    N_ROWS,
    PERCENTILES,
    Summaries,
    up_products,
)
from assay.models.intervals import student, variance_correction

METHODS = ("percentile", "likelihood", "matching")

S_BOUNDS = (0.01, 1.5)
C_BOUNDS = (0.1, 1.6)
"""Where s and c are sought, in units of the curve; the paper's lie within .07 to .17 and .43 to .55."""

PRODUCT_NODES: Floats = np.log([[0.05, 0.5], [0.1, 0.5], [0.2, 0.5], [0.4, 0.5]])
"""Points (ln s, ln c), in units of the curve, at which products of up-shares are summed: these vary little
with s and hardly with c."""

_START = (0.15, 0.4)
_STEPS = 80
_SETTLED = 0.9


def log_bounds(curve: str, conversion: str) -> Floats:
    """Bounds of ln s and ln c for a curve: one row each, low and high."""
    bounds = np.log(np.array([S_BOUNDS, C_BOUNDS])) + log_units(curve, conversion)[:, None]
    return np.asarray(bounds, dtype=np.float64)


@dataclass(frozen=True)
class Pull:
    """A line ln c = intercept + slope ln s, and how much it weighs.

    The pull adds (weight / decisions) (ln c - line)^2 to the mean objective: it fades as decisions come in.
    The default line and its scatter are those of the mileposts 1600 to 2700.
    """

    weight: float = 0.0
    intercept: float = -0.7
    slope: float = 0.0
    scatter: float = 0.1
    """Standard deviation of ln c about the line: what the pull may hide, added to intervals."""

    def off(self, log_s: Any, log_c: Any) -> Any:
        """How far points are above the line."""
        return log_c - self.intercept - self.slope * log_s

    @property
    def direction(self) -> Floats:
        """Derivative of `off` by ln s and ln c."""
        return np.array([-self.slope, 1.0])

    def __str__(self) -> str:
        if self.weight == 0:
            return "no pull"
        line = f"ln c = {self.intercept:g} {self.slope:+g} ln s"
        return f"pull {self.weight:g} to {line}, scatter {self.scatter:g}"


@dataclass(frozen=True, kw_only=True)
class ChoiceFit:
    """The agent that fits best: its parameters, and how the fit went."""

    s: float
    c: float
    method: str
    decisions: int


def fit_choice(
    summaries: Summaries,
    method: str = "percentile",
    *,
    c: float | None = None,
    pull: Pull | None = None,
) -> ChoiceFit:
    """The (s, c) that fits best; with `c` given, s alone (the second of the paper's two steps)."""
    if method not in METHODS:
        raise InputError(f"no fit named '{method}': choose one of {', '.join(METHODS)}")
    n = len(summaries.spreads)
    if not n:
        raise InputError("no decisions to fit: check the selection")
    curve = summaries.curve, summaries.conversion
    low, high = np.exp(log_bounds(*curve)[1])
    if c is not None and not low <= c <= high:
        raise InputError(f"the consistency c must be from {low:.3g} to {high:.3g}, not {c:g}")
    free = slice(0, 2) if c is None else slice(0, 1)
    bounds, start = log_bounds(*curve)[free], np.log(np.array(_START)) + log_units(*curve)
    x = _solve(summaries, method, pull or Pull(), c, start[free], bounds)
    if (np.abs(x[:, None] - bounds) < 1e-4).any():
        raise FitError(
            f"the fit ran into the bounds of s or c: {n} decisions do not determine both; "
            "give more decisions, fix c, or pull them towards the line of the mileposts"
        )
    return ChoiceFit(
        s=math.exp(x[0]),
        c=math.exp(x[1]) if c is None else c,
        method=method,
        decisions=n,
    )


def _solve(
    summaries: Summaries, method: str, pull: Pull, c: float | None, start: Floats, bounds: Floats
) -> Floats:
    from scipy.optimize import least_squares, minimize

    turns, n = summaries.spreads, len(summaries.spreads)
    actual = np.array([np.mean(turns.played == 0), np.mean(turns.lost)])
    free = slice(0, len(start))
    last: dict[tuple[float, float], Floats] = {}

    def mean_summary(x: Floats) -> tuple[Floats, tuple[float, float]]:
        """Each point is evaluated once, though its residuals and their derivatives are asked for apart."""
        point = (float(x[0]), float(x[1]) if c is None else math.log(c))
        if point not in last:
            last.clear()
            last[point] = summaries.at(*point) / n
        return last[point], point

    def residuals(x: Floats) -> Floats:
        """What a fit brings to zero, with derivatives, the pull's row last. R_q - q; or mm, then ad."""
        mean, point = mean_summary(x)
        rows = mean[: len(PERCENTILES)] if method == "percentile" else mean[[AGREEMENT, DIFFERENCE]]
        target = PERCENTILES if method == "percentile" else actual
        pulled = math.sqrt(pull.weight / n) * np.array([pull.off(*point), *pull.direction])
        return np.vstack((rows - np.column_stack((target, np.zeros((len(target), 2)))), pulled))

    def mean_surprise(x: Floats) -> tuple[float, Floats]:
        """Mean -ln p of the played options with its gradient, the pull included."""
        mean, point = mean_summary(x)
        off, weight = pull.off(*point), pull.weight / n
        gradient = -mean[LIKELIHOOD, 1:] + 2 * weight * off * pull.direction
        return float(-mean[LIKELIHOOD, 0] + weight * off**2), gradient[free]

    if method == "likelihood":
        options = {"gtol": 1e-7, "ftol": 1e-13}
        fit = minimize(mean_surprise, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    else:
        fit = least_squares(
            lambda x: residuals(x)[:, 0],
            start,
            jac=lambda x: residuals(x)[:, 1:][:, free],
            bounds=bounds.T,
            xtol=1e-6,
            ftol=1e-10,
            gtol=1e-12,
            max_nfev=60,
        )
    if not fit.success:
        raise FitError(f"the {method} fit did not converge ({fit.message}): more decisions are needed")
    return np.asarray(fit.x)


# Sums on a grid ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChoiceGrid:
    """Nodes in ln s and ln c, evenly spaced over the bounds of the fits, and the evidence that lies on them.

    Evidence is one long additive row: summaries on the grid, products of up-shares at PRODUCT_NODES, the
    number of first choices, the sum of scaled differences.
    """

    n_s: int = 10
    n_c: int = 7
    curve: str = CURVES[0]
    conversion: str = CONVERSIONS[0]

    @cached_property
    def bounds(self) -> Floats:
        """Bounds of (ln s, ln c): rows low and high."""
        return log_bounds(self.curve, self.conversion).T

    @cached_property
    def log_s(self) -> Floats:
        """Nodes in ln s."""
        return np.linspace(self.bounds[0, 0], self.bounds[1, 0], self.n_s)

    @cached_property
    def log_c(self) -> Floats:
        """Nodes in ln c."""
        return np.linspace(self.bounds[0, 1], self.bounds[1, 1], self.n_c)

    @cached_property
    def _bases(self) -> tuple[Any, ...]:
        """What each node contributes in between, along ln s and along ln c, and the slopes of that."""
        from scipy.interpolate import make_interp_spline

        # Interpolation is linear in the counts: the spline of the identity gives every node's own curve.
        bases = [make_interp_spline(nodes, np.eye(len(nodes)), k=3) for nodes in (self.log_s, self.log_c)]
        return (*bases, *(basis.derivative() for basis in bases))

    def at(self, table: Floats, points: Floats) -> Floats:
        """Value and derivatives by ln s and ln c of each row of each table at its point.

        `table` is (batch, rows, n_s, n_c), `points` (batch, 2); the answer is (batch, rows, 3).
        """
        by_s, by_c, slope_s, slope_c = self._bases
        c_side = np.stack((by_c(points[:, 1]), slope_c(points[:, 1])), axis=-1)
        s_side = np.stack((by_s(points[:, 0]), slope_s(points[:, 0])), axis=-1)
        half = table @ c_side[:, None]
        whole = np.swapaxes(half, -1, -2) @ s_side[:, None]
        # whole[..., i, j]: i-th derivative by ln c, j-th by ln s.
        return np.stack((whole[..., 0, 0], whole[..., 0, 1], whole[..., 1, 0]), axis=-1)

    # Evidence ------------------------------------------------------------------------------------------

    @property
    def _n_sums(self) -> int:
        return N_ROWS * self.n_s * self.n_c

    @property
    def size(self) -> int:
        """Length of a row of evidence."""
        return self._n_sums + len(PRODUCT_NODES) * N_PAIRS + 2

    @cached_property
    def product_nodes(self) -> Floats:
        """Points at which products are summed."""
        return PRODUCT_NODES + log_units(self.curve, self.conversion)

    def collect(self, summaries: Summaries, group: Ints, n_groups: int) -> Floats:
        """One row of evidence for each group of turns."""
        turns = summaries.spreads
        first = np.bincount(group, (turns.played == 0).astype(np.float64), minlength=n_groups)
        lost = np.bincount(group, turns.lost, minlength=n_groups)
        counts = summaries.on_grid(self.log_s, self.log_c, group, n_groups)
        products = up_products(summaries, self.product_nodes, group, n_groups)
        return np.column_stack((counts.reshape(n_groups, -1), products.reshape(n_groups, -1), first, lost))

    def tables(self, evidence: Floats) -> Floats:
        """The summaries on the grid of a batch of rows: (batch, rows, n_s, n_c)."""
        return evidence[:, : self._n_sums].reshape(len(evidence), N_ROWS, self.n_s, self.n_c)

    def covariance(self, evidence: Floats, point: Floats) -> Floats:
        """Covariance of the up-shares of one turn at a point: straight lines in ln s between the nodes."""
        log_s = self.product_nodes[:, 0]
        place = np.clip(point[0], log_s[0], log_s[-1])
        after = min(int(np.searchsorted(log_s, place, side="right")), len(log_s) - 1)
        share = float((place - log_s[after - 1]) / (log_s[after] - log_s[after - 1]))
        products = evidence[self._n_sums : -2].reshape(len(PRODUCT_NODES), N_PAIRS)
        before, behind = (self._covariance(products[node]) for node in (after - 1, after))
        return (1 - share) * before + share * behind

    def _covariance(self, products: Floats) -> Floats:
        n = len(PERCENTILES) + 1
        matrix = np.zeros((n, n))
        matrix[np.tril_indices(n)] = products
        # The last share is one in every turn: its products are the sums, and the number of turns.
        mean = matrix[-1, :-1] / matrix[-1, -1]
        lower = matrix[:-1, :-1] / matrix[-1, -1]
        return np.asarray(lower + np.tril(lower, -1).T - np.outer(mean, mean))


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

    def rows_at(points: Floats) -> Floats:
        """Residuals with derivatives, (batch, percentiles + 1, 3)."""
        off = pull.off(points[:, 0], points[:, 1])
        pulled = np.column_stack((off, np.full(len(off), -pull.slope), np.ones(len(off)))) * weight[:, None]
        return np.concatenate((grid.at(shares, points), pulled[:, None, :]), axis=1)

    def cost(rows: Floats) -> Floats:
        return np.asarray(np.square(rows[..., 0]).sum(axis=1), dtype=np.float64)

    # Each fit starts at the inner node with the least cost.
    off = pull.off(grid.log_s[:, None], grid.log_c[None, :])
    at_nodes = np.square(shares).sum(axis=1) + np.square(weight[:, None, None] * off)
    inner = at_nodes[:, 1:-1, 1:-1].reshape(len(shares), -1).argmin(axis=1)
    i, j = np.unravel_index(inner, (grid.n_s - 2, grid.n_c - 2))
    points = np.column_stack((grid.log_s[i + 1], grid.log_c[j + 1]))
    rows = rows_at(points)
    damping = np.full(len(points), 1e-3)
    done = np.zeros(len(points), dtype=bool)
    low, high = grid.bounds
    for _ in range(_STEPS):
        trial = np.clip(points + _steps(rows, damping), low, high)
        trial_rows = rows_at(trial)
        better = cost(trial_rows) <= cost(rows)
        moved = np.abs(trial - points).max(axis=1)
        points = np.where(better[:, None], trial, points)
        rows = np.where(better[:, None, None], trial_rows, rows)
        damping = np.clip(np.where(better, damping / 5, damping * 8), 1e-9, 1e9)
        done |= moved < 1e-6
        if done.all():
            break
    inside = ((points - low > 1e-4) & (high - points > 1e-4)).all(axis=1)
    return GridFits(points, rows, done, inside)


def _steps(rows: Floats, damping: Floats) -> Floats:
    """Levenberg's damped Gauss-Newton steps."""
    jacobian, off = rows[..., 1:], rows[..., 0]
    normal = np.swapaxes(jacobian, 1, 2) @ jacobian
    trace = np.trace(normal, axis1=1, axis2=2)[:, None, None]
    damped = normal + (damping[:, None, None] * trace + 1e-15) * np.eye(2)
    gradient = np.swapaxes(jacobian, 1, 2) @ off[..., None]
    return -np.linalg.solve(damped, gradient)[..., 0]


# How far (ln s, ln c) may be off -------------------------------------------------------------------------


def sandwich(rows: Floats, covariance: Floats, decisions: float, pull: Pull) -> Floats:
    """Covariance of (ln s, ln c) of a percentile fit, turns independent.

    `rows` are the residuals with derivatives, the pull's last; `covariance` is that of the up-shares of one
    turn. With H the normal matrix and V that covariance: H^-1 J' V J H^-1 / decisions; and what the pull
    may hide, for an agent that is off the line by its scatter.
    """
    across = _inverse(rows) @ rows[:-1, 1:].T
    return across @ covariance @ across.T / decisions + hidden(rows, decisions, pull)


def hidden(rows: Floats, decisions: float, pull: Pull) -> Floats:
    """Covariance from not knowing how far the agent is off the line that the pull shrinks it towards."""
    shift = _inverse(rows) @ rows[-1, 1:] * math.sqrt(pull.weight / decisions) * pull.scatter
    return np.outer(shift, shift)


def _inverse(rows: Floats) -> Floats:
    jacobian, pulled = rows[:-1, 1:], rows[-1, 1:]
    return np.asarray(np.linalg.inv(jacobian.T @ jacobian + np.outer(pulled, pulled)), dtype=np.float64)


def by_games(fits: GridFits, games: int) -> tuple[Floats, float]:
    """Covariance of (ln s, ln c) over resampled games, and the quantile of Student's t that goes with it.

    The first fit of the batch is that of all games.
    """
    settled = fits.converged[1:]
    if settled.mean() < _SETTLED:
        raise FitError("too many resamples did not converge: give more games")
    points = fits.points[1:][settled]
    off = points - points.mean(axis=0)
    return off.T @ off / len(points) * variance_correction(games), student(games)
