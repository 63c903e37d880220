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
    """The main line: its moves as written, and the comments after n moves at index n.

    `alternatives` has, likewise for each move, the first moves of the variations to it and their comments.
    """

    moves: list[str] = field(default_factory=list)
    comments: list[list[str]] = field(default_factory=lambda: [[]])
    alternatives: list[list[tuple[str, str]]] = field(default_factory=list)
    ending: str | None = None


def read_mainline(movetext: str) -> Mainline:
    """Moves and comments of the main line; variations are passed over, however deep, but for their start."""
    line = Mainline()
    depth = 0
    variation: list[str] = []
    for comment, rest, opening, closing, _, word in _TOKEN.findall(movetext):
        if opening:
            depth += 1
            variation = []
        elif closing:
            depth = max(0, depth - 1)
        elif depth:
            _add_to_variation(line, variation, depth, word, comment)
        elif comment or rest:
            line.comments[-1].append((comment or rest).strip())
        elif word in _ENDS:
            line.ending = word
            break
        elif word:
            _add_move(line, word)
    return line


def _add_to_variation(line: Mainline, variation: list[str], depth: int, word: str, comment: str) -> None:
    """Keep the first move of a variation with the comment that follows it."""
    move = _bare_move(word) if word else ""
    if move:
        variation.append(move)
    elif comment and depth == 1 and len(variation) == 1 and line.alternatives:
        line.alternatives[-1].append((variation[0], comment.strip()))
        variation.append(comment)  # only the first comment


def _bare_move(word: str) -> str:
    """A move without its number and its marks; empty where the word is no move."""
    move = (
        _NUMBER.sub("", word, count=1)
        if word[0] in "0123456789." and word[:3] not in ("0-0", "0-O")
        else word
    )
    move = move.rstrip("!?")
    return "" if move in ("e.p.", "ep", "+-", "-+", "=", "+/-", "-/+", "N", "D") else move


def _add_move(line: Mainline, word: str) -> None:
    move = _bare_move(word)
    if move:
        line.moves.append(move)
        line.comments.append([])
        line.alternatives.append([])


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
