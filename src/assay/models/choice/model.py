"""`choice`: sensitivity s and consistency c from the values of all moves (Regan and Haworth 2011).

Fits (section 6) are in (ln s, ln c), within bounds: by percentiles, likelihood, or matching two averages.
With few decisions the two parameters run away together, so c is pulled towards a value with a stated weight.
`fit_choice` fits decisions. A profile holds the sums on a grid of (s, c), which add up over games, so a
resample of games is a weighted sum; between the nodes they follow a cubic spline, and all fits of a batch
take their Gauss-Newton steps together (`fit_grids`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.profile import Profile, ProfileStack
from assay.decisions.rules import (
    Rule,
    after_turn,
    choice_of_two,
    enough_lines,
    evaluated,
    not_repeated,
    rated,
    within,
)
from assay.errors import FitError, InputError
from assay.models.appearances import OPENING_TURNS
from assay.models.base import MoveModel
from assay.models.choice.spreads import Scaling, Spreads, reference_spreads, spreads_of
from assay.models.choice.sums import (
    AGREEMENT,
    CONVERSIONS,
    CURVES,
    DIFFERENCE,
    LIKELIHOOD,
    N_PAIRS,
    N_ROWS,
    N_UP,
    PERCENTILES,
    Summaries,
    log_units,
)
from assay.models.elo_mapping import Z95
from assay.models.intervals import FEWEST_GAMES, resample_weights, student, variance_correction

DISPERSION = 1.7
"""How much more estimates vary over games than with independent turns, as a ratio of variances: the mean over
the mileposts 1500 to 2800. For profiles whose games cannot be resampled."""

PULL, PULLED_TO, SCATTER = 0.5, -0.7, 0.1
"""The pull adds (PULL / decisions) (ln c - PULLED_TO)^2 to the mean objective: it fades as decisions come in.
ln c of the mileposts 1600 to 2700 lies about that value (in the unit of the curve) with the deviation
SCATTER, which the pull may hide: it is added to intervals."""


class ChoiceModel(MoveModel):
    """Agents that choose among all options by a curve of two parameters, fitted by percentiles.

    Profiles hold percentile counts on a grid of (q, s, c); `fit` works on the decisions themselves.
    """

    name = "choice"
    strength = "strength"

    def __init__(
        self,
        *,
        curve: str = CURVES[0],
        conversion: str = CONVERSIONS[0],
        scaling: Scaling | None = None,
        pull: float = PULL,
    ) -> None:
        self.curve, self.conversion, self.pull = curve, conversion, pull
        self.scaling = scaling or Scaling()
        self.grid = ChoiceGrid(curve, conversion)

    @property
    def settings(self) -> str:
        """Curve, conversion, scaling, pull and selection."""
        line = f"pull {self.pull:g} to ln c = {self.grid.pulled_to:g} +0 ln s, scatter {SCATTER:g}"
        rules = f"after turn {OPENING_TURNS}, within 300 cp"
        return f"{self.curve}, {self.conversion}, {self.scaling}, {line if self.pull else 'no pull'}, {rules}"

    def rules(self) -> tuple[Rule, ...]:
        """Section 5: turns 1 to 8, repetitions, positions beyond three pawns; and too few lines."""
        played = (evaluated(), choice_of_two(), enough_lines())
        return (rated(), after_turn(OPENING_TURNS), not_repeated(), *played, within(300))

    @property
    def shape(self) -> tuple[int, ...]:
        """One long row: see ChoiceGrid."""
        return (self.grid.size,)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Floats:
        """Percentile counts, expected agreement and difference on the grid, and what was played."""
        return self.grid.collect(self.summaries(decisions), group, n_groups)

    def summaries(self, decisions: Decisions) -> Summaries:
        """The sums of decisions that have passed the rules, at any (s, c)."""
        return Summaries(spreads_of(decisions, self.scaling), self.curve, self.conversion)

    def fit(
        self, decisions: Decisions, method: str = "percentile", *, c: float | None = None, pull: bool = True
    ) -> ChoiceFit:
        """The continuous fit on the decisions that pass the rules; with `c` given, of s alone."""
        passed, _ = self.select(decisions)
        if not len(passed):
            raise InputError(self.none_passes(decisions))
        return fit_choice(self.summaries(passed), method, c=c, pull=self.pull if pull else 0.0)

    def estimate(self, profile: Profile) -> Estimate:
        """Sensitivity and consistency from the grid; intervals from independent turns and DISPERSION."""
        self._check(profile)
        fits = self._fit_grids(profile.evidence[None], np.array([profile.decisions]))
        self._require(fits, profile.decisions)
        # With H the normal matrix and V the covariance of the up-shares of one turn: H^-1 J' V J H^-1 / n.
        inverse, jacobian = _normal_inverse(fits.rows[0]), fits.rows[0][:-1, 1:]
        across = inverse @ jacobian.T
        covariance = across @ self.grid.covariance(profile.evidence, fits.points[0]) @ across.T
        spread = covariance / profile.decisions + self._hidden(fits, profile.decisions)
        note = f"variance of independent turns, times {DISPERSION:g}"
        return self._estimate(profile, fits.points[0], DISPERSION * spread, Z95, note)

    def resampled(self, stack: ProfileStack, resamples: int = 400, seed: int = 0) -> Estimate:
        """Estimate from all games of a stack, with intervals from resampling the games.

        With fewer than FEWEST_GAMES games the interval is that of `estimate`, and the note says so.
        """
        total = stack.total()
        used = np.flatnonzero(stack.decisions > 0)
        if len(used) < FEWEST_GAMES:
            return self.estimate(total)
        self._check(total)
        weights = np.zeros((resamples + 1, len(stack)))
        weights[0] = 1.0
        weights[1:, used] = resample_weights(len(used), resamples, seed)
        fits = self._fit_grids(np.asarray(weights @ stack.evidence), weights @ stack.decisions)
        self._require(fits, total.decisions)
        if fits.converged[1:].mean() < 0.9:
            raise FitError("too many resamples did not converge: give more games")
        spread = np.cov(fits.points[1:][fits.converged[1:]].T, bias=True) * variance_correction(len(used))
        spread += self._hidden(fits, total.decisions)
        note = f"{len(used)} games resampled"
        return self._estimate(total, fits.points[0], spread, student(len(used)), note)

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """Strength of many profiles: fitted together, also where a fit ended at its bounds.

        The reference loss is interpolated on the grid, which is within two per cent.
        """
        evidence = np.stack([profile.evidence for profile in profiles])
        fits = self._fit_grids(evidence, np.array([profile.decisions for profile in profiles]))
        tables = np.broadcast_to(self._reference_losses, (len(profiles), *self._reference_losses.shape))
        return -np.exp(self.grid.at(tables, fits.points)[:, 0, 0])

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """By the ratings: the paper gives no forecast."""
        value = float(self.expectations([white], [black])[0, 0])
        return Forecast(self.name, value, notes=("from the ratings",))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black; each profile is fitted once."""
        first, second = (np.array([self.rate(profile).elo for profile in side]) for side in (white, black))
        return expectation(first[:, None] - second)

    @property
    def reference(self) -> Spreads:
        """The fixed reference positions, scaled as this model scales.

        A player's (s, c) becomes one number through the difference that the agent is expected to lose per
        turn on these: the same for everyone, however hard the player's own positions were.
        """
        return reference_spreads(self.scaling)

    @cached_property
    def _reference_summaries(self) -> Summaries:
        return Summaries(self.reference, self.curve, self.conversion)

    @cached_property
    def _reference_losses(self) -> Floats:
        """Logarithm of the expected loss on the reference positions at the nodes: shape (1, s, c)."""
        one = np.zeros(len(self.reference), np.int64)
        sums = self._reference_summaries.on_grid(self.grid.log_s, self.grid.log_c, one, 1)
        return np.asarray(np.log(sums[0, DIFFERENCE, None] / len(one)))

    def _fit_grids(self, evidence: Floats, decisions: Floats) -> GridFits:
        return fit_grids(self.grid, self.grid.tables(evidence)[:, :N_UP], decisions, self.pull)

    def _hidden(self, fits: GridFits, decisions: float) -> Floats:
        """Covariance from not knowing how far the agent's ln c is from where the pull shrinks it to."""
        shift = _normal_inverse(fits.rows[0]) @ fits.rows[0, -1, 1:] * math.sqrt(self.pull / decisions)
        return np.outer(shift, shift) * SCATTER**2

    def _require(self, fits: GridFits, decisions: float) -> None:
        """The first fit of a batch is the answer: it must have converged away from the bounds."""
        if not (fits.converged[0] and fits.inside[0]):
            raise FitError(
                f"the fit of s and c did not settle within its bounds on {decisions:.0f} decisions: give more"
            )

    def _estimate(self, profile: Profile, point: Floats, spread: Floats, reach: float, note: str) -> Estimate:
        """Quantities at a fitted point; `spread` is the covariance of (ln s, ln c), `reach` the quantile."""
        at_grid = self.grid.at(self.grid.tables(profile.evidence[None]), point[None])[0, :, 0]
        at_grid /= profile.decisions
        first, lost = profile.evidence[-2:] / profile.decisions
        reference = self._reference_summaries.at(*point)[DIFFERENCE]
        gradient = self._reference_summaries.slopes(*point)[DIFFERENCE] / reference

        def logarithmic(log_value: float, gradient: Floats) -> Quantity:
            """A quantity whose logarithm has this gradient by (ln s, ln c)."""
            deviation = math.sqrt(max(float(gradient @ spread @ gradient), 0.0))
            low, value, high = (math.exp(log_value + far * deviation) for far in (-reach, 0.0, reach))
            return Quantity(value, value * deviation, low, high)

        loss = logarithmic(math.log(reference / len(self.reference)), gradient)
        quantities = {
            "s": logarithmic(point[0], np.array([1.0, 0.0])),
            "c": logarithmic(point[1], np.array([0.0, 1.0])),
            "mm_projected": Quantity(float(at_grid[AGREEMENT])),
            "mm_actual": Quantity(float(first)),
            "ad_projected": Quantity(float(at_grid[DIFFERENCE])),
            "ad_actual": Quantity(float(lost)),
            "reference_ad": loss,
            "strength": Quantity(-loss.value, loss.deviation, -loss.high, -loss.low),
        }
        return Estimate(self.name, quantities, profile.decisions, profile.games, note, profile.recipe_id)


