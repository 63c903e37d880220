"""Board diagrams, and moves as people write them; decisions need not be about chess: then there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    import chess

PLAYED, BEST = "#b3122bdd", "#12a67add"
"""Arrows: a dark red and a bright green, apart in lightness too for those who see no difference in hue."""

_PLAIN = " !$&'()*+,-./:;=?@_~"  # characters that need no escape within a quoted address


def diagram(position: str, played: str, best: str) -> str:
    """Draw the position with both moves as arrows, as an address that is the picture.

    An address and not markup within the page: every drawing of the library names its pieces alike.
    """
    picture = drawing(position, played, best)
    return picture and f"data:image/svg+xml,{quote(picture, safe=_PLAIN)}"


def drawing(position: str, played: str, best: str, *, white: bool = False) -> str:
    """Draw the position with both moves as arrows, from the mover's or White's side.

    Empty where it is not chess.
    """
    import chess.svg

    board = _board(position)
    if board is None:
        return ""
    arrows = [
        chess.svg.Arrow(move.from_square, move.to_square, color=colour)
        for move, colour in ((_move(board, best), BEST), (_move(board, played), PLAYED))
        if move is not None
    ]
    return str(chess.svg.board(board, orientation=white or board.turn, arrows=arrows, size=390))


def in_words(position: str, move: str) -> str:
    """Write a move in algebraic notation, or as it is given where it is not legal here."""
    board = _board(position)
    legal = None if board is None else _move(board, move)
    return move if board is None or legal is None else board.san(legal)


def _board(position: str) -> chess.Board | None:
    import chess

    try:
        board = chess.Board(f"{position} 0 1", chess960=False)
    except ValueError:
        return None
    return board if board.king(chess.WHITE) is not None and board.king(chess.BLACK) is not None else None


def _move(board: chess.Board, text: str) -> chess.Move | None:
    import chess

    try:
        move = chess.Move.from_uci(text)
    except ValueError:
        return None
    return move if board.is_legal(move) else None
