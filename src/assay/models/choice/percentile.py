"""Fits of (s, c) to the choices made: percentile method, maximum likelihood, matching of two averages.

Regan and Haworth 2011, section 6. All three work in (ln s, ln c), within bounds, with analytic gradients.
With few decisions the two parameters run away together, so `Pull` draws them towards a line with a stated
weight. A fit that did not converge, or that ran into a bound, raises FitError.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import least_squares, minimize

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError
from assay.models.choice.probabilities import log_units
from assay.models.choice.sums import AGREEMENT, DIFFERENCE, LIKELIHOOD, PERCENTILES, Summaries

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
