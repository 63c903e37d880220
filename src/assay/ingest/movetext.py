"""Movetext, read slowly and exactly: the main line's moves and every comment.

The bulk of games goes through the Rust reader, which keeps one comment per move and stops at what it does not
know. This reader is for games with comments worth reading, and a second opinion on moves that the first
refused (long algebraic notation, `e.p.`).
"""

import re
from dataclasses import dataclass, field

import chess

_TOKEN = re.compile(r"\{([^}]*)(?:\}|\Z)|;([^\n]*)|(\()|(\))|\$\d+|(^%[^\n]*)|([^\s(){};$]+)", re.MULTILINE)
_NUMBER = re.compile(r"^\d+\.*|^\.+")
_ENDS = {"1-0", "0-1", "1/2-1/2", "*", "½-½"}
_NULL_MOVES = {"--", "Z0", "null", "pass"}


@dataclass
class Mainline:
    """The main line: its moves as written, and the comments after n moves at index n."""

    moves: list[str] = field(default_factory=list)
    comments: list[list[str]] = field(default_factory=lambda: [[]])
    ending: str | None = None


def read_mainline(movetext: str) -> Mainline:
    """Moves and comments of the main line; variations are passed over, however deep."""
    line = Mainline()
    depth = 0
    for comment, rest, opening, closing, _, word in _TOKEN.findall(movetext):
        if opening:
            depth += 1
        elif closing:
            depth = max(0, depth - 1)
        elif depth:
            continue
        elif comment or rest:
            line.comments[-1].append((comment or rest).strip())
        elif word in _ENDS:
            line.ending = word
            break
        elif word:
            _add_move(line, word)
    return line


def _add_move(line: Mainline, word: str) -> None:
    move = (
        _NUMBER.sub("", word, count=1)
        if word[0] in "0123456789." and word[:3] not in ("0-0", "0-O")
        else word
    )
    move = move.rstrip("!?")
    if move and move not in ("e.p.", "ep", "+-", "-+", "=", "+/-", "-/+", "N", "D"):
        line.moves.append(move)
        line.comments.append([])


def play_mainline(moves: list[str], start_fen: str | None) -> tuple[list[str], str | None]:
    """UCI of the legal moves, and the first move that is not one (None if all are).

    A null move passes the turn, which the rules do not allow: it counts as not legal.
    """
    try:
        board = chess.Board(start_fen) if start_fen else chess.Board()
    except ValueError:
        return [], "the first position"
    played: list[str] = []
    for move in moves:
        if move in _NULL_MOVES:
            return played, move
        try:
            found = board.parse_san(move)
        except ValueError:
            return played, move
        if not found:
            return played, move
        played.append(board.uci(found))
        board.push(found)
    return played, None
