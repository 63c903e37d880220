"""PGN into rows of the tables games and annotations, a batch at a time.

The moves go through the Rust reader (`rust-pgn-reader-python-binding`); tags, comments and the moves that it
refuses are read here. Every game becomes a row; what must not be rated carries a reason.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from hashlib import blake2b
from itertools import islice
from typing import Any, BinaryIO

import chess
import numpy as np
import pyarrow as pa
import rust_pgn_reader_python_binding as rust

from assay.domain import moves as move_codes
from assay.domain.schema import ANNOTATIONS, GAMES
from assay.ingest.annotations import Annotation, mentions_annotations, read_annotations
from assay.ingest.engine_comments import brace_comments
from assay.ingest.exclusions import MIN_PLIES, is_odds_or_simul, is_variant, time_class_of
from assay.ingest.movetext import play_mainline, read_mainline
from assay.ingest.splitter import GameText, split_games
from assay.ingest.tags import TaggedText, elo_of, result_of, split_tags, text_tag, year_of

BATCH_GAMES = 2_000
BATCH_CHARACTERS = 16 << 20
MAX_PLIES = 6_000
"""No game under the 75-move rule is longer."""

_BLANK_LINES = re.compile(r"\n[ \t\r\n]*\n")
_COMMENT = re.compile(r"\{[^}]*+(?:\}|\Z)|;[^\n]*+")
_OUTCOMES = {"White": 1.0, "Black": 0.0, "Draw": 0.5}


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
    moves: move_codes.Codes
    start_fen: str | None
    source: str
    exclusion: str | None
    moves_key: int


@dataclass
class Batch:
    """Games read together, with their annotations, and how many passages of text were no games."""

    games: list[GameRecord]
    annotations: dict[str, list[Annotation]]
    fragments: int = 0


def read_games(stream: BinaryIO, name: str) -> Iterator[Batch]:
    """The games of a PGN stream."""
    games = split_games(stream, name)
    while texts := _take(games):
        yield _read_batch(texts, name)


def _take(games: Iterator[GameText]) -> list[GameText]:
    taken: list[GameText] = []
    characters = 0
    for game in islice(games, BATCH_GAMES):
        taken.append(game)
        characters += len(game.text)
        if characters > BATCH_CHARACTERS:
            break
    return taken


def _read_batch(texts: list[GameText], source: str) -> Batch:
    tagged = [_with_braces(split_tags(game.text)) for game in texts]
    batch = Batch([], {})
    for game, parts, parsed in zip(texts, tagged, _parse_moves(tagged), strict=True):
        if not parts.tags and not len(parsed.codes):
            batch.fragments += bool(parts.movetext.strip())
            continue
        record = _record(parts, parsed, source, truncated=game.truncated)
        batch.games.append(record)
        if record.n_plies and record.exclusion != "variant" and mentions_annotations(parts.movetext):
            found = _annotations(parts.movetext, record)
            if found:
                batch.annotations[record.game_id] = found
    return batch


def _with_braces(parts: TaggedText) -> TaggedText:
    return TaggedText(parts.tags, brace_comments(parts.movetext))


@dataclass
class _Parsed:
    """What the reader made of one movetext."""

    codes: move_codes.Codes
    outcome: str | None
    error: str | None


def _parse_moves(tagged: list[TaggedText]) -> Iterator[_Parsed]:
    """The legal moves of each game; a second opinion by python-chess where the Rust reader stopped."""
    # The reader takes a blank line for the end of the game; real files have them among the moves.
    texts = [_rules(parts.tags) + _BLANK_LINES.sub("\n", parts.movetext.strip()) for parts in tagged]
    for parts, parsed in zip(tagged, _rust_moves(texts), strict=True):
        yield parsed if parsed.error is None else _second_opinion(parts, parsed)


def _rules(tags: dict[str, str]) -> str:
    """The tags that decide how moves are read. One at least: the reader passes over a text without any."""
    named = {"Event": "?", **{name: tags[name] for name in ("Variant", "FEN") if tags.get(name)}}
    return "".join(f'[{name} "{value.replace(chr(34), "")}"]\n' for name, value in named.items()) + "\n"


def _rust_moves(texts: list[str]) -> Iterator[_Parsed]:
    for chunk in rust.parse_games_from_strings(texts).chunks:
        promotion = np.maximum(chunk.promotions - 1, 0)
        codes = move_codes.from_squares(chunk.from_squares, chunk.to_squares, promotion)
        bounds = chunk.move_offsets.tolist()
        outcomes, errors = chunk.outcome, chunk.parse_errors
        for index in range(chunk.num_games):
            yield _Parsed(codes[bounds[index] : bounds[index + 1]], outcomes[index], errors[index])


def _second_opinion(parts: TaggedText, first: _Parsed) -> _Parsed:
    if is_variant(parts.tags):
        return first
    line = read_mainline(parts.movetext[: 1 << 20])
    moves, stopped_at = play_mainline(line.moves[:MAX_PLIES], parts.tags.get("FEN"))
    if stopped_at is not None and len(moves) <= len(first.codes):
        return first
    outcome = {"1-0": "White", "0-1": "Black", "1/2-1/2": "Draw"}.get(line.ending or "")
    return _Parsed(move_codes.encode(pa.array(moves, pa.string())), outcome, stopped_at)


def _record(parts: TaggedText, parsed: _Parsed, source: str, *, truncated: bool) -> GameRecord:
    tags = parts.tags
    start_fen = _start_fen(tags)
    truncated = truncated or len(parsed.codes) > MAX_PLIES
    codes = parsed.codes[:0] if truncated or start_fen == "" else parsed.codes
    moves_bytes = codes.tobytes()
    date = text_tag(tags, "Date") or text_tag(tags, "UTCDate")
    tag_result, end_result = result_of(tags.get("Result")), _OUTCOMES.get(parsed.outcome or "")
    conflict = tag_result is not None and end_result is not None and tag_result != end_result
    result = None if conflict else tag_result if tag_result is not None else end_result
    time_class = time_class_of(tags)
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
        time_class=time_class,
        n_plies=len(codes),
        moves=codes,
        start_fen=start_fen or None,
        source=source,
        exclusion=_exclusion(parts, parsed, truncated, conflict, result, time_class),
        moves_key=int.from_bytes(blake2b(moves_bytes, digest_size=8).digest(), "little", signed=True),
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


_STANDARD_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def content_id(*parts: bytes) -> str:
    """The id of a game: a hash of what it holds."""
    return blake2b(b"\x1d".join(parts), digest_size=8).hexdigest()


def _is_broken(movetext: str) -> bool:
    """Whether a variation is not closed, so that the moves behind it are lost."""
    if "(" not in movetext:
        return False
    plain = _COMMENT.sub("", movetext)
    return plain.count("(") > plain.count(")")


def _exclusion(
    parts: TaggedText,
    parsed: _Parsed,
    truncated: bool,
    conflict: bool,
    result: float | None,
    time_class: str,
) -> str | None:
    """The first reason of `REASONS` that applies, duplicates apart: those are known only among all games."""
    tags = parts.tags
    fen = tags.get("FEN", "")
    checks = (
        ("too_large", truncated),
        ("variant", is_variant(tags)),
        ("nonstandard_start", bool(fen) and not fen.startswith(_STANDARD_START)),
        ("illegal_move", parsed.error is not None),
        ("broken_moves", _is_broken(parts.movetext)),
        ("no_moves", not len(parsed.codes)),
        ("too_short", len(parsed.codes) < MIN_PLIES),
        ("odds_or_simul", is_odds_or_simul(tags)),
        ("fast_time_control", time_class in ("bullet", "blitz")),
        ("result_conflict", conflict),
        ("no_result", result is None),
    )
    return next((reason for reason, applies in checks if applies), None)


def _annotations(movetext: str, record: GameRecord) -> list[Annotation]:
    moves = move_codes.decode(record.moves).to_pylist()
    return read_annotations(read_mainline(movetext), moves, record.start_fen)


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


def _columns(record: type, rows: list[Any], schema: pa.Schema, without: str = "") -> dict[str, pa.Array]:
    """The fields of a record class as Arrow columns."""
    names = [field.name for field in fields(record) if field.name != without]
    return {name: pa.array([getattr(row, name) for row in rows], schema.field(name).type) for name in names}
