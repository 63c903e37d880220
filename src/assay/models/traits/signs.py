"""The signs of each decision that `traits` sums: of the move, its worth at smaller depths, the position.

Values are taken as expectations of the mover (decisions.measures.expectation), so that a pawn counts for
less where a game is decided. Where a depth does not hold a move, its value is that of the depth's last line
(assay.decisions.depths): it was worth no more.
"""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.depths import DepthValues
from assay.decisions.measures import expectation, loss

LIMIT = 1000
"""Losses in centipawns are taken between values of at most ten pawns."""

DEPTHS = (1, 2, 4, 6, 8)
"""Depths at which the loss of the played move is looked at."""

SWINGS = (2, 4, 6, 8)
"""Depths from which on the worth of the played move is followed to the last."""

BOUNDS = (10, 30, 60, 100, 200)
"""Losses in centipawns that are looked at."""

_RANKS = (1, 2, 3, 5)
_NEAR = 0.02

OF_LOSSES = (
    "loss",
    "root of loss",
    "logarithm of loss",
    "no loss",
    *(f"loss within {b} cp" for b in BOUNDS),
)
OF_RANKS = (*(f"among the first {rank}" for rank in _RANKS), "logarithm of rank", "outside the lines")
OF_DEPTHS = tuple(f"{what} at depth {depth}" for depth in DEPTHS for what in ("loss", "no loss"))
OF_SWINGS = tuple(f"{what} from depth {depth}" for depth in SWINGS for what in ("fall", "swing"))
OF_POSITIONS = (
    "gap to the second",
    "decided",
    "expectation",
    "logarithm of legal moves",
    "mean loss of the options",
    "options as good as the best",
    "complexity",
    "changes of the best",
    *(f"best move's loss at depth {depth}" for depth in (2, 4, 8)),
    "change of value from depth 4",
)
_WEIGHED_BY = ("gap to the second", "decided", "mean loss of the options", "complexity")
OF_BOTH = tuple(f"{what}, by {by}" for by in _WEIGHED_BY for what in ("root of loss", "first"))

SIGNS = (*OF_LOSSES, *OF_RANKS, *OF_DEPTHS, *OF_SWINGS, *OF_POSITIONS, *OF_BOTH)
"""Names of the signs, in the order of the columns of `signs`."""

OPENING = (*OF_LOSSES, *OF_RANKS)
"""The signs that are read in the opening: what theory knows by heart has no depth and no difficulty."""


def signs(decisions: Decisions, by_depth: DepthValues) -> Floats:
    """Every sign of every decision: shape (decisions, signs).

    Decisions have more than one legal move and a known loss (the rules of `traits`).
    """
    starts, rows = decisions.offsets[:-1], np.repeat(np.arange(len(decisions)), decisions.n_options)
    played = starts + decisions.played_index
    best = expectation(decisions.best_value)
    lost = best - expectation(decisions.played_value)
    behind = best[rows] - expectation(decisions.values)
    losses, ranks = _of_losses(decisions, lost), _of_ranks(decisions)
    depths, swings = _of_depths(by_depth, played), _of_swings(decisions, by_depth, played)
    positions = _of_positions(decisions, by_depth, behind, starts)
    weights = positions[:, [OF_POSITIONS.index(name) for name in _WEIGHED_BY]]
    both = (weights[:, :, None] * np.stack((np.sqrt(lost), ranks[:, 0]), axis=1)[:, None, :]).reshape(
        len(decisions), -1
    )
    return np.concatenate((losses, ranks, depths, swings, positions, both), axis=1)


def _of_losses(decisions: Decisions, lost: Floats) -> Floats:
    centipawns = loss(decisions, LIMIT)
    within = centipawns[:, None] <= np.array((0, *BOUNDS))
    return np.column_stack((lost, np.sqrt(lost), np.log1p(centipawns), within))


def _of_ranks(decisions: Decisions) -> Floats:
    rank = decisions.played_index
    among = rank[:, None] < np.array(_RANKS)
    outside = rank >= decisions.numbers("n_lines")
    return np.column_stack((among, np.log1p(rank), outside)).astype(np.float64)


def _of_depths(by_depth: DepthValues, played: Ints) -> Floats:
    """What the played move lost against the best of each depth, and whether it was the best there."""
    columns = [_column(by_depth, depth) for depth in DEPTHS]
    lost = expectation(by_depth.best[:, columns]) - expectation(by_depth.values[played][:, columns])
    lost = np.maximum(lost, 0.0)
    return np.stack((lost, lost == 0), axis=2).reshape(len(played), -1).astype(np.float64)


def _of_swings(decisions: Decisions, by_depth: DepthValues, played: Ints) -> Floats:
    """How far the worth of the played move falls from a depth to the last one; its amount either way."""
    columns = [_column(by_depth, depth) for depth in SWINGS]
    fall = expectation(by_depth.values[played][:, columns]) - expectation(decisions.played_value)[:, None]
    return np.stack((fall, np.abs(fall)), axis=2).reshape(len(played), -1)


def _of_positions(decisions: Decisions, by_depth: DepthValues, behind: Floats, starts: Ints) -> Floats:
    best = expectation(decisions.best_value)
    options = decisions.n_options
    second = np.where(options > 1, behind[np.minimum(starts + 1, len(behind) - 1)], 0.0)
    legal = np.maximum(np.nan_to_num(decisions.numbers("n_legal"), nan=1.0), options)
    first = expectation(by_depth.best)
    changed = _changes(by_depth, starts, len(behind))
    late = [
        first[:, column] - expectation(by_depth.values[starts, column])
        for column in (_column(by_depth, depth) for depth in (2, 4, 8))
    ]
    return np.column_stack(
        (
            second,
            np.abs(best - 0.5),
            best,
            np.log(legal),
            np.add.reduceat(behind, starts) / options,
            np.add.reduceat((behind <= _NEAR).astype(np.float64), starts),
            (changed * np.abs(np.diff(first, axis=1))).sum(axis=1),
            changed.sum(axis=1),
            *(np.maximum(one, 0.0) for one in late),
            np.abs(first[:, _column(by_depth, 4)] - best),
        )
    )


def _changes(by_depth: DepthValues, starts: Ints, n_options: int) -> Floats:
    """Where the best move is another than one depth before (Guid and Bratko's complexity sums these)."""
    rows = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, n_options)))
    is_best = (by_depth.values == by_depth.best[rows]) & ~by_depth.censored
    place = np.where(is_best, np.arange(n_options)[:, None], n_options)
    leader = np.minimum.reduceat(place, starts, axis=0)
    return np.asarray(np.diff(leader, axis=1) != 0, dtype=np.float64)


def _column(by_depth: DepthValues, depth: int) -> int:
    return min(depth, by_depth.depths) - 1


def opening_columns() -> list[int]:
    """Which of the columns of `signs` are read in the opening."""
    return [SIGNS.index(name) for name in OPENING]
