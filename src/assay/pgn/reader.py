"""PGN into rows of the tables games and annotations, a batch at a time.

Texts are split into games (`sources`), their moves read (`moves`), and wrong values in their comments put
right (`wrong_evaluations`). Every game becomes a row; what must not be rated carries a reason (`exclusions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from hashlib import blake2b
from itertools import groupby, islice
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from assay.decisions import move_codes
from assay.decisions.arrays import Codes, Mask
from assay.decisions.evaluation import OURSELVES
from assay.decisions.exclusions import UNPLAYABLE, Exclusion
from assay.decisions.schema import ANNOTATIONS, GAMES
from assay.errors import PgnError
from assay.pgn.clocks import time_class_of
from assay.pgn.comments import (
    Annotation,
    Commands,
    brace_comments,
    mentions_annotations,
    plain_commands,
    read_annotations,
)
from assay.pgn.excluded_games import STANDARD_START, exclusion_of, is_variant
from assay.pgn.san import MAX_PLIES, Parsed, parse_moves, read_mainline
from assay.pgn.sources import GameText, split_games
from assay.pgn.tags import (
    TaggedText,
    eco_of,
    elo_of,
    evaluator_of,
    fide_id_of,
    link_of,
    result_of,
    split_tags,
    text_tag,
    year_of,
)
from assay.pgn.wrong_evaluations import MOVERS_VIEW, in_doubt, settle, settle_even, views

BATCH_GAMES = 2_000
BATCH_CHARACTERS = 16 << 20


@dataclass
class Batch:
    """Games read together, with their comments, and how many passages of text were not games."""

    games: list[GameRecord]
    slow: dict[str, list[Annotation]]
    """Annotations by game, of those that the slow reader read."""
    fragments: int = 0
    plain: Commands | None = None
    """The plain comments of the other games, by their places in `games`."""
    doubts: dict[str, str] = field(default_factory=dict)
    """What is wrong with the evaluations of a game, by its id (assay.pgn.wrong_evaluations)."""

    @property
    def annotations(self) -> dict[str, list[Annotation]]:
        """Annotations by game, of all."""
        by_game = dict(self.slow)
        if self.plain is not None:
            for row in plain_table(self.plain, self.games).to_pylist():
                by_game.setdefault(row.pop("game_id"), []).append(Annotation(**row))
        return by_game

    def annotations_table(self, records: list[GameRecord]) -> pa.Table:
        """Rows of the table annotations, of some of these games."""
        wanted = {record.game_id for record in records}
        rows = annotations_table({game: listed for game, listed in self.slow.items() if game in wanted})
        if self.plain is None:
            return rows
        asked = np.array([record.game_id in wanted for record in self.games], dtype=bool)
        return pa.concat_tables([rows, plain_table(self.plain.only(asked[self.plain.game]), self.games)])


def read_games(stream: BinaryIO, name: str) -> Iterator[Batch]:
    """The games of a PGN stream."""
    games = split_games(stream, name)
    failure: PgnError | None = None
    while failure is None:
        texts, failure = take_texts(games)
        if not texts:
            break
        yield read_texts(texts, name)
    if failure is not None:
        raise failure


def take_texts(games: Iterator[GameText]) -> tuple[list[GameText], PgnError | None]:
    """The next games, and what ended the file before its end: the games before that count."""
    taken: list[GameText] = []
    characters = 0
    try:
        for game in islice(games, BATCH_GAMES):
            taken.append(game)
            characters += len(game.text)
            if characters > BATCH_CHARACTERS:
                break
    except PgnError as error:
        return taken, error
    return taken, None


def read_texts(texts: Sequence[GameText], source: str) -> Batch:
    """The games of some texts."""
    tagged = [_with_braces(split_tags(game.text)) for game in texts]
    batch = Batch([], {})
    plain: list[tuple[int, Parsed]] = []
    texts_of: dict[int, str] = {}
    signed = any("#-" in parts.movetext for parts in tagged)
    for game, parts, parsed in zip(texts, tagged, parse_moves(tagged), strict=True):
        if not parts.tags and not len(parsed.codes):
            batch.fragments += bool(parts.movetext.strip())
            continue
        record = record_of(parts, parsed, source, game)
        batch.games.append(record)
        if not record.n_plies or record.exclusion in UNPLAYABLE or not mentions_annotations(parts.movetext):
            continue
        if _is_plain(parts, record, parsed):
            plain.append((len(batch.games) - 1, parsed))
            texts_of[len(batch.games) - 1] = parts.movetext
        else:
            _settle(batch, record, parts.movetext, signed)
    if plain:
        batch.plain = _plain_commands(plain)
        lost = np.array([record.result == 0.0 for record in batch.games], dtype=bool)
        _settle_plain(batch, texts_of, in_doubt(batch.plain, lost, signed_mates=signed), signed)
        turned = sum(doubt == MOVERS_VIEW for doubt in batch.doubts.values())
        if turned and turned > (views(batch.plain, len(batch.games)) < 0).sum():
            _settle_plain(batch, texts_of, np.ones(len(lost), dtype=bool), signed)
    _turn_even_games(batch)
    return batch


def _settle_plain(batch: Batch, texts: dict[int, str], which: Mask, signed: bool) -> None:
    """Have plain games, by their places, read again by the slow reader, which puts right what is wrong."""
    assert batch.plain is not None
    for place in np.unique(batch.plain.game[which[batch.plain.game]]).tolist():
        _settle(batch, batch.games[place], texts[place], signed)
    batch.plain = batch.plain.only(~which[batch.plain.game])


def _settle(batch: Batch, record: GameRecord, movetext: str, signed: bool) -> None:
    """Read the annotations of a game by the slow reader, and put right what is wrong with them."""
    moves = move_codes.decode(record.moves).to_pylist()
    annotations = read_annotations(read_mainline(movetext), moves, record.start_fen)
    if annotations:
        batch.slow[record.game_id] = annotations
    if record.evaluator != OURSELVES:
        doubt = settle(annotations, record.result, black_starts=_black_starts(record), signed_mates=signed)
        if doubt is not None:
            batch.doubts[record.game_id] = doubt


def _is_plain(parts: TaggedText, record: GameRecord, parsed: Parsed) -> bool:
    """Whether every comment of the game stands alone behind a move, and none is unusual."""
    comments, movetext = parsed.comments, parts.movetext
    return (
        comments is not None
        and record.start_fen is None
        and record.n_plies == len(parsed.codes)
        and ";" not in movetext
        and not ("\n" in movetext and "\n%" in movetext)
        and parts.opened == comments.count
    )


def _plain_commands(games: list[tuple[int, Parsed]]) -> Commands:
    """The commands of plain games, by the places of the games; each chunk of the reader has its comments."""
    pieces = []
    for _, chunk in groupby(games, key=lambda game: id(game[1].comments and game[1].comments.read)):
        places, parsed = zip(*chunk, strict=True)
        comments = [game.comments for game in parsed]
        starts = np.array([each.start for each in comments], dtype=np.int64)
        lengths = np.array([len(game.codes) for game in parsed], dtype=np.int64)
        commands = plain_commands(comments[0].read, starts, lengths)
        pieces.append(replace(commands, game=np.array(places)[commands.game]))
    columns = (field.name for field in fields(Commands))
    return Commands(*(np.concatenate([getattr(piece, name) for piece in pieces]) for name in columns))


def _turn_even_games(batch: Batch) -> None:
    """Read the even games of a file as the others, where those are from the mover's view."""
    turned = sum(doubt == MOVERS_VIEW for doubt in batch.doubts.values())
    others = [game for game in batch.games if game.game_id in batch.slow and game.game_id not in batch.doubts]
    if turned:
        games = [(batch.slow[game.game_id], _black_starts(game)) for game in others]
        for place in settle_even(games, turned):
            batch.doubts[others[place].game_id] = MOVERS_VIEW


