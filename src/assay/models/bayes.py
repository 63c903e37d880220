"""`bayes`: skill as a posterior over stochastic agents (Di Fatta, Haworth, Regan 2009).

E(c), an engine that errs, chooses option i with a probability proportional to (v_max - v_i + K)^-c (Eq. 1 and
2). Divided by its largest term, K^-c, the likelihood is (1 + loss_i / K)^-c: one for the best option, and a
partition sum of at least one, whatever c is. In c this is an exponential family: the log-likelihood of any
decisions is concave, `c * (sum of exponents of the played options) - sum of log partitions`.

A player's decisions are compared with those that the agents would have made; the answer is the probability of
each c. A profile is the log-likelihood on a fixed fine grid of c: it adds. The uses that the paper names are
below: a player, a game, a composite player, the training curve, games by their result, hypotheses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from assay.answers.ratings import Estimate, Forecast, Quantity, Rating
from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.profile import Profile
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
from assay.models.appearances import HALF_WIDTH, split_by_milepost
from assay.models.base import MoveModel, tail_losses
from assay.models.elo_mapping import ScalarMapping, no_mapping

GRID = np.arange(601) / 100
"""The values of c at which profiles hold the log-likelihood: 0 (a random mover) to 6, in steps of 0.01."""

OFFSET = 0.1
"""K of Eq. 1, in pawns: the value of the paper's footnote 2."""

DISPERSION = 2.04
"""How much more the mean of c varies over games than its posterior says, as a ratio of variances: the mean
over the 14 mileposts of docs/evidence/paper_difatta2009.md (0.9 to 3.1). For ratings of few games."""

RATING_INTERVAL = (
    f"Elo interval: the posterior's variance times {DISPERSION:g}, the mapping's error included."
)

_OUTSIDE = {
    "tail": "played moves outside the lines count with their own searched value, among all legal moves",
    "value": "played moves outside the lines count with their own searched value, as one more option",
    "exclude": "decisions whose played move is outside the lines are left out",
}


class BayesModel(MoveModel):
    """The posterior over the skill c of the agents E(c).

    `outside` sets what happens where the played move is not among the engine's lines. The paper gives such
    a move probability 0, which would annul all other evidence. `tail` lets the agent choose among all legal
    moves, those without a line as `weighed_options` has them; the played move counts by its own searched
    value. `value` adds it to the lines as one more option, which comes nearest to the paper's numbers with
    its engine; the options then depend on the choice. `exclude` leaves the decision out, and counts it.
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
    ) -> None:
        if not offset > 0:
            raise InputError(f"K must be above 0 pawns, not {offset}")
        if outside not in _OUTSIDE:
            raise InputError(f"outside must be one of {', '.join(_OUTSIDE)}, not '{outside}'")
        self.offset, self.limit, self.outside = offset, limit, outside
        self.opening_turns = opening_turns

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
        played = among_lines() if self.outside == "exclude" else evaluated()
        return (rated(), after_turn(self.opening_turns), choice_of_two(), enough_lines(), played)

    @property
    def shape(self) -> tuple[int, ...]:
        """One log-likelihood for each c of the grid."""
        return GRID.shape

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Floats:
        """Log-likelihood of the decisions at every c of the grid, summed within groups."""
        return log_likelihoods(self.options(decisions), group, n_groups, GRID)

    def options(self, decisions: Decisions) -> WeighedOptions:
        """What the agent chooses from in decisions that passed the rules."""
        lines = legal = decisions.n_options
        if self.outside == "tail":
            lines = np.nan_to_num(decisions.numbers("n_lines"), nan=0.0).astype(np.int64)
            lines = np.clip(np.where(lines > 0, lines, decisions.n_options), 1, decisions.n_options)
            legal = np.nan_to_num(decisions.numbers("n_legal"), nan=0.0).astype(np.int64)
        return weighed_options(
            decisions.values, decisions.offsets, lines, legal, decisions.played_index, self.offset, self.limit
        )

    def posterior(self, profile: Profile) -> Posterior:
        """Probability density of c from a flat prior (Eq. 3 and 4)."""
        self._check(profile)
        return resolve(GRID, profile.evidence)

    def adaptive_posterior(self, decisions: Decisions) -> Posterior:
        """The same from the decisions themselves, by the adaptive range of section IV.A."""
        passed = _passed(self, decisions)
        options, group = self.options(passed), np.zeros(len(passed), np.int64)
        return adaptive_posterior(
            lambda grid: log_likelihoods(options, group, 1, grid)[0], float(GRID[0]), float(GRID[-1])
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
        """Rating through the mapping; moves of one game depend on one another, so the interval is widened."""
        estimate = self.estimate(profile)
        if not isinstance(self.mapping, ScalarMapping):
            raise MappingError(no_mapping(self.name))
        self.mapping.check(self.identity, estimate.recipe_id)
        c, wider = estimate["c"], math.sqrt(DISPERSION)
        ends = np.clip(c.value + wider * (np.array([c.low, c.high]) - c.value), GRID[0], GRID[-1])
        widened = Quantity(c.value, wider * c.deviation, *ends.tolist())
        rating = self.mapping.rate_estimate(self.name, replace(estimate, quantities={"c": widened}))
        return replace(rating, note=RATING_INTERVAL)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Expectation from the two ratings: the paper gives no forecast of its own."""
        a, b = self.rate(white), self.rate(black)
        lead = a.elo - b.elo
        low = lead - math.hypot(a.elo - a.low, b.high - b.elo)
        high = lead + math.hypot(a.high - a.elo, b.elo - b.low)
        there, least, most = (float(expectation(gap)) for gap in (lead, low, high))
        return Forecast(self.name, there, low=least, high=most)


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


