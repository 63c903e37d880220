"""What a position asks of players of an Elo, what a decision says of its player's, and single positions.

The agent of an Elo gives every option its probability and all other moves theirs together. Those lie between
the last line and a lost position, as the agents were fitted with, so they have losses and can be as good as a
move that was searched alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.depths import DEPTHS
from assay.decisions.measures import expectation
from assay.errors import InputError
from assay.models.base import tail_losses
from assay.models.depth.agents import (
    BELOW_SEEN,
    BELOW_UNSEEN,
    LIMIT,
    SCALE,
    AgentsByElo,
    DepthAgent,
    losses_below,
    weights_below,
)
from assay.models.depth.likelihood import OptionProbabilities, Positions, in_batches, probabilities

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
    whole = Expected(*(np.full(len(decisions), np.nan) for _ in fields(Expected)))
    agent = agents.at(elo)
    for rows, batch, positions in in_batches(decisions):
        part = _expected(batch, probabilities(positions, agent), agent.c)
        for name, column in vars(part).items():
            getattr(whole, name)[rows] = column
    return whole


def _expected(decisions: Decisions, share: OptionProbabilities, c: float) -> Expected:
    values = np.clip(decisions.values.astype(np.float64), -LIMIT, LIMIT)
    starts = decisions.offsets[:-1]
    rows = np.repeat(np.arange(len(decisions)), decisions.n_options)
    best = np.clip(decisions.best_value, -LIMIT, LIMIT)
    played = np.clip(decisions.played_value, -LIMIT, LIMIT)
    lines = np.minimum(np.maximum(decisions.numbers("n_lines"), 1), decisions.n_options).astype(np.int64)
    losses = losses_below(best, np.maximum(best - values[starts + lines - 1], 0.0))
    below, weight = best[:, None] - losses, weights_below(losses, c)

    def mean(of_options: Floats | Mask, of_others: Floats | Mask) -> Floats:
        options = np.add.reduceat(share.options * of_options, starts)
        return np.asarray(options + share.tail * (weight * of_others).sum(axis=1))

    def chance(of_options: Mask, of_others: Mask) -> Floats:
        return np.asarray(np.where(np.isnan(played), np.nan, mean(of_options, of_others)))

    top, plainly = expectation(best), expectation(played) + BETTER
    worth, worth_below = expectation(values), expectation(below)
    return Expected(
        loss=mean(best[rows] - values, best[:, None] - below),
        lost=mean(top[rows] - worth, top[:, None] - worth_below),
        as_good=chance(values >= played[rows], below >= played[:, None]),
        best=mean(values >= best[rows], np.zeros(below.shape)),
        fine=mean(worth >= top[rows] - FINE, worth_below >= top[:, None] - FINE),
        better=chance(worth >= plainly[rows], worth_below >= plainly[:, None]),
    )


# What decisions say of an Elo ----------------------------------------------------------------------------

STEP = 25.0
"""Derivatives are differences between so many points above and below."""

_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Slopes:
    """Of each decision, at its own Elo E.

    Sums over any decisions, divided by each other, say by how many points they were played above E: the step
    of Fisher's method, and to first order what the largest likelihood says, without its wildness where
    decisions are few.
    """

    slope: Floats
    """Derivative of the log-likelihood of the played move by Elo."""
    information: Floats
    """Its variance, if the agent of the Elo chose."""


def slopes(decisions: Decisions, agents: AgentsByElo, elo: Floats) -> Slopes:
    """Slope and information of decisions that passed the rules of `depth`, each at an Elo of its own."""
    slope, information = np.zeros(len(decisions)), np.zeros(len(decisions))

    def terms(low: Floats, high: Floats) -> Floats:
        """p'(E)^2 / p."""
        return np.square((high - low) / (2 * STEP)) / np.maximum((low + high) / 2, _LEAST)

    for rows, batch, positions in in_batches(decisions):
        below, above = (_at(positions, agents, elo[rows] + step) for step in (-STEP, STEP))
        played = batch.offsets[:-1] + batch.played_index
        slope[rows] = (np.log(above.options[played]) - np.log(below.options[played])) / (2 * STEP)
        of_options = np.add.reduceat(terms(below.options, above.options), batch.offsets[:-1])
        information[rows] = of_options + terms(below.tail, above.tail)
    return Slopes(slope, information)


def _at(positions: Positions, agents: AgentsByElo, elo: Floats) -> OptionProbabilities:
    """Probabilities of the agent of each decision's Elo; equal Elos share one."""
    elos, place = np.unique(elo, return_inverse=True)
    of_elo = agents.agents(elos)
    return probabilities(positions, [of_elo[index] for index in place])


# Single positions ----------------------------------------------------------------------------------------

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
) -> Floats:
    """Probability of each legal move of one position for each agent: shape (agents, legal moves).

    `trace` has the lines of every complete depth as (depth, move, value), shallow first and best first, as
    `AnalysisRow.trace` does. `scale` and `unit` are those of the fit unless told.
    """
    values, depth, seen = _lines(trace, legal)
    listed = ~np.isnan(values)
    cp = np.where(listed, scale(np.where(listed, values, 0.0)), np.nan)
    best = np.nanmax(cp, axis=1)
    loss = np.where(listed, best[:, None] - cp, 0.0)
    last, lost = np.nanmax(loss, axis=1), np.maximum(best + LIMIT, 0.0)
    c = np.array([agent.c for agent in agents])
    # Depths that were not reached are as the one before them, or else as the first.
    stands = np.maximum(np.searchsorted(depth, np.arange(1, DEPTHS + 1), side="right") - 1, 0)
    weights = np.stack([np.bincount(stands, agent.weights(), minlength=len(depth)) for agent in agents])
    g = np.exp(-np.multiply.outer(c, np.log1p(loss / unit)))
    below_seen, below_unseen = (
        np.exp(-np.multiply.outer(c, np.log1p(tail_losses(last, lost, part) / unit))).mean(axis=-1)
        for part in (BELOW_SEEN[np.minimum(depth, len(BELOW_SEEN)) - 1], BELOW_UNSEEN)
    )
    unlisted = np.where(seen, below_seen[..., None], below_unseen[..., None])
    y = np.einsum("ad,adm->am", weights, np.where(listed, g, unlisted))
    return np.asarray(y / y.sum(axis=1, keepdims=True))


def _lines(trace: Sequence[tuple[int, str, int]], legal: Sequence[str]) -> tuple[Floats, Ints, Mask]:
    """Values at the depths that were reached, NaN where not listed; those depths; which moves any lists."""
    place = {move: index for index, move in enumerate(legal)}
    if not trace or any(move not in place for _, move, _ in trace):
        raise InputError("probabilities need the lines of a search, and its moves among the legal ones")
    depth = np.array(sorted({line[0] for line in trace if line[0] <= DEPTHS}) or [trace[0][0]])
    row = {number: index for index, number in enumerate(depth.tolist())}
    values = np.full((len(depth), len(legal)), np.nan)
    seen = np.zeros(len(legal), np.bool_)
    for reached, move, value in trace:
        seen[place[move]] = True
        if reached in row:
            values[row[reached], place[move]] = value
    return values, depth, seen
