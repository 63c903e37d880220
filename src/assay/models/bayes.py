"""`bayes`: skill as a posterior over stochastic agents (Di Fatta, Haworth, Regan 2009).

E(c), an engine that errs, chooses option i with a probability proportional to (v_max - v_i + K)^-c (Eq. 1 and
2). Divided by its largest term, K^-c, the likelihood is (1 + loss_i / K)^-c: one for the best option, and a
partition sum of at least one, whatever c is. In c this is an exponential family: the log-likelihood of any
decisions is concave, `c * (sum of exponents of the played options) - sum of log partitions`.

A player's decisions are compared with those that the agents would have made; the answer is the probability of
each c. A profile is the log-likelihood on a fixed fine grid of c: it adds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Quantity, Rating
from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.profile import Profile, ProfileStack
from assay.decisions.rules import (
    Rule,
    after_turn,
    among_lines,
    choice_of_two,
    enough_lines,
    evaluated,
    rated,
)
from assay.errors import FitError, InputError, MappingError
from assay.models.base import MoveModel
from assay.models.elo_mapping import EloMapping, ScalarMapping, no_mapping
from assay.models.intervals import FEWEST_GAMES, resample_weights, student, variance_correction

GRID = np.arange(601) / 100
"""The values of c at which profiles hold the log-likelihood: 0 (a random mover) to 6, in steps of 0.01."""

OFFSET = 0.1
"""K of Eq. 1, in pawns: the value of the paper's footnote 2."""

DISPERSION = 1.96
"""How much more the mean of c varies over games than its posterior says, as a ratio of variances: the mean
over 12 mileposts of 18 games. Over the 14 of docs/reproduction/bayes.md it is 2.04 (0.9 to 3.1).
For ratings of few games."""

RATING_INTERVAL = (
    f"Elo interval: games resampled where there are {FEWEST_GAMES} or more, otherwise the posterior's "
    f"variance times {DISPERSION:g}; the mapping's error included."
)

_OUTSIDE = {
    "tail": "played moves outside the lines count with their own searched value, among all legal moves",
    "censored": "played moves outside the lines count as some move below the last line",
    "value": "played moves outside the lines count with their own searched value, as one more option",
    "exclude": "decisions whose played move is outside the lines are left out",
}

_CENSORED_AT_ONCE = 4096


