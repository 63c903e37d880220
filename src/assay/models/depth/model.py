"""`depth`: how players weigh what moves are worth at every depth (Regan and Haworth 2011, section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.depths import DEPTHS, ROWS
from assay.decisions.elo import expectation
from assay.decisions.profile import Profile
from assay.decisions.rules import (
    Rule,
    after_turn,
    choice_of_two,
    enough_lines,
    evaluated,
    rated,
    traced,
)
from assay.errors import InputError, MappingError
from assay.models.base import MoveModel
from assay.models.depth.agent import LIMIT, SCALE, depth_weights
from assay.models.depth.grid import SHAPE, AgentPosterior, interpolation, resolve
from assay.models.depth.likelihood import log_likelihoods
from assay.models.depth.views import Positions
from assay.models.elo_mapping import EloMapping, no_mapping

LEVELS = np.linspace(-2.5, 3.0, 551)
"""Levels on the line of agents."""

_AT_ZERO = np.array([0.965, -1.04, 0.63])
_PER_LEVEL = np.array([0.39, -1.16, 0.89])


def line_of_agents(level: Floats) -> Floats:
    """c, the logit of sight and rise at levels: shape (levels, 3).

    A straight line in ln c, logit and rise, along which players differ: level 0 is where those of 1600 were
    found and level 1 those of 2600, with `standard`. The three of one player can lie beside it, and few moves
    do not tell; how far along it they are, they do.
    """
    points = _AT_ZERO + np.multiply.outer(level, _PER_LEVEL)
    points[:, 0] = np.exp(points[:, 0])
    return np.asarray(points)


class DepthModel(MoveModel):
    """Agents that weigh depths: consistency c, the share `sight` of depth 1, and `rise` of the others.

    A profile is the log-likelihood on a grid of agents: it adds. It reads the trace of the searches.
    """

    name: ClassVar[str] = "depth"
    strength = "level"
    reads_trace: ClassVar[bool] = True

    def __init__(
        self, *, depths: int = DEPTHS, opening_turns: int = 8, mapping: EloMapping | None = None
    ) -> None:
        if not 2 <= depths <= 60:
            raise InputError(f"two depths or more are weighed, and at most 60, not {depths}")
        self.depths, self.opening_turns = depths, opening_turns
        self.mapping = mapping

    @property
    def settings(self) -> str:
        """Curve, depths and selection."""
        return (
            f"ipb s={SCALE / 100:g}, share, limit={LIMIT:.0f}, depths 1 to {self.depths}, "
            f"after turn {self.opening_turns}"
        )

    def rules(self) -> tuple[Rule, ...]:
        """No opening, a choice to be made, lines enough, a played move with a value, and a trace."""
        return (
            rated(),
            after_turn(self.opening_turns),
            evaluated(),
            choice_of_two(),
            enough_lines(),
            traced(),
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """One log-likelihood for each agent of the grid."""
        return (int(np.prod(SHAPE)),)

    def none_passes(self, decisions: Decisions) -> str:
        """Why there is nothing to say; decisions read without trace have a sentence of their own."""
        if len(decisions) and not decisions.traced.any():
            return (
                "depth reads what the engine said at every depth, and these decisions have no trace: analyse "
                "the games with assay and read them with trace=True"
            )
        return super().none_passes(decisions)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Floats:
        """Log-likelihood of the decisions at every agent of the grid, summed within groups."""
        total = np.zeros((n_groups, *self.shape))
        for start in range(0, len(decisions), ROWS):
            rows = np.arange(start, min(start + ROWS, len(decisions)))
            some = decisions if len(rows) == len(decisions) else decisions.take(rows)
            positions = Positions.of(some, self.depths)
            total += log_likelihoods(positions, some.played_index, group[rows], n_groups)
        return total

    # Answers -------------------------------------------------------------------------------------------

    def posterior(self, profile: Profile) -> AgentPosterior:
        """Probability of the agents from a flat prior over the grid."""
        self._check(profile)
        return resolve(profile.evidence)

    def estimate(self, profile: Profile) -> Estimate:
        """Level, c, the share at sight, the rise, and the mean depth, as if moves were independent."""
        posterior = self.posterior(profile)
        region, mean, deviation = posterior.region(), posterior.mean, posterior.deviation
        sight = posterior.region_of(lambda logit, rise: 1 / (1 + np.exp(-logit)) + 0 * rise)
        depth = posterior.region_of(self._mean_depth)
        quantities = {
            "level": self._level(profile),
            "c": Quantity(mean[0], deviation[0], *region[0]),
            "sight": Quantity(*sight),
            "rise": Quantity(mean[2], deviation[2], *region[2]),
            "mean_depth": Quantity(*depth),
        }
        note = "of independent moves, flat over the grid of agents"
        return Estimate(self.name, quantities, profile.decisions, profile.games, note, profile.recipe_id)

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """Level of many profiles: one matrix product."""
        found = np.stack([profile.evidence for profile in profiles]) @ self._along.T
        mass = np.exp(found - found.max(axis=1, keepdims=True))
        return np.asarray(mass @ LEVELS / mass.sum(axis=1))

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """From the two ratings: the paper gives no forecast."""
        if self.mapping is None:
            raise MappingError(no_mapping(self.name))
        first, second = self.mapping.elos(self, [white, black])
        return Forecast(self.name, float(expectation(first - second)), notes=("from the ratings",))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black; each profile is read once."""
        if self.mapping is None:
            raise MappingError(no_mapping(self.name))
        first, second = (self.mapping.elos(self, side) for side in (white, black))
        return expectation(first[:, None] - second)

    @cached_property
    def _along(self) -> Floats:
        """What each agent of the grid contributes to the log-likelihood along the line of agents."""
        return interpolation(line_of_agents(LEVELS))

    def _level(self, profile: Profile) -> Quantity:
        found = self._along @ profile.evidence
        mass = np.exp(found - found.max())
        mass /= mass.sum()
        mean = float(mass @ LEVELS)
        low, high = np.interp([0.025, 0.975], np.cumsum(mass) - mass / 2, LEVELS)
        return Quantity(mean, float(np.sqrt(mass @ np.square(LEVELS - mean))), float(low), float(high))

    def _mean_depth(self, logit: Floats, rise: Floats) -> Floats:
        weights = depth_weights(1 / (1 + np.exp(-logit)), rise, self.depths)
        return np.asarray(weights @ np.arange(1, self.depths + 1))
