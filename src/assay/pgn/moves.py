"""Movetext, read slowly and exactly: the main line's moves and every comment.

The bulk of games goes through the Rust reader, which keeps one comment per move and stops at what it does not
know. This reader is for games with comments worth reading, and a second opinion on moves that the first
refused (long algebraic notation, `e.p.`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import chess
import numpy as np
import pyarrow as pa
import rust_pgn_reader_python_binding as rust
from numpy.typing import NDArray

from assay.decisions import move_codes
from assay.decisions.arrays import Codes, Floats
from assay.pgn.comments import UNUSUAL, read_commands
from assay.pgn.exclusions import is_variant
from assay.pgn.tags import TaggedText

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


# The moves of games and what stands behind each: by the Rust reader, by python-chess where that stops.

MAX_PLIES = 6_000
"""No game under the 75-move rule is longer."""

_NO_RULES = '[Event "?"]\n\n'
_BLANK_LINES = re.compile(r"\n[ \t\r\n]*\n")


@dataclass
class Parsed:
    """What the reader made of one movetext."""

    codes: Codes
    outcome: str | None
    error: str | None
    comments: Comments | None = None
    """Those of a game in which none is unusual."""


@dataclass(frozen=True)
class Comments:
    """The comments of one game, among those that were read together."""

    read: tuple[Floats, NDArray[np.uint8]]
    start: int
    count: int
    """How many moves have one."""


def parse_moves(tagged: list[TaggedText]) -> Iterator[Parsed]:
    """The legal moves of each game; a second opinion by python-chess where the Rust reader stopped."""
    # The reader takes a blank line for the end of the game; real files have them among the moves.
    texts = [_rules(parts.tags) + _BLANK_LINES.sub("\n", parts.movetext.strip()) for parts in tagged]
    for parts, parsed in zip(tagged, _rust_moves(texts), strict=True):
        yield parsed if parsed.error is None else _second_opinion(parts, parsed)


def _rules(tags: dict[str, str]) -> str:
    """The tags that decide how moves are read. One at least: the reader passes over a text without any."""
    if "Variant" not in tags and "FEN" not in tags:
        return _NO_RULES
    named = {"Event": "?", **{name: tags[name] for name in ("Variant", "FEN") if tags.get(name)}}
    return "".join(f'[{name} "{value.replace(chr(34), "")}"]\n' for name, value in named.items()) + "\n"


def _rust_moves(texts: list[str]) -> Iterator[Parsed]:
    commented = any("[%" in text for text in texts)
    for chunk in rust.parse_games_from_strings(texts, store_comments=commented).chunks:
        promotion = np.maximum(chunk.promotions - 1, 0)
        codes = move_codes.from_squares(chunk.from_squares, chunk.to_squares, promotion)
        bounds = chunk.move_offsets.tolist()
        outcomes, errors = chunk.outcome, chunk.parse_errors
        comments = _comments(chunk.comments, chunk.move_offsets) if commented else [None] * chunk.num_games
        for index in range(chunk.num_games):
            own = codes[bounds[index] : bounds[index + 1]]
            yield Parsed(own, outcomes[index], errors[index], comments[index])


def _comments(texts: list[str | None], bounds: NDArray[np.integer]) -> list[Comments | None]:
    """The comments of each game; None for games in which one is unusual."""
    given = pa.array(texts, pa.large_string())
    read = read_commands(given)
    has = np.concatenate(([0], np.cumsum(given.is_valid().to_numpy(zero_copy_only=False))))
    unusual = np.concatenate(([0], np.cumsum(read[1] == UNUSUAL)))
    starts, counts = bounds[:-1].tolist(), np.diff(has[bounds]).tolist()
    usual = (np.diff(unusual[bounds]) == 0).tolist()
    return [
        Comments(read, start, count) if plain else None
        for start, count, plain in zip(starts, counts, usual, strict=True)
    ]


def _second_opinion(parts: TaggedText, first: Parsed) -> Parsed:
    if is_variant(parts.tags):
        return first
    line = read_mainline(parts.movetext[: 1 << 20])
    moves, stopped_at = play_mainline(line.moves[:MAX_PLIES], parts.tags.get("FEN"))
    if stopped_at is not None and len(moves) <= len(first.codes):
        return first
    outcome = {"1-0": "White", "0-1": "Black", "1/2-1/2": "Draw"}.get(line.ending or "")
    return Parsed(move_codes.encode(pa.array(moves, pa.string())), outcome, stopped_at)