def adaptive_posterior(log_likelihood: Callable[[Floats], Floats], low: float, high: float) -> Posterior:
    """The posterior by section IV.A: a wide range and a coarse step, narrowed and refined until resolved.

    `log_likelihood` gives the log-likelihood at the points of any even grid.
    """
    step = 0.1
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


# What the posterior is used for (sections V and VI) --------------------------------------------------------

RESULTS = {1.0: "won", 0.5: "drawn", 0.0: "lost"}


@dataclass(frozen=True, eq=False)
class Skill:
    """The apparent skill of some decisions: whose, how many, and the posterior over c."""

    label: tuple[str, ...]
    profile: Profile
    model: BayesModel
    decisions: Decisions
    """Decisions that pass the rules, of which these are the ones at `rows`."""
    rows: Ints
    adaptive: bool = False
    """Whether the posterior is found on the paper's adaptive grid, from the decisions themselves."""

    @cached_property
    def posterior(self) -> Posterior:
        """Probability density of c."""
        if self.adaptive:
            return self.model.adaptive_posterior(self.decisions.take(self.rows))
        return self.model.posterior(self.profile)


def apparent_skill(model: BayesModel, decisions: Decisions, *label: str) -> Skill:
    """Skill of a player, a set of games or a composite player: of all the decisions together."""
    passed = _passed(model, decisions)
    return Skill(label or ("all",), model.profile(passed), model, passed, np.arange(len(passed)))


def apparent_skill_by(model: BayesModel, decisions: Decisions, *columns: str) -> list[Skill]:
    """Skill for each combination of values of some columns, in order of first occurrence.

    `apparent_skill_by(model, decisions, "player", "game_id")` is each player in each game, `"year"` skill
    over time. Rows without a value in one of the columns are left out.
    """
    passed = _passed(model, decisions)
    codes = np.stack([passed.codes(column) for column in columns])
    named = np.flatnonzero((codes >= 0).all(axis=0))
    passed, codes = passed.take(named), codes[:, named]
    _, first, group = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    keys = tuple(map(str, range(len(first))))
    profiles = model.stack(passed, lambda _: group.ravel(), keys).weighted(np.eye(len(first)))
    rows = np.split(np.argsort(group.ravel(), kind="stable"), np.cumsum(np.bincount(group.ravel()))[:-1])
    names = [passed.names(column) for column in columns]
    skills = []
    for index in np.argsort(first):
        label = tuple(str(name[code]) for name, code in zip(names, codes[:, first[index]], strict=True))
        skills.append(Skill(label, profiles[index], model, passed, rows[index]))
    return skills


def _passed(model: BayesModel, decisions: Decisions) -> Decisions:
    if not len(decisions):
        raise InputError("no decisions to find the skill of: check the selection")
    passed, _ = model.select(decisions)
    if not len(passed):
        raise InputError(model.none_passes(decisions))
    return passed


def band(decisions: Decisions, low: float, high: float) -> Decisions:
    """Decisions from games in which both players were rated from `low` to `high`: a composite player."""
    elos = np.stack([decisions.numbers(column) for column in ("player_elo", "opponent_elo")])
    return decisions.take(np.flatnonzero(((elos >= low) & (elos <= high)).all(axis=0)))


def training_curve(model: BayesModel, decisions: Decisions) -> list[Skill]:
    """Skill after the first 100, 200, 400, ... decisions, in their order (Figure 2)."""
    passed = _passed(model, decisions)
    sizes = [100 * 2**power for power in range(40) if 100 * 2**power < len(passed)] + [len(passed)]
    return [apparent_skill(model, passed.take(np.arange(size)), str(size)) for size in sizes]