class BayesModel(MoveModel):
    """The posterior over the skill c of the agents E(c).

    `outside` says what happens where the played move is not among the engine's lines. The paper gives such
    a move probability 0, which would annul all other evidence. `tail` and `censored` let the agent choose
    among all legal moves, those without a line as `weighed_options` has them; the played move then counts by
    its own searched value, or only as some move below the last line. `value` adds it as one more option, so
    that the options depend on the choice: c comes out too low. `exclude` leaves the decision out, and counts
    it.
    """

    name: ClassVar[str] = "bayes"
    strength = "c"

    def __init__(
        self,
        *,
        offset: float = OFFSET,
        limit: int | None = 1000,
        opening_turns: int = 12,
        outside: str = "tail",
        mapping: EloMapping | None = None,
    ) -> None:
        if not offset > 0:
            raise InputError(f"K must be above 0 pawns, not {offset}")
        if outside not in _OUTSIDE:
            raise InputError(f"outside must be one of {', '.join(_OUTSIDE)}, not '{outside}'")
        self.offset, self.limit, self.outside = offset, limit, outside
        self.opening_turns = opening_turns
        self.mapping = mapping

    @property
    def settings(self) -> str:
        """The settings that decide what the evidence means."""
        limit = "none" if self.limit is None else str(self.limit)
        return f"K={self.offset:g}, limit={limit}, after turn {self.opening_turns}, outside={self.outside}"

    @property
    def outside_note(self) -> str:
        """In words, what happens to played moves outside the lines: printed beside results."""
        return _OUTSIDE[self.outside]

    def rules(self) -> tuple[Rule, ...]:
        """No opening, a choice to be made, lines enough, and a played move with a value."""
        played = {"exclude": (among_lines(),), "censored": ()}.get(self.outside, (evaluated(),))
        return (rated(), after_turn(self.opening_turns), choice_of_two(), enough_lines(), *played)

    @property
    def shape(self) -> tuple[int, ...]:
        """One log-likelihood for each c of the grid."""
        return GRID.shape

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Floats:
        """Log-likelihood of the decisions at every c of the grid, summed within groups."""
        return self.log_likelihoods(self.options_of(decisions), group, n_groups, GRID)

    def options_of(self, decisions: Decisions) -> WeighedOptions:
        """What the agent chooses from in decisions that passed the rules."""
        lines = np.nan_to_num(decisions.numbers("n_lines"), nan=0.0).astype(np.int64)
        lines = np.clip(np.where(lines > 0, lines, decisions.n_options), 1, decisions.n_options)
        legal = np.nan_to_num(decisions.numbers("n_legal"), nan=0.0).astype(np.int64)
        return self.options(decisions.values, decisions.offsets, lines, legal, decisions.played_index)

    def options(
        self, values: npt.ArrayLike, starts: Ints, lines: Ints, legal: Ints, played: Ints
    ) -> WeighedOptions:
        """What the agent chooses from: the lines and all other legal moves, or only what has a value.

        `lines` of the options are there whatever was played; `legal` is the number of legal moves.
        """
        if self.outside in ("value", "exclude"):
            exponent = exponents(values, starts, self.offset, self.limit)
            nothing = np.zeros(len(played), dtype=bool)
            chosen = exponent[starts[:-1] + played]
            return WeighedOptions(exponent, np.ones(len(exponent)), starts, chosen, nothing)
        return weighed_options(values, starts, lines, legal, played, self.offset, self.limit)

    def log_likelihoods(self, options: WeighedOptions, group: Ints, n_groups: int, grid: Floats) -> Floats:
        """Log-likelihood of the played options at every c of an even grid, summed within groups."""
        censored = options.outside & (self.outside == "censored")
        chosen = np.where(censored, 0.0, options.played)
        total = np.multiply.outer(np.bincount(group, weights=chosen, minlength=n_groups), grid)
        total -= log_partitions(options.exponent, options.weight, options.starts, group, n_groups, grid)
        rows = np.flatnonzero(censored)
        for start in range(0, len(rows), _CENSORED_AT_ONCE):
            batch = rows[start : start + _CENSORED_AT_ONCE]
            np.add.at(total, group[batch], log_unlisted(options, batch, grid))
        return total

    def posterior(self, profile: Profile) -> Posterior:
        """Probability density of c from a flat prior (Eq. 3 and 4)."""
        self._check(profile)
        return resolve(GRID, profile.evidence)

    def adaptive_posterior(self, decisions: Decisions) -> Posterior:
        """The same from the decisions themselves, by the adaptive range of section IV.A."""
        passed, _ = self.select(decisions)
        if not len(passed):
            raise InputError(self.none_passes(decisions))
        options, group = self.options_of(passed), np.zeros(len(passed), np.int64)
        return adaptive_posterior(
            lambda grid: self.log_likelihoods(options, group, 1, grid)[0], float(GRID[0]), float(GRID[-1])
        )

    def agent(self, decisions: Decisions, skill: float) -> Floats:
        """Probability of every option, flat, under E(skill) with the settings of this model (Eq. 2)."""
        return option_probabilities(decisions, skill, self.offset, self.limit)

    def estimate(self, profile: Profile) -> Estimate:
        """Mean, standard deviation and 95% credible region of c."""
        posterior = self.posterior(profile)
        skill = Quantity(posterior.mean, posterior.deviation, *posterior.region())
        counts = profile.decisions, profile.games
        return Estimate(self.name, {"c": skill}, *counts, self.outside_note, profile.recipe_id)

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """Mean of c of many profiles."""
        return np.array([self.posterior(profile).mean for profile in profiles])

    def rate(self, profile: Profile) -> Rating:
        """Rating through the mapping; moves of one game depend on one another, so the interval is widened.

        A profile does not tell its games apart: `rate_games` has the better interval.
        """
        estimate = self.estimate(profile)
        c, wider = estimate["c"], math.sqrt(DISPERSION)
        return self._rate(
            estimate, wider * c.deviation, wider * (c.value - c.low), wider * (c.high - c.value)
        )

    def rate_games(self, stack: ProfileStack, resamples: int = 400, seed: int = 0) -> Rating:
        """Rating of all games of a stack, its interval from resampled games where there are FEWEST_GAMES."""
        total = stack.total()
        used = stack.only(np.flatnonzero(stack.decisions > 0).tolist())
        if len(used) < FEWEST_GAMES:
            return self.rate(total)
        estimate = self.estimate(total)
        means = self.strengths(used.weighted(resample_weights(len(used), resamples, seed)))
        # Games that happen to be alike, such as perfect ones, do not make c better known than independent
        # moves would.
        spread = means.std() * math.sqrt(variance_correction(len(used)))
        deviation = max(float(spread), estimate["c"].deviation)
        reach = student(len(used)) * deviation
        return self._rate(estimate, deviation, reach, reach)

    def _rate(self, estimate: Estimate, deviation: float, below: float, above: float) -> Rating:
        if not isinstance(self.mapping, ScalarMapping):
            raise MappingError(no_mapping(self.name))
        self.mapping.check(self.identity, estimate.recipe_id)
        c = estimate["c"].value
        low, high = np.clip((c - below, c + above), GRID[0], GRID[-1]).tolist()
        widened = replace(estimate, quantities={"c": Quantity(c, deviation, low, high)})
        return replace(self.mapping.rate_estimate(self.name, widened), note=RATING_INTERVAL)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Expectation from the two ratings: the paper gives no forecast of its own."""
        a, b = self.rate(white), self.rate(black)
        lead = a.elo - b.elo
        low = lead - math.hypot(a.elo - a.low, b.high - b.elo)
        high = lead + math.hypot(a.high - a.elo, b.elo - b.low)
        there, least, most = (float(expectation(gap)) for gap in (lead, low, high))
        return Forecast(self.name, there, low=least, high=most)


class LivePosterior:
    """A posterior that takes one decision after another, as they are made (Eq. 4)."""

    def __init__(self, model: BayesModel, start: Profile | None = None) -> None:
        if start is not None:
            model.posterior(start)  # refuses profiles of other settings, and empty ones
        self._model = model
        self._evidence = np.zeros(GRID.shape) if start is None else start.evidence.copy()
        self.decisions = 0.0 if start is None else start.decisions

    def add(
        self, values: npt.ArrayLike, played: int, *, lines: int | None = None, legal: int | None = None
    ) -> Posterior:
        """The posterior with one decision more: values of its options in centipawns, index of the played.

        `lines` of the options are there whatever was played, all of them unless told; `legal` is the number
        of legal moves, those with a value unless told.
        """
        value = np.asarray(values, dtype=np.float64)
        if not 0 <= played < len(value):
            raise InputError(
                f"the played option is number {played}, and there are {len(value)}: count from 0"
            )
        listed, moves = (np.array([len(value) if n is None else n]) for n in (lines, legal))
        if not 1 <= listed[0] <= len(value):
            raise InputError(f"the lines are some of the {len(value)} options, not {listed[0]}")
        starts = np.array([0, len(value)])
        options = self._model.options(value, starts, listed, moves, np.array([played]))
        self._evidence += self._model.log_likelihoods(options, np.zeros(1, np.int64), 1, GRID)[0]
        self.decisions += 1
        return self.posterior

    @property
    def posterior(self) -> Posterior:
        """The posterior now; flat before any decision."""
        return resolve(GRID, self._evidence)


# A posterior over one skill on a grid (section IV) -------------------------------------------------------

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
    from scipy.interpolate import CubicSpline

    first, last = _range_that_matters(log_likelihood)
    begin, end = max(first - 6, 0), min(last + 7, len(c))
    fine = np.linspace(c[first], c[last], _FINE + 1)
    return Posterior.of(fine, CubicSpline(c[begin:end], log_likelihood[begin:end])(fine))


def adaptive_posterior(
    log_likelihood: Callable[[Floats], Floats], low: float, high: float, step: float = 0.1
) -> Posterior:
    """The posterior by section IV.A: a wide range and a coarse step, narrowed and refined until resolved.

    `log_likelihood` gives the log-likelihood at the points of any even grid.
    """
    for _ in range(60):
        c = np.linspace(low, high, max(2, round((high - low) / step)) + 1)
        at_c = log_likelihood(c)
        posterior = Posterior.of(c, at_c)
        step = float(c[1] - c[0])
        if posterior.deviation >= _RESOLVED * step:
            return posterior
        first, last = _range_that_matters(at_c)
        low, high, step = float(c[first]), float(c[last]), step / 4
    raise FitError("the posterior over c could not be resolved: its deviation is below any step of the grid")


def _range_that_matters(log_likelihood: Floats) -> tuple[int, int]:
    """First and last point of the range that holds the probability, one point wider on either side."""
    matters = np.flatnonzero(log_likelihood >= log_likelihood.max() - _NEGLIGIBLE)
    return max(int(matters[0]) - 1, 0), min(int(matters[-1]) + 1, len(log_likelihood) - 1)


# The options of E(c) -------------------------------------------------------------------------------------

BEND = 1.3
"""The move at the fraction x of the unlisted ones lies at the fraction x^BEND of the way from the last line
to a lost position. Fitted by the partition sums of positions read as 5, 10 and 20 lines."""

POINTS = 8
"""Unlisted moves are represented by so many, each with an equal part of their number as its weight."""

_UNIT = 10.0
_LOST = 1000.0


@dataclass(frozen=True, eq=False)
class WeighedOptions:
    """Lines and representatives of unlisted moves, flat, with the number of moves that each stands for."""

    exponent: Floats
    """-log(1 + loss / K): multiplied by c, the log of the weight of Eq. 1."""
    weight: Floats
    starts: Ints
    """Where the options of each decision begin; representatives of unlisted moves are its last."""
    played: Floats
    """Exponent of the played move, by its own value; NaN where it has none."""
    outside: Mask
    """Whether the played move of each decision is outside the lines."""


def exponents(
    values: npt.ArrayLike, starts: Ints, offset: float = OFFSET, limit: int | None = None
) -> Floats:
    """-log(1 + loss / K) of every option, flat: multiplied by c, the log of its weight (Eq. 1).

    `starts` are the offsets of the decisions; `values` are centipawns, clipped to plus and minus `limit`.
    """
    value = np.asarray(values, dtype=np.float64)
    if limit is not None:
        value = evaluation.clip(value, limit)
    sizes = np.diff(starts)
    best = np.maximum.reduceat(value, starts[:-1][sizes > 0]) if len(value) else np.zeros(0)
    loss = np.repeat(best, sizes[sizes > 0]) - value
    return -np.log1p(loss / (100 * offset))


def option_probabilities(
    decisions: Decisions, skill: float, offset: float = OFFSET, limit: int | None = None
) -> Floats:
    """Probability of every option under E(skill), flat, in the order of `decisions.values` (Eq. 2)."""
    weights = np.exp(skill * exponents(decisions.values, decisions.offsets, offset, limit))
    sums = np.add.reduceat(np.append(weights, 0.0), decisions.offsets[:-1])
    return np.asarray(weights / np.repeat(sums, decisions.n_options))


def unlisted_losses(best: npt.ArrayLike, last: npt.ArrayLike) -> Floats:
    """Losses in centipawns of the POINTS representatives, for the best value and the last line's loss."""
    lost = np.clip(np.asarray(best, np.float64), -_LOST, _LOST) + _LOST
    at_last = np.log1p(np.asarray(last, np.float64) / _UNIT)
    way = np.maximum(np.log1p(lost / _UNIT) - at_last, 0.0)
    fraction = ((np.arange(POINTS) + 0.5) / POINTS) ** BEND
    return np.asarray(_UNIT * np.expm1(at_last[..., None] + way[..., None] * fraction))


