"""Fits of (s, c) to the choices made: percentile method, maximum likelihood, matching of two averages.

Regan and Haworth 2011, section 6. All three work in (ln s, ln c), within bounds, with analytic gradients.
With few decisions the two parameters run away together, so `Pull` draws them towards a line with a stated
weight. A fit that did not converge, or that ran into a bound, raises FitError.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.interpolate import BSpline, make_interp_spline
from scipy.optimize import least_squares, minimize

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError
from assay.models.choice.probabilities import CONVERSIONS, CURVES, log_units
from assay.models.choice.sums import AGREEMENT, DIFFERENCE, LIKELIHOOD, PERCENTILES, Summaries
from assay.models.intervals import student, variance_correction

METHODS = ("percentile", "likelihood", "matching")

S_BOUNDS = (0.01, 1.5)
C_BOUNDS = (0.1, 1.6)
"""Where s and c are sought, in units of the curve; the paper's lie within .07 to .17 and .43 to .55."""

_START = (0.15, 0.4)


def log_bounds(curve: str, conversion: str) -> Floats:
    """Bounds of ln s and ln c for a curve: one row each, low and high."""
    bounds = np.log(np.array([S_BOUNDS, C_BOUNDS])) + log_units(curve, conversion)[:, None]
    return np.asarray(bounds, dtype=np.float64)


@dataclass(frozen=True)
class Pull:
    """A line ln c = intercept + slope ln s, and how much it weighs.

    The pull adds (weight / decisions) (ln c - line)^2 to the mean objective: it fades as decisions come in.
    The default line and its scatter are those of the mileposts 1600 to 2700 (docs/reproduction/choice.md).
    """

    weight: float = 0.0
    intercept: float = -0.7
    slope: float = 0.0
    scatter: float = 0.1
    """Standard deviation of ln c about the line: what the pull may hide, added to intervals."""

    def off(self, log_s: float, log_c: float) -> float:
        """How far a point is above the line."""
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
    objective: float
    """Sum of squares, or mean -ln p; the pull included."""
    evaluations: int
    decisions: int


def residuals(summary: Floats, method: str, decisions: int, agreement: float, lost: float) -> Floats:
    """What a fit brings to zero: (rows, 3) with derivatives. Percentile: R_q - q. Matching: mm, then ad."""
    mean = summary / decisions
    if method == "percentile":
        rows = mean[: len(PERCENTILES)].copy()
        rows[:, 0] -= PERCENTILES
        return rows
    rows = mean[[AGREEMENT, DIFFERENCE]]
    rows[:, 0] -= (agreement, lost)
    return rows