def results_apart(model: BayesModel, decisions: Decisions) -> list[dict[str, Any]]:
    """Apparent skill in single games that were won, drawn and lost (Table III), and of all.

    Mean and spread of c between the single games, the deviation that their own posteriors give on average,
    and c from all their moves together.
    """
    singles = apparent_skill_by(model, decisions, "result", "player", "game_id")
    if not singles:
        raise InputError("no game here has a result: games won, lost and drawn cannot be told apart")
    groups = {name: [s for s in singles if float(s.label[0]) == value] for value, name in RESULTS.items()}
    rows = []
    for result, group in (*groups.items(), ("all", singles)):
        if group:
            means = [single.posterior.mean for single in group]
            rows.append(
                {
                    "games": result,
                    "players in games": len(group),
                    "mean of c": float(np.mean(means)),
                    "spread of c": float(np.std(means, ddof=1)) if len(means) > 1 else None,
                    "own deviation": float(np.mean([single.posterior.deviation for single in group])),
                    "c of all moves": model.posterior(Profile.sum([single.profile for single in group])).mean,
                }
            )
    return rows


def mileposts(
    model: BayesModel, decisions: Decisions, within: float = HALF_WIDTH
) -> list[tuple[float, Skill]]:
    """Composite players of 1600, 1700, ...: the appearances of each milepost together."""
    return [
        (float(century), apparent_skill(model, part, str(century)))
        for century, part in split_by_milepost(decisions, within).items()
        if model.profile(part).decisions > 0
    ]


# Hypotheses (section VI) ---------------------------------------------------------------------------------
#
# "Calculate the prior probability that a player of Elo e will make a sequence of moves" and "create
# 'likelihood evidence' as to whether someone is being illegally informed by computer". A hypothesis is a
# distribution over c; the probability of the moves under it is the average of their likelihood.

ENGINE_SKILL = (2.0, 6.0)
"""Where `engine` has its c: above every milepost (2800 is near 1.71), up to the end of the grid."""

HONEST = (56, 1120)
"""Of so many honest players in single games (the second), `engine` described the moves of so many (the first)
better than their own ratings did: milepost games from 1500 to 2800, halves judged by each other
(research.papers.difatta2009)."""

