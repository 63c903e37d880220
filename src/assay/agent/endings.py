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

from assay.decisions.evaluation import from_mate

Distances = npt.NDArray[np.int8]

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
    """Give the value of every legal move, mover's view; None where this is another ending.

    Also None where the endings are not solved yet and `wait` is false.
    """
    if chess.popcount(board.occupied) != 3 or not board.rooks | board.queens:
        return None
    if board.castling_rights or not (wait or _ready.is_set()):
        return None
    strong = chess.popcount(board.occupied_co[chess.WHITE]) == 2
    won, lost = distances(bool(board.queens))
    values = {}
    for move in list(board.legal_moves):
        board.push(move)
        after = -1
        if chess.popcount(board.occupied) == 3:
            table = won if board.turn == strong else lost
            after = int(
                table[board.king(strong), board.king(not strong), chess.msb(board.rooks | board.queens)]
            )
        board.pop()
        if after < 0:
            values[move.uci()] = 0
        else:  # the side that wins has made one of its moves; the other has yet to be mated
            values[move.uci()] = from_mate(after + 1) if board.turn == strong else -from_mate(after)
    return values


@cache
def distances(queen: bool) -> tuple[Distances, Distances]:
    """Count moves to mate, by own king, other king and piece: own side to move, other side to move.

    A draw is -1; with the other side to move and mated it is 0.
    """
    squares = np.arange(64)
    files, ranks = (np.abs(np.subtract.outer(place, place)) for place in (squares % 8, squares // 8))
    near = (files <= 1) & (ranks <= 1)
    apart = ~np.eye(64, dtype=bool)
    steps = (near & apart).astype(np.float32)
    possible = ~near[:, :, None] & apart[:, None, :] & apart[None, :, :]
    # [king, square, piece]: the piece attacks the square, the king not between.
    attacks = np.zeros((64, 64, 64), bool)
    lines = ((files == 0) | (ranks == 0) | (queen & (files == ranks))) & apart
    for square, piece in np.argwhere(lines).tolist():
        attacks[:, square, piece] = ~np.array(chess.SquareSet.between(square, piece).tolist())
    # [own king, other king, from, to]: the piece passes neither king.
    slides = (attacks[:, None] & attacks[None]).swapaxes(2, 3).astype(np.float32)
    # Squares that the bare king may go to; taking the piece is one of them, and never lost.
    open_to = ~near[:, :, None] & (~attacks | ~apart[None, :, :])
    won, lost = np.full((64, 64, 64), -1, np.int8), np.full((64, 64, 64), -1, np.int8)
    moves = np.matmul(steps, open_to.astype(np.float32)) > 0
    lost[possible & ~moves & attacks] = 0
    n = 0
    while (before := lost == n).any():
        mates = before.astype(np.float32)
        after = np.tensordot(steps, mates, 1) + np.einsum("abpq,abq->abp", slides, mates)
        won[(after > 0) & possible & ~attacks & (won < 0)] = n + 1
        holds = np.matmul(steps, (open_to & (won < 0)).astype(np.float32)) > 0
        lost[possible & moves & ~holds & (lost < 0)] = n + 1
        n += 1
    return won, lost
