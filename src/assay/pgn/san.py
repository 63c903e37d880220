"""The moves of games: by the Rust reader, by python-chess where that stops.

The Rust reader keeps one comment per move and stops at what it does not know. `read_mainline` is slow and
exact: for games with comments worth reading, and as a second opinion on moves that the first reader refused
(long algebraic notation, `e.p.`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.decisions import move_codes
from assay.decisions.arrays import Codes, Floats
from assay.pgn.comments import read_commands
from assay.pgn.excluded_games import is_variant
from assay.pgn.tags import TaggedText

MAX_PLIES = 6_000
"""No game under the 75-move rule is longer."""

_TOKEN = re.compile(r"\{([^}]*)(?:\}|\Z)|;([^\n]*)|(\()|(\))|\$\d+|(^%[^\n]*)|([^\s(){};$]+)", re.MULTILINE)
_NUMBER = re.compile(r"^\d+\.*|^\.+")
_BLANK_LINES = re.compile(r"\n[ \t\r\n]*\n")
_ENDS = {"1-0": "White", "0-1": "Black", "1/2-1/2": "Draw", "*": None, "½-½": None}
_NULL_MOVES = {"--", "Z0", "null", "pass"}
_NOT_MOVES = {"e.p.", "ep", "+-", "-+", "=", "+/-", "-/+", "N", "D"}


@dataclass
class Parsed:
    """The legal moves of one movetext."""

    codes: Codes
    outcome: str | None
    error: str | None
    first_comment: int = 0
    """The place of the comment behind the first move among those of all games."""
    n_comments: int | None = None
    """How many moves have a comment; None where one of them is unusual."""


def parse_moves(tagged: list[TaggedText]) -> tuple[list[Parsed], Floats]:
    """The legal moves of each game, and what the comments behind all moves say (`read_commands`).

    A second opinion by python-chess where the Rust reader stopped.
    """
    import rust_pgn_reader_python_binding as rust

    # The reader takes a blank line for the end of the game; real files have them among the moves.
    texts = [_rules(parts.tags) + _BLANK_LINES.sub("\n", parts.movetext.strip()) for parts in tagged]
    commented = any("[%" in text for text in texts)
    chunks = rust.parse_games_from_strings(texts, store_comments=commented).chunks
    comments = pa.array(
        [text for chunk in chunks for text in chunk.comments] if commented else [], pa.large_string()
    )
    values, is_unusual = read_commands(comments)
    parsed: list[Parsed] = []
    first = 0
    for chunk in chunks:
        promotion = np.maximum(chunk.promotions - 1, 0)
        codes = move_codes.from_squares(chunk.from_squares, chunk.to_squares, promotion)
        bounds = chunk.move_offsets
        numbers: list[int | None] = [None] * chunk.num_games
        if commented:
            here = slice(first, first + len(codes))
            valid = comments[here].is_valid().to_numpy(zero_copy_only=False)
            unusual = _sums(is_unusual[here], bounds)
            numbers = [None if odd else n for n, odd in zip(_sums(valid, bounds), unusual, strict=True)]
        columns = (chunk.outcome, chunk.parse_errors, numbers, bounds[:-1].tolist(), bounds[1:].tolist())
        for outcome, error, n_comments, start, end in zip(*columns, strict=True):
            parsed.append(Parsed(codes[start:end], outcome, error, first + start, n_comments))
        first += len(codes)
    settled = [
        game if game.error is None else _second_opinion(parts, game)
        for parts, game in zip(tagged, parsed, strict=True)
    ]
    return settled, values


def _sums(marks: NDArray[np.bool_], bounds: NDArray[np.integer]) -> list[int]:
    """How many marks lie between bounds and the next."""
    sums: list[int] = np.diff(np.concatenate(([0], np.cumsum(marks)))[bounds]).tolist()
    return sums


def _rules(tags: dict[str, str]) -> str:
    """The tags that decide how moves are read. At least one: the reader passes over a text without any."""
    if "Variant" not in tags and "FEN" not in tags:
        return '[Event "?"]\n\n'
    named = {"Event": "?", **{name: tags[name] for name in ("Variant", "FEN") if tags.get(name)}}
    return "".join(f'[{name} "{value.replace(chr(34), "")}"]\n' for name, value in named.items()) + "\n"


def _second_opinion(parts: TaggedText, first: Parsed) -> Parsed:
    if is_variant(parts.tags):
        return first
    line = read_mainline(parts.movetext[: 1 << 20])
    moves, stopped_at = play_mainline(line.moves[:MAX_PLIES], parts.tags.get("FEN"))
    if stopped_at is not None and len(moves) <= len(first.codes):
        return first
    return Parsed(move_codes.encode(pa.array(moves, pa.string())), _ENDS.get(line.ending or ""), stopped_at)


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
        move = _bare_move(word) if word else ""
        if opening:
            depth += 1
            variation = []
        elif closing:
            depth = max(0, depth - 1)
        elif depth:
            if move:
                variation.append(move)
            elif comment and depth == 1 and len(variation) == 1 and line.alternatives:
                line.alternatives[-1].append((variation[0], comment.strip()))
                variation.append(comment)  # only the first comment
        elif comment or rest:
            line.comments[-1].append((comment or rest).strip())
        elif word in _ENDS:
            line.ending = word
            break
        elif move:
            line.moves.append(move)
            line.comments.append([])
            line.alternatives.append([])
    return line


def _bare_move(word: str) -> str:
    """A move without its number and its marks; empty where the word is not a move."""
    if word[0] in "0123456789." and word[:3] not in ("0-0", "0-O"):
        word = _NUMBER.sub("", word, count=1)
    move = word.rstrip("!?")
    return "" if move in _NOT_MOVES else move


def play_mainline(moves: list[str], start_fen: str | None) -> tuple[list[str], str | None]:
    """UCI of the legal moves, and the first move that is not one (None if all are).

    A null move passes the turn, which the rules do not allow: it counts as not legal.
    """
    import chess

    try:
        board = chess.Board(start_fen) if start_fen else chess.Board()
    except ValueError:
        return [], "the first position"
    played: list[str] = []
    for written in moves:
        try:
            move = None if written in _NULL_MOVES else board.parse_san(written)
        except ValueError:
            move = None
        if not move:
            return played, written
        played.append(board.uci(move))
        board.push(move)
    return played, None
