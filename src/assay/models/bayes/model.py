"""Skill as a posterior over stochastic agents (Di Fatta, Haworth, Regan 2009).

A player's decisions are compared with those that the agents E(c) would have made; the answer is the
probability of each c. A profile is the log-likelihood on a fixed fine grid of c: it adds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Quantity, Rating
from assay.decisions.arrays import Floats, Ints
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
from assay.errors import InputError, MappingError
from assay.models.base import MoveModel
from assay.models.bayes.agent import (
    OFFSET,
    exponents,
    log_likelihoods,
    log_partitions,
    option_probabilities,
)
from assay.models.bayes.posterior import Posterior, adaptive_posterior, resolve
from assay.models.bayes.tail import WeighedOptions, legal_of, lines_of, log_unlisted, weighed_options
from assay.models.elo_mapping import EloMapping, ScalarMapping, no_mapping
from assay.models.intervals import FEWEST_GAMES, resample_weights, student, variance_correction

GRID = np.arange(601) / 100
"""The values of c at which profiles hold the log-likelihood: 0 (a random mover) to 6, in steps of 0.01."""

DISPERSION = 1.96
"""How much more the mean of c varies over games than its posterior says, as a ratio of variances: the mean
over the mileposts 1600 to 2700 (1.0 to 4.5; research.papers.difatta2009.dispersion).
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
    among all legal moves, those without a line as `assay.models.bayes.tail` has them; the played move then
    counts by its own searched value, or only as some move below the last line. `value` adds it as one more
    option, so that the options depend on the choice: c comes out too low. `exclude` leaves the decision out,
    and counts it.
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
        self.offset = offset
        self.limit = limit
        self.opening_turns = opening_turns
        self.outside = outside
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
        known = {"exclude": (among_lines(),), "censored": ()}.get(self.outside, (evaluated(),))
        return (rated(), after_turn(self.opening_turns), choice_of_two(), enough_lines(), *known)

    @property
    def shape(self) -> tuple[int, ...]:
        """One log-likelihood for each c of the grid."""
        return GRID.shape

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Floats:
        """Log-likelihood of the decisions at every c of the grid, summed within groups."""
        return self._log_likelihood(decisions, group, n_groups, GRID)

    def _log_likelihood(self, decisions: Decisions, group: Ints, n_groups: int, grid: Floats) -> Floats:
        if self.outside in ("value", "exclude"):
            exponent = exponents(decisions.values, decisions.offsets, self.offset, self.limit)
            return log_likelihoods(exponent, decisions.offsets, decisions.played_index, group, n_groups, grid)
        options = self._among_legal(
            decisions.values,
            decisions.offsets,
            lines_of(decisions),
            legal_of(decisions),
            decisions.played_index,
        )
        return self._among_all(options, group, n_groups, grid)

    def evidence_of_one(self, values: Floats, starts: Ints, lines: Ints, legal: Ints, played: Ints) -> Floats:
        """Log-likelihood of one decision that is in no table, at every c of the grid."""
        one = np.zeros(1, np.int64)
        if self.outside in ("value", "exclude"):
            exponent = exponents(values, starts, self.offset, self.limit)
            return np.asarray(log_likelihoods(exponent, starts, played, one, 1, GRID)[0])
        options = self._among_legal(values, starts, lines, legal, played)
        return np.asarray(self._among_all(options, one, 1, GRID)[0])

    def _among_legal(
        self, values: npt.ArrayLike, starts: Ints, lines: Ints, legal: Ints, played: Ints
    ) -> WeighedOptions:
        return weighed_options(values, starts, lines, legal, played, self.offset, self.limit)

    def _among_all(self, options: WeighedOptions, group: Ints, n_groups: int, grid: Floats) -> Floats:
        """Log-likelihood where the agent chooses among all legal moves, listed or not."""
        censored = options.outside if self.outside == "censored" else np.zeros(len(group), dtype=bool)
        own = np.where(censored, 0.0, options.played)
        total = np.multiply.outer(np.bincount(group, weights=own, minlength=n_groups), grid)
        total -= log_partitions(options.exponent, options.weight, options.starts, group, n_groups, grid)
        rows = np.flatnonzero(censored)
        for start in range(0, len(rows), _CENSORED_AT_ONCE):
            some = rows[start : start + _CENSORED_AT_ONCE]
            np.add.at(total, group[some], log_unlisted(options, some, grid))
        return total

    def posterior(self, profile: Profile) -> Posterior:
        """Probability density of c from a flat prior (Eq. 3 and 4)."""
        self._check(profile)
        return resolve(GRID, profile.evidence)

    def adaptive_posterior(self, decisions: Decisions) -> Posterior:
        """The same from the decisions themselves, by the adaptive range of section IV.A."""
        kept, _ = self.select(decisions)
        if not len(kept):
            raise InputError(self.none_passes(decisions))
        group = np.zeros(len(kept), np.int64)
        return adaptive_posterior(
            lambda grid: self._log_likelihood(kept, group, 1, grid)[0], float(GRID[0]), float(GRID[-1])
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
        drawn = used.weighted(resample_weights(len(used), resamples, seed))
        means = np.array([self.posterior(one).mean for one in drawn])
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
        if self.mapping is None:
            raise MappingError(no_mapping(self.name))
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
        starts = np.array([0, len(value)])
        listed, moves = (np.array([len(value) if n is None else n]) for n in (lines, legal))
        if not 1 <= listed[0] <= len(value):
            raise InputError(f"the lines are some of the {len(value)} options, not {listed[0]}")
        self._evidence += self._model.evidence_of_one(value, starts, listed, moves, np.array([played]))
        self.decisions += 1
        return self.posterior

    @property
    def posterior(self) -> Posterior:
        """The posterior now; flat before any decision."""
        return resolve(GRID, self._evidence)
