"""What a position asks of players of some Elo: their expected loss, and whether they find what was played.

The agent of an Elo (assay.models.depth.by_elo) gives every option its probability and all other moves theirs
together. Those lie between the last line and a lost position, as the agents were fitted with
(assay.models.depth.views), so they have losses and can be as good as a move that was searched alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.depths import ROWS
from assay.decisions.measures import expectation
from assay.models.depth.agent import LIMIT, SCALE
from assay.models.depth.by_elo import AgentsByElo
from assay.models.depth.probabilities import OptionProbabilities, probabilities
from assay.models.depth.views import BELOW_UNSEEN, TAIL_UNIT, Positions

FINE = 0.01
"""Of the expectation, 0 to 1: a move that loses no more is as fine as the best, for people."""

BETTER = 0.05
"""Of the expectation, 0 to 1: a move that keeps so much more is plainly better."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Of each decision, for players of one Elo; NaN where its search has no trace."""

    loss: Floats
    """Mean loss in centipawns, values clipped to ten pawns."""
    lost: Floats
    """Mean loss of expectation (assay.decisions.measures.expectation), 0 to 1."""
    as_good: Floats
    """Probability of a move at least as good as the one played."""
    best: Floats
    """Probability of a move as good as the best."""
    fine: Floats
    """Probability of a move that loses at most FINE of the expectation."""
    better: Floats
    """Probability of a move that keeps at least BETTER more of the expectation than the one played."""


def expected(decisions: Decisions, agents: AgentsByElo, elo: float) -> Expected:
    """What players of this Elo lose in each decision, and how often they find what was played.

    Decisions are evaluated and read with their trace; the number of legal moves is known.
    """
    found = Expected(*(np.full(len(decisions), np.nan) for _ in range(6)))
    agent = agents.at(elo)
    for start in range(0, len(decisions), ROWS):
        rows = np.arange(start, min(start + ROWS, len(decisions)))
        some = decisions if len(rows) == len(decisions) else decisions.take(rows)
        part = _some(some, probabilities(Positions.of(some), agent), agent.c)
        for name in ("loss", "lost", "as_good", "best", "fine", "better"):
            getattr(found, name)[rows] = getattr(part, name)
    return found


def _some(decisions: Decisions, share: OptionProbabilities, c: float) -> Expected:
    values = np.clip(decisions.values.astype(np.float64), -LIMIT, LIMIT)
    starts = decisions.offsets[:-1]
    rows = np.repeat(np.arange(len(decisions)), decisions.n_options)
    best = np.clip(decisions.best_value, -LIMIT, LIMIT)
    played = np.clip(decisions.played_value, -LIMIT, LIMIT)
    below, weight = _others(decisions, values, best, c)

    def mean(of_options: Floats, of_others: Floats) -> Floats:
        options = np.add.reduceat(share.options * of_options, starts)
        return np.asarray(options + share.tail * (weight * of_others).sum(axis=1))

    def chance(of_options: Mask, of_others: Mask) -> Floats:
        found = mean(of_options.astype(np.float64), of_others.astype(np.float64))
        return np.asarray(np.where(np.isnan(played), np.nan, found))

    top, kept = expectation(best), expectation(played) + BETTER
    worth, worth_below = expectation(values), expectation(below)
    return Expected(
        loss=mean(best[rows] - values, best[:, None] - below),
        lost=mean(top[rows] - worth, top[:, None] - worth_below),
        as_good=chance(values >= played[rows], below >= played[:, None]),
        best=mean((values >= best[rows]).astype(np.float64), np.zeros(below.shape)),
        fine=mean(
            (worth >= top[rows] - FINE).astype(np.float64), (worth_below >= top[:, None] - FINE).astype(float)
        ),
        better=chance(worth >= kept[rows], worth_below >= kept[:, None]),
    )


def _others(decisions: Decisions, values: Floats, best: Floats, c: float) -> tuple[Floats, Floats]:
    """Values of moves below the last line, at a few points, and how likely each point is to be chosen."""
    lines = np.minimum(np.maximum(decisions.numbers("n_lines"), 1), decisions.n_options).astype(np.int64)
    last = values[decisions.offsets[:-1] + lines - 1]
    at_last = np.log1p(np.maximum(best - last, 0.0) / TAIL_UNIT)
    way = np.maximum(np.log1p((best + LIMIT) / TAIL_UNIT) - at_last, 0.0)
    loss = TAIL_UNIT * np.expm1(at_last[:, None] + way[:, None] * BELOW_UNSEEN[0])
    chosen = np.power(1 + loss / SCALE, -c)
    return best[:, None] - loss, chosen / chosen.sum(axis=1, keepdims=True)
