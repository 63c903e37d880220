"""One game as a row of the table games: what its tags and moves say, and why it must not be rated."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any

import chess
import numpy as np
import pyarrow as pa

from assay.decisions import moves as move_codes
from assay.decisions.arrays import Codes
from assay.decisions.exclusions import Exclusion
from assay.decisions.schema import ANNOTATIONS, GAMES
from assay.pgn.annotations import Annotation
from assay.pgn.commands import Commands
from assay.pgn.exclusions import is_odds_or_simul, is_variant, time_class_of
from assay.pgn.fide_ids import fide_id_of
from assay.pgn.parsing import MAX_PLIES, Parsed
from assay.pgn.splitter import GameText
from assay.pgn.tags import TaggedText, eco_of, elo_of, evaluator_of, link_of, result_of, text_tag, year_of

_COMMENT = re.compile(r"\{[^}]*+(?:\}|\Z)|;[^\n]*+")
_OUTCOMES = {"White": 1.0, "Black": 0.0, "Draw": 0.5}
_STANDARD_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


@dataclass
class GameRecord:
    """One game as read: the columns of the table games, before names and duplicates are looked at."""

    game_id: str
    event: str | None
    site: str | None
    date: str | None
    year: int | None
    round: str | None
    white_name: str
    black_name: str
    white_elo: int | None
    black_elo: int | None
    result: float | None
    time_class: str
    n_plies: int
    moves: Codes
    start_fen: str | None
    source: str
    exclusion: Exclusion | None
    moves_key: int
    white_fide: int | None = None
    black_fide: int | None = None
    time_control: str | None = None
    evaluator: str | None = None
    eco: str | None = None
    link: str | None = None


def record_of(parts: TaggedText, parsed: Parsed, source: str, game: GameText) -> GameRecord:
    """The row of one game."""
    tags = parts.tags
    start_fen = _start_fen(tags)
    truncated = game.truncated or len(parsed.codes) > MAX_PLIES
    codes = parsed.codes[:0] if truncated or start_fen == "" else parsed.codes
    moves_bytes = codes.tobytes()
    date = text_tag(tags, "Date") or text_tag(tags, "UTCDate")
    tag_result, end_result = result_of(tags.get("Result")), _OUTCOMES.get(parsed.outcome or "")
    conflict = tag_result is not None and end_result is not None and tag_result != end_result
    result = None if conflict else tag_result if tag_result is not None else end_result
    return GameRecord(
        game_id=content_id("\x1f".join([*tags, *tags.values()]).encode("utf-8", "replace"), moves_bytes),
        event=text_tag(tags, "Event"),
        site=text_tag(tags, "Site"),
        date=date,
        year=year_of(date),
        round=text_tag(tags, "Round"),
        white_name=text_tag(tags, "White") or "?",
        black_name=text_tag(tags, "Black") or "?",
        white_elo=elo_of(tags.get("WhiteElo")),
        black_elo=elo_of(tags.get("BlackElo")),
        result=result,
        time_class=time_class_of(tags, parts.movetext),
        n_plies=len(codes),
        moves=codes,
        start_fen=start_fen or None,
        source=source,
        exclusion=_exclusion(parts, parsed, truncated, game.halved, conflict, result),
        moves_key=int.from_bytes(blake2b(moves_bytes, digest_size=8).digest(), "little", signed=True),
        white_fide=fide_id_of(tags.get("WhiteFideId")),
        black_fide=fide_id_of(tags.get("BlackFideId")),
        time_control=text_tag(tags, "TimeControl"),
        evaluator=evaluator_of(tags),
        eco=eco_of(tags.get("ECO")),
        link=link_of(tags),
    )


def _start_fen(tags: dict[str, str]) -> str | None:
    """The first position where it is not the usual one, as python-chess writes it; empty where it cannot be.

    The readers disagree on what a position is, and a position without a king must not reach compiled code.
    """
    fen = tags.get("FEN", "")
    if not fen or fen.startswith(_STANDARD_START):
        return None
    if is_variant(tags):
        return fen
    try:
        board = chess.Board(fen)
    except ValueError:
        return ""
    return board.fen() if board.is_valid() else ""


def content_id(*parts: bytes) -> str:
    """The id of a game: a hash of what it holds."""
    return blake2b(b"\x1d".join(parts), digest_size=8).hexdigest()


def _is_broken(parts: TaggedText) -> bool:
    """Whether a variation is not closed, so that the moves behind it are lost, or a comment not opened."""
    movetext = parts.movetext
    if "(" not in movetext and movetext.count("}") <= parts.opened:
        return False
    plain = _COMMENT.sub("", movetext)
    return plain.count("(") > plain.count(")") or "}" in plain


def _exclusion(
    parts: TaggedText,
    parsed: Parsed,
    truncated: bool,
    halved: bool,
    conflict: bool,
    result: float | None,
) -> Exclusion | None:
    """The first plain reason that applies, duplicates apart: those are known only among all games.

    What depends on a choice, length and time control, is worked out on reading (assay.decisions.exclusions).
    """
    tags = parts.tags
    fen = tags.get("FEN", "")
    checks = (
        (Exclusion.TOO_LARGE, truncated),
        (Exclusion.VARIANT, is_variant(tags)),
        (Exclusion.NONSTANDARD_START, bool(fen) and not fen.startswith(_STANDARD_START)),
        (Exclusion.ILLEGAL_MOVE, parsed.error is not None),
        (Exclusion.BROKEN_MOVES, halved or _is_broken(parts)),
        (Exclusion.NO_MOVES, not len(parsed.codes)),
        (Exclusion.ODDS_OR_SIMUL, is_odds_or_simul(tags)),
        (Exclusion.RESULT_CONFLICT, conflict),
        (Exclusion.NO_RESULT, result is None),
    )
    return next((reason for reason, applies in checks if applies), None)


def games_table(records: list[GameRecord]) -> pa.Table:
    """Rows of the table games."""
    columns = _columns(GameRecord, records, GAMES.arrow, without="moves")
    flat = np.concatenate([record.moves for record in records]) if records else np.empty(0, np.int16)
    offsets = np.concatenate(([0], np.cumsum([record.n_plies for record in records]))).astype(np.int32)
    columns["moves"] = pa.ListArray.from_arrays(pa.array(offsets), move_codes.decode(flat))
    return pa.table(columns).select(GAMES.arrow.names)


def annotations_table(annotations: dict[str, list[Annotation]]) -> pa.Table:
    """Rows of the table annotations."""
    flat = [one for found in annotations.values() for one in found]
    columns = _columns(Annotation, flat, ANNOTATIONS.arrow)
    columns["game_id"] = pa.array(
        [game_id for game_id, found in annotations.items() for _ in found], pa.string()
    )
    return pa.table(columns).select(ANNOTATIONS.arrow.names)


def plain_table(commands: Commands, games: list[GameRecord]) -> pa.Table:
    """The same of plain comments."""
    schema = ANNOTATIONS.arrow
    rows = len(commands.game)
    ids = pa.array([record.game_id for record in games], pa.string())
    columns: dict[str, pa.Array] = {name: pa.nulls(rows, schema.field(name).type) for name in schema.names}
    columns["game_id"] = ids.take(pa.array(commands.game))
    columns["position"] = pa.array(commands.position, pa.int16())
    for name in ("cp", "mate", "depth", "clock", "elapsed"):
        found = pa.array(getattr(commands, name), pa.float64(), from_pandas=True)
        columns[name] = found.cast(schema.field(name).type)
    columns["format"] = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(rows, np.int32)), pa.array([Annotation(0).format])
    ).cast(pa.string())
    return pa.table(columns).select(schema.names)


def _columns(record: type, rows: list[Any], schema: pa.Schema, without: str = "") -> dict[str, pa.Array]:
    """The fields of a record class as Arrow columns."""
    names = [field.name for field in fields(record) if field.name != without]
    return {name: pa.array([getattr(row, name) for row in rows], schema.field(name).type) for name in names}
