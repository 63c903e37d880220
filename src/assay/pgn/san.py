"""The moves of games: by the Rust reader, by python-chess where that stops.

The Rust reader keeps one comment per move and stops at what it does not know. `read_mainline` is slow and
exact: for games with comments worth reading, and as a second opinion on moves that the first reader refused
(long algebraic notation, `e.p.`).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.decisions.arrays import Codes, Floats, encode_moves
from assay.decisions.evaluation import MATE
from assay.pgn.comments import read_commands
from assay.pgn.tags import TaggedText, is_variant

if TYPE_CHECKING:
    import chess

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
    ending: float = math.nan
    """The value of the last position by the rules, mover's view; NaN where the game could go on."""
    clocks: Floats = field(default_factory=lambda: np.zeros(0))
    """What the clock behind each move shows, in seconds; NaN where there is none."""


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
    # Of comments with other words the Rust reader knows the clock, if it is written h:mm:ss.
    shown = np.concatenate([chunk.clocks for chunk in chunks]) if commented and chunks else np.zeros(0)
    clocks = np.where(np.isnan(values[3]), shown, values[3])
    parsed: list[Parsed] = []
    first = 0
    for chunk in chunks:
        promotion = np.maximum(chunk.promotions - 1, 0)
        squares = (chunk.from_squares, chunk.to_squares, promotion)
        codes = sum(64**place * each.astype(np.int16) for place, each in enumerate(squares))
        bounds = chunk.move_offsets
        numbers: list[int | None] = [None] * chunk.num_games
        if commented:
            here = slice(first, first + len(codes))
            valid = comments[here].is_valid().to_numpy(zero_copy_only=False)
            unusual = _sums(is_unusual[here], bounds)
            numbers = [None if odd else n for n, odd in zip(_sums(valid, bounds), unusual, strict=True)]
        drawn = chunk.is_stalemate | chunk.is_insufficient.all(axis=1)
        endings = np.where(chunk.is_checkmate, -float(MATE), np.where(drawn, 0.0, np.nan)).tolist()
        ends = (bounds[:-1].tolist(), bounds[1:].tolist())
        columns = (chunk.outcome, chunk.parse_errors, numbers, endings, *ends)
        for outcome, error, n_comments, ending, start, end in zip(*columns, strict=True):
            of_game = clocks[first + start : first + end]
            parsed.append(
                Parsed(codes[start:end], outcome, error, first + start, n_comments, ending, of_game)
            )
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
    moves, stopped_at, ending = play_mainline(line.moves[:MAX_PLIES], parts.tags.get("FEN"))
    if stopped_at is not None and len(moves) <= len(first.codes):
        return first
    codes, outcome = encode_moves(pa.array(moves, pa.string())), _ENDS.get(line.ending or "")
    return Parsed(codes, outcome, stopped_at, ending=ending, clocks=first.clocks)


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


def play_mainline(moves: list[str], start_fen: str | None) -> tuple[list[str], str | None, float]:
    """UCI of the legal moves, the first move that is not one (None if all are), and how the game ended.

    A null move passes the turn, which the rules do not allow: it counts as not legal.
    """
    import chess

    try:
        board = chess.Board(start_fen) if start_fen else chess.Board()
    except ValueError:
        return [], "the first position", math.nan
    played: list[str] = []
    for written in moves:
        try:
            move = None if written in _NULL_MOVES else board.parse_san(written)
        except ValueError:
            move = None
        if not move:
            return played, written, math.nan
        played.append(board.uci(move))
        board.push(move)
    return played, None, ending_value(board)


def ending_value(board: chess.Board) -> float:
    """The value of a position by the rules, mover's view; NaN where the game could go on."""
    if board.is_checkmate():
        return -float(MATE)
    return 0.0 if board.is_stalemate() or board.is_insufficient_material() else math.nan
