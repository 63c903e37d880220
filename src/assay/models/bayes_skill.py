"""The uses that Di Fatta, Haworth and Regan name for the posterior over c (2009, sections V and VI).

One player in one game, a set of games, a composite player of an Elo band, skill over time: the same call on
other groups of decisions. The training curve is Figure 2, games won, lost and drawn are Table III.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from assay.answers.ratings import Rating
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile, ProfileStack
from assay.errors import InputError
from assay.models.base import games_in, recipe_of
from assay.models.bayes import GRID, BayesModel, Posterior
from assay.models.elo_mapping import ScalarMapping
from assay.models.intervals import FEWEST_GAMES
from assay.models.mileposts import HALF_WIDTH, split_by_milepost

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

    @cached_property
    def rating(self) -> Rating:
        """Rating through the model's mapping, its interval from resampled games where there are enough."""
        if self.profile.games < FEWEST_GAMES:
            return self.model.rate(self.profile)
        return self.model.rate_games(self.by_games())

    def by_games(self) -> ProfileStack:
        """One profile for each game."""
        part = self.decisions.take(self.rows)
        codes, group = np.unique(part.codes("game_id"), return_inverse=True)
        names = part.names("game_id")
        keys = tuple(str(names[code]) if code >= 0 else "" for code in codes)
        return self.model.stack(part, lambda _: group, keys)


def apparent_skill(model: BayesModel, decisions: Decisions, *label: str) -> Skill:
    """Skill of a player, a set of games or a composite player: of all the decisions together."""
    profile = model.profile(decisions)
    if profile.decisions <= 0:
        raise InputError(model.none_passes(decisions))
    passed, _ = model.select(decisions)
    return Skill(label or ("all",), profile, model, passed, np.arange(len(passed)))


def apparent_skill_by(model: BayesModel, decisions: Decisions, *columns: str) -> list[Skill]:
    """Skill for each combination of values of some columns, in order of first occurrence.

    `apparent_skill_by(model, decisions, "player", "game_id")` is each player in each game, `"year"` skill
    over time. Rows without a value in one of the columns are left out.
    """
    if not len(decisions):
        raise InputError("no decisions to find the skill of: check the selection")
    passed, _ = model.select(decisions)
    if not len(passed):
        raise InputError(model.none_passes(decisions))
    codes = np.stack([passed.codes(column) for column in columns])
    passed = passed.take(np.flatnonzero((codes >= 0).all(axis=0)))
    codes = np.stack([passed.codes(column) for column in columns])
    _, first, inverse = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    group = inverse.ravel()
    evidence = model.evidence(passed, group, len(first))
    counts = np.bincount(group, minlength=len(first)).astype(np.float64)
    games = games_in(passed, group, len(first))
    rows = np.split(np.argsort(group, kind="stable"), np.cumsum(counts.astype(np.int64))[:-1])
    names = [passed.names(column) for column in columns]
    recipe = recipe_of(passed)
    skills = []
    for index in np.argsort(first):
        label = tuple(str(name[code]) for name, code in zip(names, codes[:, first[index]], strict=True))
        profile = Profile(model.identity, evidence[index], counts[index], games[index], recipe_id=recipe)
        skills.append(Skill(label, profile, model, passed, rows[index]))
    return skills


def band(decisions: Decisions, low: float, high: float) -> Decisions:
    """Decisions from games in which both players were rated from `low` to `high`: a composite player."""
    elos = np.stack([decisions.numbers(column) for column in ("player_elo", "opponent_elo")])
    return decisions.take(np.flatnonzero(((elos >= low) & (elos <= high)).all(axis=0)))


# Figure 2 ----------------------------------------------------------------------------------------------


def training_curve(
    model: BayesModel, decisions: Decisions, sizes: Sequence[int] | None = None
) -> list[Skill]:
    """Skill after the first so many decisions, in their order (Figure 2); by default 100, 200, 400, ..."""
    passed, _ = model.select(decisions)
    if not len(passed):
        raise InputError(model.none_passes(decisions))
    doubling = [100 * 2**power for power in range(40) if 100 * 2**power < len(passed)]
    chosen = sorted({min(size, len(passed)) for size in sizes or (*doubling, len(passed))})
    if chosen[0] < 1:
        raise InputError("a training curve needs numbers of decisions above zero")
    part = np.searchsorted(chosen, np.arange(len(passed)), side="right")
    within = passed.take(np.flatnonzero(part < len(chosen)))
    rows = np.cumsum(model.evidence(within, part[part < len(chosen)], len(chosen)), axis=0)
    game, recipe = passed.codes("game_id"), recipe_of(passed)
    skills = []
    for size, row in zip(chosen, rows, strict=True):
        profile = Profile(model.identity, row, size, len(np.unique(game[:size])), recipe_id=recipe)
        skills.append(Skill((str(size),), profile, model, passed, np.arange(size)))
    return skills


# Table III ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ResultGroup:
    """One row of Table III: players in single games that ended in one way."""

    result: str
    players_in_games: int
    mean: float
    """Mean of the apparent skills of the single games."""
    deviation: float
    """Spread of the apparent skills between the single games."""
    own_deviation: float
    """What the posteriors of the single games give as their own deviation, on average."""
    pooled: Posterior
    """The posterior from all decisions of the group together."""


def results_apart(model: BayesModel, decisions: Decisions) -> list[ResultGroup]:
    """Apparent skill in single games that were lost, won and drawn (Table III), and of all."""
    singles = apparent_skill_by(model, decisions, "result", "player", "game_id")
    if not singles:
        raise InputError("no game here has a result: games won, lost and drawn cannot be told apart")
    groups = {name: [s for s in singles if float(s.label[0]) == value] for value, name in RESULTS.items()}
    return [_result_group(name, group) for name, group in (*groups.items(), ("all", singles)) if group]


def _result_group(result: str, singles: list[Skill]) -> ResultGroup:
    means = np.array([single.posterior.mean for single in singles])
    return ResultGroup(
        result=result,
        players_in_games=len(singles),
        mean=float(means.mean()),
        deviation=float(means.std(ddof=1)) if len(means) > 1 else math.nan,
        own_deviation=float(np.mean([single.posterior.deviation for single in singles])),
        pooled=singles[0].model.posterior(Profile.sum([single.profile for single in singles])),
    )


# Elo ---------------------------------------------------------------------------------------------------


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
    "What this is not: not the probability that either hypothesis is true, and no proof of cheating. "
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
    def player(cls, name: str, posterior: Posterior) -> Hypothesis:
        """A player whose earlier decisions are known."""
        return cls(name, posterior.c, posterior.mass)

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


@dataclass(frozen=True, kw_only=True)
class LikelihoodRatio:
    """How much better the first hypothesis describes the moves than the second. See `not_proof`."""

    first: str
    second: str
    log_first: float
    log_second: float
    decisions: float
    not_proof: str = NOT_PROOF

    @property
    def log_ratio(self) -> float:
        """Natural logarithm of the ratio; above zero the first hypothesis fits better."""
        return self.log_first - self.log_second

    @property
    def log10_ratio(self) -> float:
        """The same to base ten: 2 is a factor of a hundred."""
        return self.log_ratio / math.log(10)


def likelihood_ratio(profile: Profile, first: Hypothesis, second: Hypothesis) -> LikelihoodRatio:
    """The log likelihood ratio of two hypotheses for the same moves."""
    a, b = log_probability(profile, first), log_probability(profile, second)
    return LikelihoodRatio(
        first=first.name, second=second.name, log_first=a, log_second=b, decisions=profile.decisions
    )
