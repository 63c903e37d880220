"""Probability of each legal move of one analysed position, for one agent or several.

    agents = calibration.agents                           # of a calibration: `Calibration.agents`
    shares = move_probabilities(trace, legal, [agents.at(1500), agents.at(2000)])
    shares.shape                                          # (agents, legal moves); each row has the sum 1

The same formula as `assay.models.depth.probabilities`, which gives the options of many decisions and all
other moves together. Here each legal move has its own: one that some depth lists is known there, and moves
that no depth lists share their part evenly. What is seen of a position is the trace of its search alone, so
this works while a game is played, without a table, and without compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.depths import DEPTHS
from assay.errors import InputError
from assay.models.depth.agent import LIMIT, SCALE, DepthAgent
from assay.models.depth.views import BELOW_SEEN, BELOW_UNSEEN, TAIL_UNIT

Scale = Callable[[Floats], Floats]
"""From values, mates as `assay.decisions.evaluation` has them, to centipawns that can be compared."""


def clipped(values: Floats) -> Floats:
    """The scale with which agents are fitted: within ten pawns, mates included."""
    return np.clip(values, -LIMIT, LIMIT)


def move_probabilities(
    trace: Sequence[tuple[int, str, int]],
    legal: Sequence[str],
    agents: Sequence[DepthAgent],
    *,
    scale: Scale = clipped,
    unit: float = SCALE,
    depths: int = DEPTHS,
) -> Floats:
    """Probability of each legal move for each agent: shape (agents, legal moves).

    `trace` has the lines of every complete depth as (depth, move, value), shallow first and best first, as
    `AnalysisRow.trace` does. `scale` and `unit` are those of the fit unless told.
    """
    values, depth, seen = _lines(trace, legal, depths)
    listed = ~np.isnan(values)
    cp = np.where(listed, scale(np.where(listed, values, 0.0)), np.nan)
    best = np.nanmax(cp, axis=1)
    loss = np.where(listed, best[:, None] - cp, 0.0)
    near, far = _below(best, np.nanmax(loss, axis=1), depth, unit)
    c = np.array([agent.c for agent in agents])
    weights = np.stack([_gathered(agent.weights(depths), depth) for agent in agents])
    g = np.exp(-np.multiply.outer(c, np.log1p(loss / unit)))
    below_seen, below_unseen = (np.exp(-np.multiply.outer(c, one)).mean(axis=-1) for one in (near, far))
    unlisted = np.where(seen, below_seen[..., None], below_unseen[..., None])
    y = np.einsum("ad,adm->am", weights, np.where(listed, g, unlisted))
    return np.asarray(y / y.sum(axis=1, keepdims=True))


def _lines(
    trace: Sequence[tuple[int, str, int]], legal: Sequence[str], depths: int
) -> tuple[Floats, Ints, Mask]:
    """Values at the depths that were reached, NaN where not listed; those depths; which moves any lists."""
    place = {move: index for index, move in enumerate(legal)}
    if not trace or any(move not in place for _, move, _ in trace):
        raise InputError("probabilities need the lines of a search, and its moves among the legal ones")
    depth = np.array(sorted({line[0] for line in trace if line[0] <= depths}) or [trace[0][0]])
    row = {int(one): index for index, one in enumerate(depth)}
    values = np.full((len(depth), len(legal)), np.nan)
    seen = np.zeros(len(legal), np.bool_)
    for reached, move, value in trace:
        seen[place[move]] = True
        if reached in row:
            values[row[reached], place[move]] = value
    return values, depth, seen


def _below(best: Floats, last: Floats, depth: Ints, unit: float) -> tuple[Floats, Floats]:
    """ln(1 + loss/s) of moves below the last line: that another depth lists, and that none lists."""
    at_last = np.log1p(last / TAIL_UNIT)
    way = np.maximum(np.log1p(np.maximum(best + LIMIT, 0.0) / TAIL_UNIT) - at_last, 0.0)
    parts = BELOW_SEEN[np.minimum(depth, len(BELOW_SEEN)) - 1], BELOW_UNSEEN
    near, far = (TAIL_UNIT * np.expm1(at_last[:, None] + way[:, None] * part) for part in parts)
    return np.log1p(near / unit), np.log1p(far / unit)


def _gathered(weights: Floats, depth: Ints) -> Floats:
    """Weights of the depths that were reached: others are as the one before them, or else as the first."""
    stands = np.maximum(np.searchsorted(depth, np.arange(1, len(weights) + 1), side="right") - 1, 0)
    return np.asarray(np.bincount(stands, weights, minlength=len(depth)), np.float64)