def weighed_options(
    values: npt.ArrayLike,
    starts: Ints,
    lines: Ints,
    legal: Ints,
    played: Ints,
    offset: float,
    limit: int | None,
) -> WeighedOptions:
    """The options of E(c) among all legal moves; `played` is an index, or -1 where it has no value.

    Moves that the engine did not list are guessed to lie between the last line and a lost position, as
    measured in positions with all moves valued (research.papers.difatta2009). The guess is the same
    whatever was played: a list of options that depends on the choice makes c come out too low.
    """
    value = np.asarray(values, dtype=np.float64)
    if limit is not None:
        value = evaluation.clip(value, limit)
    options, first = np.diff(starts), starts[:-1]
    listed = value[np.arange(len(value)) - np.repeat(first, options) < np.repeat(lines, options)]
    begin = np.concatenate(([0], np.cumsum(lines)))
    best = np.maximum.reduceat(listed, begin[:-1]) if len(listed) else np.zeros(0)
    last = best - (np.minimum.reduceat(listed, begin[:-1]) if len(listed) else best)
    # A move that was searched alone is one of the unlisted, also where the number of legal moves is unknown.
    outside = (played < 0) | (played >= lines)
    more = np.maximum(np.maximum(legal - lines, options - lines), outside.astype(np.int64))
    with_more = np.flatnonzero(more > 0)
    losses = unlisted_losses(best[with_more], last[with_more])
    if limit is not None:
        losses = np.minimum(losses, np.maximum(best[with_more] + limit, 0.0)[:, None])
    ends = np.concatenate(([0], np.cumsum(lines + POINTS * (more > 0))))
    place = (ends[:-1] + lines)[with_more][:, None] + np.arange(POINTS)
    is_line = np.ones(ends[-1], dtype=bool)
    is_line[place] = False
    loss, weight = np.empty(ends[-1]), np.ones(ends[-1])
    loss[is_line] = np.repeat(best, lines) - listed
    loss[place] = losses
    weight[place] = more[with_more][:, None] / POINTS
    of_played = np.full(len(options), np.nan)
    valued = played >= 0
    # A move searched alone can come out above the best line: it loses nothing then.
    of_played[valued] = np.maximum(best[valued] - value[first[valued] + played[valued]], 0.0)
    scale = 100 * offset
    return WeighedOptions(-np.log1p(loss / scale), weight, ends, -np.log1p(of_played / scale), outside)