@dataclass(eq=False)
class _Problem:
    """One fit under way: the residuals or the objective at a point, each point evaluated once."""

    summaries: Summaries
    method: str
    pull: Pull
    log_c: float | None
    _at: tuple[float, float] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        turns = self.summaries.spreads
        self.agreement = float(np.mean(turns.played == 0))
        self.lost = float(np.mean(turns.lost))
        self.free = slice(0, 2) if self.log_c is None else slice(0, 1)

    def _summary(self, x: Floats) -> tuple[Floats, tuple[float, float]]:
        point = (float(x[0]), float(x[1]) if self.log_c is None else self.log_c)
        if point != self._at:
            self._found, self._at = self.summaries.at(*point), point
        return self._found, point

    def rows(self, x: Floats) -> Floats:
        """Residuals with derivatives by the free parameters, the pull's row last."""
        summary, point = self._summary(x)
        n = len(self.summaries.spreads)
        found = residuals(summary, self.method, n, self.agreement, self.lost)
        weight = math.sqrt(self.pull.weight / n)
        pulled = weight * np.array([self.pull.off(*point), *self.pull.direction])
        return np.vstack((found, pulled))

    def mean_surprise(self, x: Floats) -> tuple[float, Floats]:
        """Mean -ln p of the played options with its gradient, the pull included."""
        summary, point = self._summary(x)
        n = len(self.summaries.spreads)
        off, weight = self.pull.off(*point), self.pull.weight / n
        gradient = -summary[LIKELIHOOD, 1:] / n + 2 * weight * off * self.pull.direction
        return float(-summary[LIKELIHOOD, 0] / n + weight * off**2), gradient[self.free]


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
    if not len(summaries.spreads):
        raise InputError("no decisions to fit: check the selection")
    curve = summaries.curve, summaries.conversion
    low, high = np.exp(log_bounds(*curve)[1])
    if c is not None and not low <= c <= high:
        raise InputError(f"the consistency c must be from {low:.3g} to {high:.3g}, not {c:g}")
    log_c = None if c is None else math.log(c)
    problem = _Problem(summaries, method, pull or Pull(), log_c)
    bounds, start = log_bounds(*curve)[problem.free], np.log(np.array(_START)) + log_units(*curve)
    before = summaries.evaluations
    x, objective = _solve(problem, start[problem.free], bounds)
    _check_inside(x, bounds, len(summaries.spreads))
    found_c = math.exp(x[1]) if c is None else c
    used = summaries.evaluations - before
    return ChoiceFit(
        s=math.exp(x[0]),
        c=found_c,
        method=method,
        objective=objective,
        evaluations=used,
        decisions=len(summaries.spreads),
    )


def _solve(problem: _Problem, start: Floats, bounds: Floats) -> tuple[Floats, float]:
    if problem.method == "likelihood":
        found = minimize(
            problem.mean_surprise,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"gtol": 1e-7, "ftol": 1e-13},
        )
    else:
        found = least_squares(
            lambda x: problem.rows(x)[:, 0],
            start,
            jac=lambda x: problem.rows(x)[:, 1:][:, problem.free],
            bounds=bounds.T,
            xtol=1e-6,
            ftol=1e-10,
            gtol=1e-12,
            max_nfev=60,
        )
    if not found.success:
        raise FitError(
            f"the {problem.method} fit did not converge ({found.message}): more decisions are needed"
        )
    return found.x, float(found.fun if problem.method == "likelihood" else 2 * found.cost)


def _check_inside(x: Floats, bounds: Floats, decisions: int) -> None:
    if (np.abs(x[:, None] - bounds) < 1e-4).any():
        raise FitError(
            f"the fit ran into the bounds of s or c: {decisions} decisions do not determine both; "
            "give more decisions, fix c, or pull them towards the line of the mileposts"
        )


# Percentile fits from counts on a grid of (s, c): many at once, without the decisions.

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


# How far (ln s, ln c) may be off: with independent turns, and from resampled games.

_SETTLED = 0.9


def sandwich(rows: Floats, covariance: Floats, decisions: float, pull: Pull) -> Floats:
    """Covariance of (ln s, ln c) of a percentile fit, turns independent.

    `rows` are the residuals with derivatives, the pull's last; `covariance` is that of the up-shares of one
    turn. With H the normal matrix and V that covariance: H^-1 J' V J H^-1 / decisions; and what the pull
    may hide, for an agent that is off the line by its scatter.
    """
    jacobian, pulled = rows[:-1, 1:], rows[-1, 1:]
    inverse = np.linalg.inv(jacobian.T @ jacobian + np.outer(pulled, pulled))
    across = inverse @ jacobian.T
    return across @ covariance @ across.T / decisions + hidden(rows, decisions, pull)


def hidden(rows: Floats, decisions: float, pull: Pull) -> Floats:
    """Covariance from not knowing how far the agent is off the line that the pull draws it to."""
    jacobian, pulled = rows[:-1, 1:], rows[-1, 1:]
    inverse = np.linalg.inv(jacobian.T @ jacobian + np.outer(pulled, pulled))
    shift = inverse @ pulled * math.sqrt(pull.weight / decisions) * pull.scatter
    return np.outer(shift, shift)


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
