"""King and rook, or king and queen, against a bare king: how far off the mate is, move by move.

Every player above a beginner mates here, and an engine's values hardly tell how: they differ by hundredths
between moves that lead to mate in 9 and in 15. So these two endings are solved, once, by going back from all
mates: 64 x 64 x 64 positions for each side to move, in less than a second, and then nothing is searched.
"""

from __future__ import annotations

import threading
from functools import cache

import chess
import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Ints, Mask
from assay.decisions.evaluation import from_mate

Distances = npt.NDArray[np.int8]

_STEPS = tuple((across, up) for across in (-1, 0, 1) for up in (-1, 0, 1) if across or up)
_ready = threading.Event()


def prepare() -> threading.Thread:
    """Solve both endings in the background."""

    def solve() -> None:
        distances(queen=False)
        distances(queen=True)
        _ready.set()

    thread = threading.Thread(target=solve, daemon=True)
    thread.start()
    return thread


def solved_values(board: chess.Board, *, wait: bool = True) -> dict[str, int] | None:
    """Value of every legal move, mover's view, mates as such; None where this is another ending.

    Or where the endings are not solved yet, and nobody may wait for it.
    """
    if chess.popcount(board.occupied) != 3 or not board.rooks | board.queens:
        return None
    if board.castling_rights or not (wait or _ready.is_set()):
        return None
    strong = chess.WHITE if chess.popcount(board.occupied_co[chess.WHITE]) == 2 else chess.BLACK
    won, lost = distances(bool(board.queens))
    return {move.uci(): _value(board, move, strong, won, lost) for move in board.legal_moves}


def _value(board: chess.Board, move: chess.Move, strong: chess.Color, won: Distances, lost: Distances) -> int:
    """Of one move: a mate in so many, or a draw."""
    board.push(move)
    try:
        if chess.popcount(board.occupied) < 3:
            return 0
        piece = chess.msb(board.rooks | board.queens)
        table = won if board.turn == strong else lost
        after = int(table[board.king(strong), board.king(not strong), piece])
    finally:
        board.pop()
    if after < 0:
        return 0
    # The side that wins has made one of its moves; the other has yet to be mated.
    return from_mate(after + 1) if board.turn == strong else -from_mate(after) if after else 0


@cache
def distances(queen: bool) -> tuple[Distances, Distances]:
    """Moves to mate by own king, other king and piece: own side to move, other side to move; -1 a draw.

    With the other side to move and mated it is 0.
    """
    squares = np.arange(64)
    near = (np.abs(np.subtract.outer(squares % 8, squares % 8)) <= 1) & (
        np.abs(np.subtract.outer(squares // 8, squares // 8)) <= 1
    )
    apart = ~np.eye(64, dtype=bool)
    possible = ~near[:, :, None] & apart[:, None, :] & apart[None, :, :]
    checks = _attacks(queen)
    # Squares that the bare king may go to; taking the piece is one of them, and never lost.
    open_to = ~near[:, :, None] & (~checks | ~apart[None, :, :])
    won, lost = np.full((64, 64, 64), -1, np.int8), np.full((64, 64, 64), -1, np.int8)
    moves = _any_step(open_to, axis=1)
    lost[possible & ~moves & checks] = 0
    n = 0
    while (before := lost == n).any():
        after = _any_step(before, axis=0) | _any_slide(before, queen)
        won[after & possible & ~checks & (won < 0)] = n + 1
        holds = _any_step(open_to & (won < 0), axis=1)
        lost[possible & moves & ~holds & (lost < 0)] = n + 1
        n += 1
    return won, lost


def _next(across: int, up: int) -> tuple[Ints, Ints]:
    """Squares from which a step stays on the board, nearest to its end first; and where it leads."""
    squares = np.arange(64)
    inside = (squares % 8 + across >= 0) & (squares % 8 + across < 8)
    inside &= (squares // 8 + up >= 0) & (squares // 8 + up < 8)
    first = squares[inside]
    first = first[np.argsort(-(first % 8 * across + first // 8 * up), kind="stable")]
    return first, first + across + 8 * up


def _any_step(after: Mask, axis: int) -> Mask:
    """Whether some step of the king on this axis leads to such a position."""
    turned = np.moveaxis(after, axis, 0)
    reached = np.zeros_like(turned)
    for step in _STEPS:
        first, then = _next(*step)
        reached[first] |= turned[then]
    return np.moveaxis(reached, 0, axis)


def _any_slide(after: Mask, queen: bool) -> Mask:
    """Whether some move of the piece leads to such a position; it passes neither king."""
    turned = np.moveaxis(after, 2, 0)
    reached = np.zeros_like(turned)
    for step in _directions(queen):
        along = np.zeros_like(turned)
        for first, then in zip(*_next(*step), strict=True):
            along[first] = turned[then] | along[then]
            along[first, then, :] = False
            along[first, :, then] = False
        reached |= along
    return np.moveaxis(reached, 0, 2)


def _directions(queen: bool) -> list[tuple[int, int]]:
    return [step for step in _STEPS if queen or 0 in step]


def _attacks(queen: bool) -> Mask:
    """Whether the piece attacks a square, the own king not between: [own king, square, piece]."""
    attacked = np.zeros((64, 64, 64), bool)
    for across, up in _directions(queen):
        for piece in range(64):
            free = np.ones(64, bool)
            file, rank = piece % 8 + across, piece // 8 + up
            while 0 <= file < 8 and 0 <= rank < 8:
                square = file + 8 * rank
                attacked[:, square, piece] = free
                free[square] = False
                file, rank = file + across, rank + up
    return attacked
