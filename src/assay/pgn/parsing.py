"""The moves of games and what stands behind each: by the Rust reader, by python-chess where that stops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import rust_pgn_reader_python_binding as rust
from numpy.typing import NDArray

from assay.decisions import moves as move_codes
from assay.decisions.arrays import Codes, Floats
from assay.pgn.commands import UNUSUAL, read_commands
from assay.pgn.exclusions import is_variant
from assay.pgn.movetext import play_mainline, read_mainline
from assay.pgn.tags import TaggedText

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
