"""How probable some moves are under a described player, and which of two descriptions fits them better.

Di Fatta, Haworth and Regan 2009, section VI: "calculate the prior probability that a player of Elo e will
make a sequence of moves" and "create 'likelihood evidence' as to whether someone is being illegally informed
by computer". A hypothesis is a distribution over c; the probability of the moves under it is the average of
their likelihood.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import logsumexp
from scipy.stats import norm

from assay.decisions.arrays import Floats
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.bayes.model import GRID
from assay.models.bayes.posterior import Posterior
from assay.models.elo_mapping import ScalarMapping

ENGINE_SKILL = (2.0, 6.0)
"""Where `engine` has its c: above every milepost (2700 is near 1.66), up to the end of the grid."""

HONEST = (10, 432)
"""Of so many honest players in single games (the second), `engine` described the moves of so many (the first)
better than their own ratings did: milepost games from 1600 to 2700, halves judged by each other
(research.papers.difatta2009.honest)."""

NOT_PROOF = (
    "What this is not: not the probability that either hypothesis is true, and no proof of cheating. "
    "It compares two descriptions of the same moves; both may be wrong. How likely each was before the "
    "moves were seen is not in it: among thousands of honest players some show a high ratio by chance, and "
    "whoever picks out the games after seeing them will find such. Simple positions, known theory and forced "
    "lines are played well by everyone. Moves of one game depend on one another, so the figure overstates "
    "what they tell. "
    f"Of {HONEST[1]} honest players in single games, `engine` described {HONEST[0]} "
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
        weights = norm.pdf((around - elo) / error) if error > 0 else np.ones(1)
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