# Fits on decisions ---------------------------------------------------------------------------------------

METHODS = ("percentile", "likelihood", "matching")

_BOUNDS = ((0.01, 1.5), (0.1, 1.6))
"""Where s and c are sought, in units of the curve; the paper's lie within .07 to .17 and .43 to .55."""

_START = (0.15, 0.4)


def log_bounds(curve: str, conversion: str) -> Floats:
    """Bounds of ln s and ln c for a curve: one row each, low and high."""
    return np.asarray(np.log(np.array(_BOUNDS)) + log_units(curve, conversion)[:, None])


@dataclass(frozen=True, kw_only=True)
class ChoiceFit:
    """The agent that fits best, and from how many decisions."""

    s: float
    c: float
    decisions: int


def fit_choice(
    summaries: Summaries, method: str = "percentile", *, c: float | None = None, pull: float = 0.0
) -> ChoiceFit:
    """The (s, c) that fits best; with `c` given, s alone (the second of the paper's two steps)."""
    from scipy.optimize import least_squares, minimize

    if method not in METHODS:
        raise InputError(f"no fit named '{method}': choose one of {', '.join(METHODS)}")
    turns, n = summaries.spreads, len(summaries.spreads)
    if not n:
        raise InputError("no decisions to fit: check the selection")
    units = log_units(summaries.curve, summaries.conversion)
    bounds, start = log_bounds(summaries.curve, summaries.conversion), np.log(_START) + units
    low, high = np.exp(bounds[1])
    if c is not None and not low <= c <= high:
        raise InputError(f"the consistency c must be from {low:.3g} to {high:.3g}, not {c:g}")
    free = 2 if c is None else 1
    weight = pull / n if c is None else 0.0
    rows, target = slice(0, N_UP), PERCENTILES
    if method == "matching":
        rows, target = slice(AGREEMENT, LIKELIHOOD), np.array([np.mean(turns.played == 0), turns.lost.mean()])

    def point(x: Floats) -> tuple[float, float]:
        return float(x[0]), float(x[1]) if c is None else math.log(c)

    def pulled(x: Floats) -> float:
        return point(x)[1] - PULLED_TO - float(units[1])

    def residuals(x: Floats) -> Floats:
        """What a fit brings to zero: R_q - q, or mm and ad less the actual ones; the pull's last."""
        return np.append(summaries.at(*point(x))[rows] / n - target, math.sqrt(weight) * pulled(x))

    def jacobian(x: Floats) -> Floats:
        slopes = summaries.slopes(*point(x))[rows] / n
        return np.vstack((slopes, [0.0, math.sqrt(weight)]))[:, :free]

    def surprise(x: Floats) -> tuple[float, Floats]:
        """Mean -ln p of the played options, the pull included, with its gradient."""
        gradient = -summaries.slopes(*point(x))[LIKELIHOOD] / n + [0.0, 2 * weight * pulled(x)]
        return -summaries.at(*point(x))[LIKELIHOOD] / n + weight * pulled(x) ** 2, gradient[:free]

    start, bounds = start[:free], bounds[:free]
    if method == "likelihood":
        options = {"gtol": 1e-7, "ftol": 1e-13}
        fit: Any = minimize(surprise, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    else:
        close: Any = {"xtol": 1e-7, "ftol": 1e-12, "gtol": 1e-15, "max_nfev": 200}
        fit = least_squares(residuals, start, jac=jacobian, bounds=bounds.T, **close)
    if not fit.success:
        raise FitError(f"the {method} fit did not converge ({fit.message}): more decisions are needed")
    if (np.abs(fit.x[:, None] - bounds) < 1e-4).any():
        raise FitError(
            f"the fit ran into the bounds of s or c: {n} decisions do not determine both; "
            "give more decisions, fix c, or pull them towards the line of the mileposts"
        )
    s, at_c = np.exp(point(fit.x)).tolist()
    return ChoiceFit(s=s, c=at_c if c is None else c, decisions=n)


# Fits on a grid ------------------------------------------------------------------------------------------

N_S, N_C = 10, 7
"""Nodes of the grid, evenly spaced in ln s and ln c over the bounds of the fits."""

PRODUCT_NODES = (np.log([0.05, 0.1, 0.2, 0.4]), math.log(0.5))
"""ln s and ln c, in units of the curve, at which products of up-shares are summed: these vary little with s
and hardly with c."""


class ChoiceGrid:
    """Nodes in ln s and ln c, and the evidence that lies on them.

    Evidence is one long additive row: summaries on the grid, products of up-shares, the number of first
    choices, the sum of scaled differences.
    """

    size = N_ROWS * N_S * N_C + len(PRODUCT_NODES[0]) * N_PAIRS + 2

    def __init__(self, curve: str = CURVES[0], conversion: str = CONVERSIONS[0]) -> None:
        bounds, unit = log_bounds(curve, conversion), log_units(curve, conversion)
        self.low, self.high = bounds.T
        self.log_s, self.log_c = (
            np.linspace(self.low[0], self.high[0], N_S),
            np.linspace(self.low[1], self.high[1], N_C),
        )
        self.pulled_to = PULLED_TO + float(unit[1])
        self.product_s, self.product_c = PRODUCT_NODES[0] + unit[0], PRODUCT_NODES[1] + float(unit[1])

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

    def collect(self, summaries: Summaries, group: Ints, n_groups: int) -> Floats:
        """One row of evidence for each group of turns."""
        turns = summaries.spreads
        first = np.bincount(group, (turns.played == 0).astype(np.float64), minlength=n_groups)
        lost = np.bincount(group, turns.lost, minlength=n_groups)
        counts = summaries.on_grid(self.log_s, self.log_c, group, n_groups)
        products = summaries.up_products(self.product_s, self.product_c, group, n_groups)
        return np.column_stack((counts.reshape(n_groups, -1), products.reshape(n_groups, -1), first, lost))

    def tables(self, evidence: Floats) -> Floats:
        """The summaries on the grid of a batch of rows: (batch, rows, n_s, n_c)."""
        return evidence[:, : N_ROWS * N_S * N_C].reshape(len(evidence), N_ROWS, N_S, N_C)

    def covariance(self, evidence: Floats, point: Floats) -> Floats:
        """Covariance of the up-shares of one turn at a point: straight lines in ln s between the nodes."""
        n = N_UP + 1
        covariances = []
        for products in evidence[N_ROWS * N_S * N_C : -2].reshape(-1, N_PAIRS):
            matrix = np.zeros((n, n))
            matrix[np.tril_indices(n)] = products
            # The last share is one in every turn: its products are the sums, and the number of turns.
            mean = matrix[-1, :-1] / matrix[-1, -1]
            lower = matrix[:-1, :-1] / matrix[-1, -1]
            covariances.append(lower + np.tril(lower, -1).T - np.outer(mean, mean))
        place = np.clip(np.interp(point[0], self.product_s, np.arange(len(covariances))), 0, None)
        node = min(int(place), len(covariances) - 2)
        share = float(place) - node
        return np.asarray((1 - share) * covariances[node] + share * covariances[node + 1])


class GridFits(NamedTuple):
    """A batch of fits: points (ln s, ln c), residuals with derivatives there, and which converged inside."""

    points: Floats
    rows: Floats
    converged: Mask
    inside: Mask


def fit_grids(grid: ChoiceGrid, counts: Floats, decisions: Floats, pull: float) -> GridFits:
    """Percentile fit of each table of up-counts (batch, percentiles, n_s, n_c), with the pull's row last."""
    shares = counts / decisions[:, None, None, None] - PERCENTILES[None, :, None, None]
    weight = np.sqrt(pull / decisions)

    def rows_at(points: Floats) -> Floats:
        """Residuals with derivatives, (batch, percentiles + 1, 3)."""
        off, n = points[:, 1] - grid.pulled_to, len(points)
        pulled = np.column_stack((off, np.zeros(n), np.ones(n))) * weight[:, None]
        return np.concatenate((grid.at(shares, points), pulled[:, None, :]), axis=1)

    def cost(rows: Floats) -> Floats:
        return np.asarray(np.square(rows[..., 0]).sum(axis=1), dtype=np.float64)

    # Each fit starts at the inner node with the least cost.
    at_nodes = np.square(shares).sum(axis=1) + np.square(
        weight[:, None, None] * (grid.log_c - grid.pulled_to)
    )
    inner = at_nodes[:, 1:-1, 1:-1].reshape(len(shares), -1).argmin(axis=1)
    i, j = np.unravel_index(inner, (N_S - 2, N_C - 2))
    points = np.column_stack((grid.log_s[i + 1], grid.log_c[j + 1]))
    rows = rows_at(points)
    damping = np.full(len(points), 1e-3)
    done = np.zeros(len(points), dtype=bool)
    for _ in range(80):
        trial = np.clip(points + _steps(rows, damping), grid.low, grid.high)
        trial_rows = rows_at(trial)
        better = cost(trial_rows) <= cost(rows)
        moved = np.abs(trial - points).max(axis=1)
        points = np.where(better[:, None], trial, points)
        rows = np.where(better[:, None, None], trial_rows, rows)
        damping = np.clip(np.where(better, damping / 5, damping * 8), 1e-9, 1e9)
        done |= moved < 1e-6
        if done.all():
            break
    inside = ((points - grid.low > 1e-4) & (grid.high - points > 1e-4)).all(axis=1)
    return GridFits(points, rows, done, inside)


def _steps(rows: Floats, damping: Floats) -> Floats:
    """Levenberg's damped Gauss-Newton steps."""
    jacobian, off = rows[..., 1:], rows[..., 0]
    normal = np.swapaxes(jacobian, 1, 2) @ jacobian
    trace = np.trace(normal, axis1=1, axis2=2)[:, None, None]
    damped = normal + (damping[:, None, None] * trace + 1e-15) * np.eye(2)
    gradient = np.swapaxes(jacobian, 1, 2) @ off[..., None]
    return -np.linalg.solve(damped, gradient)[..., 0]


def _normal_inverse(rows: Floats) -> Floats:
    """Inverse of the normal matrix of a fit, its pull included."""
    return np.asarray(np.linalg.inv(rows[:, 1:].T @ rows[:, 1:]), dtype=np.float64)