NOT_PROOF = (
    "What this is not: not the probability that either hypothesis is true, and not proof of cheating. "
    "It compares two descriptions of the same moves; both may be wrong. How likely each was before the "
    "moves were seen is not in it: among thousands of honest players some show a high ratio by chance, and "
    "whoever picks out the games after seeing them will find such. Simple positions, known theory and forced "
    "lines are played well by everyone. Moves of one game depend on one another, so the figure overstates "
    "what they tell. "
    f"Of {HONEST[1]:,} honest players in single games, `engine` described {HONEST[0]} "
    f"({100 * HONEST[0] / HONEST[1]:.1f}%) better than their own ratings did. "
    "Accusations need evidence of another kind."
)


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A described player: a distribution over c."""

    name: str
    c: Floats
    mass: Floats

    @classmethod
    def at(cls, skill: float) -> Hypothesis:
        """The agent E(skill) itself."""
        return cls(f"c = {skill:g}", np.array([_inside(skill)]), np.ones(1))

    @classmethod
    def between(cls, low: float, high: float, name: str = "") -> Hypothesis:
        """Any skill from `low` to `high`, all alike."""
        if not low < high:
            raise InputError(f"a range of c must rise, and {low:g} to {high:g} does not")
        c = np.linspace(_inside(low), _inside(high), 801)
        return cls(name or f"c from {low:g} to {high:g}", c, np.full(801, 1 / 801))

    @classmethod
    def engine(cls) -> Hypothesis:
        """A player who follows an engine: a skill beyond that of people."""
        low, high = ENGINE_SKILL
        return cls.between(low, high, f"played with an engine (c from {low:g} to {high:g})")

    @classmethod
    def rated(cls, elo: float, mapping: ScalarMapping, strays: float = 0.0) -> Hypothesis:
        """A player of this Elo: c by the mapping, as uncertain as the mapping is.

        `strays` is the deviation, in Elo, of how they play in such games from how they are rated, beyond
        the chance of single moves: form, and games that suit a player or not.
        """
        error = math.hypot(mapping.error, strays)
        strengths = np.linspace(GRID[0], GRID[-1], 6001)
        around = elo + error * np.linspace(-3, 3, 61) if error > 0 else np.array([elo])
        weights = np.exp(-np.square((around - elo) / error) / 2) if error > 0 else np.ones(1)
        c = np.interp(around, mapping.elo(strengths), strengths)
        return cls(f"played at {elo:g}", c, weights / weights.sum())


def _inside(skill: float) -> float:
    if not GRID[0] <= skill <= GRID[-1]:
        raise InputError(f"c must be from {GRID[0]:g} to {GRID[-1]:g}, and {skill:g} is not")
    return float(skill)


def log_probability(profile: Profile, hypothesis: Hypothesis) -> float:
    """Natural logarithm of the probability that this player chooses just these moves, given the positions."""
    if profile.decisions <= 0:
        raise InputError(
            "no decisions pass the rules of bayes: there are no moves to find the probability of"
        )
    from scipy.interpolate import CubicSpline

    likelihood = CubicSpline(GRID, profile.evidence)(hypothesis.c)
    return float(logsumexp(likelihood, b=hypothesis.mass))


# The options of E(c) -------------------------------------------------------------------------------------

BEND = 1.3
"""The move at the fraction x of the unlisted ones lies at the fraction x^BEND of the way from the last line
to a lost position. Fitted by the partition sums of positions read as 5, 10 and 20 lines."""

POINTS = 8
"""Unlisted moves are represented by so many, each with an equal part of their number as its weight."""


@dataclass(frozen=True, eq=False)
class WeighedOptions:
    """Lines and representatives of unlisted moves, flat, with the number of moves that each stands for."""

    exponent: Floats
    """-log(1 + loss / K): multiplied by c, the log of the weight of Eq. 1."""
    weight: Floats
    starts: Ints
    """Where the options of each decision begin; representatives of unlisted moves are its last."""
    played: Floats
    """Exponent of the played move, by its own value."""


def option_probabilities(
    decisions: Decisions, skill: float, offset: float = OFFSET, limit: int | None = None
) -> Floats:
    """Probability of every option under E(skill), flat, in the order of `decisions.values` (Eq. 2).

    Values are centipawns, clipped to plus and minus `limit`.
    """
    value = _clipped(decisions.values, limit)
    best = np.maximum.reduceat(value, decisions.offsets[:-1]) if len(value) else np.zeros(0)
    weights = (1 + (np.repeat(best, decisions.n_options) - value) / (100 * offset)) ** -skill
    sums = np.add.reduceat(np.append(weights, 0.0), decisions.offsets[:-1])
    return np.asarray(weights / np.repeat(sums, decisions.n_options))


def _clipped(values: npt.ArrayLike, limit: int | None) -> Floats:
    value = np.asarray(values, dtype=np.float64)
    return value if limit is None else evaluation.clip(value, limit)


def weighed_options(
    values: npt.ArrayLike,
    starts: Ints,
    lines: Ints,
    legal: Ints,
    played: Ints,
    offset: float,
    limit: int | None,
) -> WeighedOptions:
    """The options of E(c) among all legal moves; `lines` of them have values whatever was played.

    Moves that the engine did not list are guessed to lie between the last line and a lost position, as
    measured in positions with all moves valued (research.papers.difatta2009). The guess is the same
    whatever was played: a list of options that depends on the choice makes c come out too low.
    """
    value = _clipped(values, limit)
    options, first = np.diff(starts), starts[:-1]
    listed = value[np.arange(len(value)) - np.repeat(first, options) < np.repeat(lines, options)]
    begin = np.concatenate(([0], np.cumsum(lines)))
    best = np.maximum.reduceat(listed, begin[:-1]) if len(listed) else np.zeros(0)
    last = best - (np.minimum.reduceat(listed, begin[:-1]) if len(listed) else best)
    # A move that was searched alone is one of the unlisted, also where the number of legal moves is unknown.
    more = np.maximum(legal - lines, options - lines)
    with_more = np.flatnonzero(more > 0)
    fraction = ((np.arange(POINTS) + 0.5) / POINTS) ** BEND
    losses = tail_losses(last[with_more], np.clip(best[with_more], -1000, 1000) + 1000, fraction)
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
    # A move searched alone can come out above the best line: it loses nothing then.
    of_played = np.maximum(best - value[first + played], 0.0)
    scale = 100 * offset
    return WeighedOptions(-np.log1p(loss / scale), weight, ends, -np.log1p(of_played / scale))


# Partition sums ------------------------------------------------------------------------------------------

_FLUSH = 1e250
"""Products of partition sums are kept below this, then turned into logarithms: few logarithms are needed."""


def log_likelihoods(options: WeighedOptions, group: Ints, n_groups: int, grid: Floats) -> Floats:
    """Log-likelihood of the played options at every c of an even grid, summed within groups."""
    partitions = np.zeros((n_groups, len(grid)))
    if len(group):
        step, order = float(grid[1] - grid[0]), np.argsort(group, kind="stable")
        _add_log_partitions(
            options.exponent, options.weight, options.starts, order, group, float(grid[0]), step, partitions
        )
    return np.multiply.outer(np.bincount(group, options.played, minlength=n_groups), grid) - partitions


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
