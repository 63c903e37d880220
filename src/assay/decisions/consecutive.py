"""Consecutive evaluations: one value per position, and what each move lost by the values around it.

Games that bring their evaluations tell what positions are worth, not what the other options were. The value
before a move is that of the best move, by one search; the value after it is that of the move played, by
another (the single-line mode of Regan and Haworth 2011). The two searches differ, so a move may seem to gain;
such a move lost nothing. Everything is done on flat arrays, of many games at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints


def movers_view(white: npt.ArrayLike, offsets: Ints, black_starts: npt.ArrayLike = False) -> Floats:
    """Values from White's view, flat over the positions of games, from the view of each position's mover."""
    value = np.asarray(white, dtype=np.float64)
    lengths = np.diff(offsets)
    number = np.arange(len(value)) - np.repeat(offsets[:-1], lengths)
    blacks = np.repeat(np.broadcast_to(np.asarray(black_starts, dtype=np.int64), lengths.shape), lengths)
    return np.where((number + blacks) % 2 == 0, value, -value)


def between(value: Floats, offsets: Ints) -> tuple[Ints, Floats, Floats]:
    """Every move of games: its position's place among all, the value before, and after, its mover's view.

    `value` has one entry for each position, the last of a game included, from its mover's view; NaN where it
    is not known.
    """
    is_move = np.ones(len(value), dtype=bool)
    is_move[offsets[1:] - 1] = False
    rows = np.flatnonzero(is_move)
    return rows, value[rows], -value[rows + 1]


def loss_between(before: Floats, after: Floats, limit: int | None = None) -> Floats:
    """Value before less value after, in centipawns: not below zero; NaN where either is not known.

    With `limit`, values are clipped to plus and minus it first, mates included.
    """
    if limit is not None:
        before, after = evaluation.clip(before, limit), evaluation.clip(after, limit)
    return np.maximum(before - after, 0.0)