def log_unlisted(options: WeighedOptions, rows: Ints, grid: Floats) -> Floats:
    """Logarithm of the weight of all unlisted moves of these decisions at every c: shape (rows, grid)."""
    place = options.starts[rows + 1][:, None] - POINTS + np.arange(POINTS)
    exponent, weight = options.exponent[place], options.weight[place]
    shift = exponent.max(axis=1, keepdims=True)
    total = np.zeros((len(rows), len(grid)))
    for point in range(POINTS):
        total += weight[:, point, None] * np.exp(np.multiply.outer(exponent[:, point] - shift[:, 0], grid))
    return np.asarray(np.log(total) + shift * grid)


# Partition sums ------------------------------------------------------------------------------------------

_FLUSH = 1e250
"""Products of partition sums are kept below this, then turned into logarithms: few logarithms are needed."""


def log_partitions(
    exponent: Floats, weight: Floats, starts: Ints, group: Ints, n_groups: int, grid: Floats
) -> Floats:
    """Logarithms of the partition sums at every c of an even grid, summed within groups.

    `weight` is the number of moves that each option stands for: one, or more where unlisted ones share it.
    """
    total = np.zeros((n_groups, len(grid)))
    if len(group):
        step = float(grid[1] - grid[0]) if len(grid) > 1 else 0.0
        order = np.argsort(group, kind="stable")
        _add_log_partitions(exponent, weight, starts, order, group, float(grid[0]), step, total)
    return total


