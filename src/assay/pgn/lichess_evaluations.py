"""Lichess's evaluation files as a source of analyses.

One JSON object per line, compressed with zstandard: a position (`fen`, four fields) and its evaluations,
each with `knodes`, `depth` and `pvs`; a variation has `cp` or `mate`, from White's view, and its moves in
`line`. The file has hundreds of millions of positions, so only those that a workspace's games reach are
read in full: the rest is passed over after a look at the first bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa

from assay.decisions.evaluation import MATE, MATE_BOUND
from assay.decisions.schema import ANALYSES
from assay.errors import InputError, PgnError
from assay.pgn.sources import read_block

if TYPE_CHECKING:
    import chess

RECIPE_ID = "lichess"
"""Stands for the recipe of these analyses: they come from many engines in many browsers."""

ABOUT = {
    "recipe": {"name": "lichess", "meaning": "From a file of lichess's evaluations, the most lines first."},
    "engine": {"name": "Stockfish in users' browsers, versions and limits mixed"},
}

_BATCH = 10_000
_BLOCK_BYTES = 1 << 20
_MAX_LINE_BYTES = 1 << 20
"""No position has so many evaluations: what is longer is another file. A block holds no longer line."""
_MOST_BLANK_BYTES = 64 << 20
"""Blanks in a row: a file of a few kilobytes can hold gigabytes of them, compressed."""
_MOST_DEPTH, _MOST_KNODES, _MOST_CP = 1000, 10**12, 10**6
_MOST_MATE = MATE - MATE_BOUND
_PREFIX = b'{"fen":"'
_GIVE = "give lichess's file of evaluations, packed or not"


def read_evaluations(stream: BinaryIO, wanted: Set[str]) -> Iterator[pa.Table]:
    """Rows of the table analyses for the wanted positions, the first of each, a batch at a time."""
    rows: dict[str, dict[str, Any]] = {}
    left = set(wanted)
    failure: PgnError | None = None
    try:
        for number, text in _lines(stream):
            if (key := _key(text, number)) in left and (row := _row(key, text, number)) is not None:
                left.discard(key)
                rows[key] = row
            if len(rows) >= _BATCH:
                yield _table(rows)
    except PgnError as error:  # what came before the damage counts
        failure = error
    if rows:
        yield _table(rows)
    if failure is not None:
        raise failure


def _table(rows: dict[str, dict[str, Any]]) -> pa.Table:
    table = pa.Table.from_pylist(list(rows.values()), ANALYSES.arrow)
    rows.clear()
    return table


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers, in memory one block at a time."""
    number, carry, blank = 1, b"", 0
    while block := read_block(stream, _BLOCK_BYTES, "the file of evaluations"):
        if not carry and block.isspace():
            blank += len(block)
            if blank > _MOST_BLANK_BYTES:
                raise InputError(f"line {number} is followed by {blank >> 20} MB of nothing: {_GIVE}")
            number += block.count(b"\n")
            continue
        blank = 0
        *lines, carry = (carry + block).split(b"\n")
        yield from enumerate(lines, start=number)
        number += len(lines)
        if len(carry) > _MAX_LINE_BYTES:
            raise InputError(f"line {number} is longer than {_MAX_LINE_BYTES >> 20} MB: {_GIVE}")
    yield number, carry


def _key(text: bytes, number: int) -> str:
    """The position of a line, by its first bytes where they are as usual."""
    fen = ""
    if text.startswith(_PREFIX):
        fen = text[len(_PREFIX) : text.find(b'"', len(_PREFIX))].decode("ascii", "replace")
    elif text.strip():
        fen = str(_parsed(text, number).get("fen", ""))
    return " ".join(fen.split()[:4])


def _parsed(text: bytes, number: int) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        if isinstance(line := json.loads(text), dict):
            return line
    raise InputError(f"line {number} is not JSON: {_GIVE}")


def _row(key: str, text: bytes, number: int) -> dict[str, Any] | None:
    """The evaluation with the most lines, the deepest of these; None where none makes sense."""
    import chess

    evaluations = _parsed(text, number).get("evals") or []
    try:
        board = chess.Board(f"{key} 0 1")
        best = max(evaluations, key=lambda listed: (len(listed["pvs"]), listed["depth"]))
        options = [_option(board, variation) for variation in best["pvs"]]
        return {
            "position_key": key,
            "recipe_id": RECIPE_ID,
            "n_legal": board.legal_moves.count(),
            "depth": _within(best["depth"], 0, _MOST_DEPTH),
            "nodes": 1000 * _within(best["knodes"], 0, _MOST_KNODES),
            "seconds": 0.0,
            "moves": [move for move, _, _ in options],
            "cp": [cp for _, cp, _ in options],
            "mate": [mate for _, _, mate in options],
            "trace_depth": [],
            "trace_move": [],
            "trace_value": [],
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def _within(number: Any, least: int, most: int) -> int:
    """A number that can be; the columns of the table hold no others."""
    if not least <= int(number) <= most:
        raise ValueError(f"{least} to {most}")
    return int(number)


def _option(board: chess.Board, variation: dict[str, Any]) -> tuple[str, int | None, int | None]:
    """First move (castling as the king's two squares), centipawns and mate from the mover's view."""
    sign = 1 if board.turn else -1
    cp, mate = variation.get("cp"), variation.get("mate")
    if (cp is None) == (mate is None):
        raise ValueError("a variation has one value")
    move = board.parse_uci(variation["line"].split(" ", 1)[0]).uci()
    if cp is not None:
        return move, sign * _within(cp, -_MOST_CP, _MOST_CP), None
    return move, None, sign * _within(mate, -_MOST_MATE, _MOST_MATE)
