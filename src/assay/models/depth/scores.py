"""What single decisions say about an Elo: the slope of their log-likelihood there, and its variance.

The agent of each Elo gives every option a probability p(E). At an Elo E the *slope* of a decision is the
derivative of ln p(E) of the played move, and its *information* the mean of the slope's square over all moves
(Fisher). A player of that Elo has slopes of mean zero; one of E + d has slopes of mean d times information.
So sums over any decisions, divided by each other, say by how many points they were played above E: the step
of Fisher's method, and to first order what the largest likelihood says, without its wildness where decisions
are few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.depths import ROWS
from assay.models.depth.by_elo import AgentsByElo
from assay.models.depth.model import DepthModel
from assay.models.depth.probabilities import OptionProbabilities, probabilities
from assay.models.depth.views import Positions

STEP = 25.0
"""Derivatives are differences between so many points above and below."""

_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Slopes:
    """Of each decision, at its own Elo."""

    slope: Floats
    """Derivative of the log-likelihood of the played move by Elo."""
    information: Floats
    """Its variance, if the agent of the Elo chose."""


def rules_of_slopes() -> tuple[object, ...]:
    """The decisions that can be read: those of `depth`."""
    return DepthModel().rules()


def slopes(decisions: Decisions, agents: AgentsByElo, elo: Floats) -> Slopes:
    """Slope and information of decisions that passed the rules of `depth`, each at an Elo of its own."""
    slope, information = np.zeros(len(decisions)), np.zeros(len(decisions))
    for start in range(0, len(decisions), ROWS):
        rows = np.arange(start, min(start + ROWS, len(decisions)))
        some = decisions if len(rows) == len(decisions) else decisions.take(rows)
        positions = Positions.of(some)
        below, above = (_at(positions, agents, elo[rows] + step) for step in (-STEP, STEP))
        played = some.offsets[:-1] + some.played_index
        ratio = np.log(above.options[played]) - np.log(below.options[played])
        slope[rows] = ratio / (2 * STEP)
        information[rows] = _information(some, below, above)
    return Slopes(slope, information)


def _at(positions: Positions, agents: AgentsByElo, elo: Floats) -> OptionProbabilities:
    """Probabilities of the agent of each decision's Elo; equal Elos share one."""
    found, place = np.unique(elo, return_inverse=True)
    made = agents.agents(found)
    return probabilities(positions, [made[one] for one in place])


def _information(decisions: Decisions, below: OptionProbabilities, above: OptionProbabilities) -> Floats:
    """Sum of p'(E)^2 / p over the options, and over all other moves together."""

    def terms(low: Floats, high: Floats) -> Floats:
        return np.square((high - low) / (2 * STEP)) / np.maximum((low + high) / 2, _LEAST)

    options = terms(below.options, above.options)
    total = np.add.reduceat(options, decisions.offsets[:-1]) if len(options) else np.zeros(0)
    return np.asarray(total + terms(below.tail, above.tail))