@njit(fastmath=True)
def _add_log_partitions(  # type: ignore[no-untyped-def] # pragma: no cover
    exponent, weight, starts, order, group, first, step, total
):
    """Add the log of each decision's partition sum, at every c of the grid, to the row of its group.

    Products of many decisions cost one logarithm.
    """
    n_grid = total.shape[1]
    width = int(np.ceil(np.sqrt(n_grid)))
    height = (n_grid + width - 1) // width
    product = np.ones(height * width)
    sums = np.empty(height * width)
    row = np.empty(width)
    bound = 1.0
    current = group[order[0]]
    for decision in order:
        begin, end = starts[decision], starts[decision + 1]
        if end - begin < 2:
            continue
        most = weight[begin:end].sum()
        if group[decision] != current or bound * most > _FLUSH:
            _flush(product, total[current])
            bound = 1.0
            current = group[decision]
        bound *= most
        sums[:] = 0.0
        for option in range(begin, end):
            _add_weights(exponent[option], weight[option], first, step, row, sums)
        for index in range(height * width):
            product[index] *= sums[index]
    _flush(product, total[current])


@njit(fastmath=True, inline="always")
def _add_weights(
    exponent: float, weight: float, first: float, step: float, row: Floats, sums: Floats
) -> None:
    """Add the weight of one option, or of the moves that it stands for, at every c.

    With c = first + (high * width + low) * step it is one factor for `high` times one for `low`, each got
    from the last by a multiplication: no exponentials.
    """
    width = len(row)
    ratio = np.exp(exponent * step)
    factor = 1.0
    for low in range(width):
        row[low] = factor
        factor *= ratio
    jump = factor
    factor = weight * np.exp(exponent * first)
    for high in range(len(sums) // width):
        at = high * width
        for low in range(width):
            sums[at + low] += factor * row[low]
        factor *= jump


@njit()
def _flush(product: Floats, total: Floats) -> None:
    for index in range(len(total)):
        total[index] += np.log(product[index])
    product[:] = 1.0
