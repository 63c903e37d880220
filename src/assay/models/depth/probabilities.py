"""Probability of every option for an agent, or for a player of some Elo: the home that others read from.

    agents = AgentsByElo(...)                     # of a calibration
    found = probabilities(Positions.of(decisions), agents.at(elo))
    found.options, found.tail                     # flat like the decisions; one for each decision

`tail` is the probability of all legal moves that are not among the options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.depths import Small
from assay.errors import InputError
from assay.models.depth.agent import DepthAgent, depth_weights
from assay.models.depth.views import Positions, exponent, fill_sums


@dataclass(frozen=True, eq=False)
class OptionProbabilities:
    """What an agent would play."""

    options: Floats
    """Probability of every option, flat; NaN in decisions without a trace."""
    tail: Floats
    """Probability of all other legal moves together, for each decision."""


def probabilities(positions: Positions, agent: DepthAgent | Sequence[DepthAgent]) -> OptionProbabilities:
    """Probabilities for one agent, or for one agent of each decision.

    An option that was searched alone counts with its own value at the last depth, where the sum over all
    moves has the mean of unlisted ones: its probability does not lower those of the others.
    """
    agents = [agent] * len(positions) if isinstance(agent, DepthAgent) else agent
    if len(agents) != len(positions):
        raise InputError(f"{len(positions)} decisions need as many agents, or one, not {len(agents)}")
    c = np.array([one.c for one in agents])
    sight, rise = np.array([one.sight for one in agents]), np.array([one.rise for one in agents])
    weights = depth_weights(sight, rise, positions.by_depth.depths)
    options, tail = np.full(int(positions.offsets[-1]), np.nan), np.full(len(positions), np.nan)
    by_depth = positions.by_depth
    _fill(
        positions.offsets,
        positions.trace_offsets,
        positions.trace_depth,
        positions.trace_value,
        positions.legal,
        by_depth.best,
        by_depth.values,
        by_depth.censored,
        by_depth.seen,
        by_depth.n_seen,
        c,
        weights,
        options,
        tail,
    )
    return OptionProbabilities(options, tail)


@njit(nogil=True)
def _fill(
    offsets: Ints,
    trace_offsets: Ints,
    depth: Small,
    value: Small,
    legal: Ints,
    best: Small,
    values: Small,
    censored: Mask,
    seen: Mask,
    n_seen: Ints,
    c: Floats,
    weights: Floats,
    options: Floats,
    tail: Floats,
) -> None:
    depths = weights.shape[1]
    sums, near, far = np.empty((depths, 1)), np.empty((depths, 1)), np.empty((depths, 1))
    for row in range(len(legal)):
        begin, stop = trace_offsets[row], trace_offsets[row + 1]
        if begin == stop:
            continue
        fill_sums(begin, stop, depth, value, n_seen[row], legal[row], c[row], 0.0, sums, near, far)
        whole = 0.0
        for d in range(depths):
            whole += weights[row, d] * sums[d, 0]
        together = 0.0
        for option in range(offsets[row], offsets[row + 1]):
            y = 0.0
            below = near if seen[option] else far
            for d in range(depths):
                if censored[option, d]:
                    y += weights[row, d] * below[d, 0]
                else:
                    e = exponent(float(best[row, d]), float(values[option, d]))
                    y += weights[row, d] * np.exp(c[row] * e)
            options[option] = y / whole
            together += options[option]
        if together > 1.0:  # an option searched alone was better than the mean of unlisted moves
            for option in range(offsets[row], offsets[row + 1]):
                options[option] /= together
        tail[row] = max(1.0 - together, 0.0)