def _black_starts(record: GameRecord) -> bool:
    return record.start_fen is not None and " b " in record.start_fen


def _with_braces(parts: TaggedText) -> TaggedText:
    braced = brace_comments(parts.movetext)
    return parts if braced is parts.movetext else TaggedText(parts.tags, braced)


# Rows.

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
        exclusion=exclusion_of(
            parts, parsed, game, truncated=truncated, conflict=conflict, has_result=result is not None
        ),
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
    if not fen or fen.startswith(STANDARD_START):
        return None
    if is_variant(tags):
        return fen
    import chess

    try:
        board = chess.Board(fen)
    except ValueError:
        return ""
    return board.fen() if board.is_valid() else ""


def content_id(*parts: bytes) -> str:
    """The id of a game: a hash of what it holds."""
    return blake2b(b"\x1d".join(parts), digest_size=8).hexdigest()


def games_table(records: list[GameRecord]) -> pa.Table:
    """Rows of the table games."""
    columns = _columns(GameRecord, records, GAMES.arrow, without="moves")
    flat = np.concatenate([record.moves for record in records]) if records else np.empty(0, np.int16)
    offsets = np.concatenate(([0], np.cumsum([record.n_plies for record in records]))).astype(np.int32)
    columns["moves"] = pa.ListArray.from_arrays(pa.array(offsets), move_codes.decode(flat))
    return pa.table(columns).select(GAMES.arrow.names)


def annotations_table(annotations: dict[str, list[Annotation]]) -> pa.Table:
    """Rows of the table annotations."""
    rows = [(game_id, annotation) for game_id, listed in annotations.items() for annotation in listed]
    columns = _columns(Annotation, [annotation for _, annotation in rows], ANNOTATIONS.arrow)
    columns["game_id"] = pa.array([game_id for game_id, _ in rows], pa.string())
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
        values = pa.array(getattr(commands, name), pa.float64(), from_pandas=True)
        columns[name] = values.cast(schema.field(name).type)
    columns["format"] = pa.repeat(Annotation(0).format, rows)
    return pa.table(columns).select(schema.names)


def _columns(record: type, rows: list[Any], schema: pa.Schema, without: str = "") -> dict[str, pa.Array]:
    """The fields of a record class as Arrow columns."""
    names = [field.name for field in fields(record) if field.name != without]
    return {name: pa.array([getattr(row, name) for row in rows], schema.field(name).type) for name in names}
