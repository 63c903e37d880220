"""PGN into rows of the tables games and annotations, a batch at a time.

Texts are split into games (`sources`), their moves read (`san`), and what their comments say (`comments`).
Every game becomes a row; what must not be rated carries a reason (`assay.decisions.exclusions`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Codes, decode_moves
from assay.decisions.evaluation import OURSELVES
from assay.decisions.exclusions import UNPLAYABLE, Exclusion
from assay.decisions.schema import GAMES
from assay.errors import PgnError
from assay.pgn.comments import (
    Annotation,
    Annotations,
    mentions_annotations,
    plain_annotations,
    read_annotations,
    settle,
)
from assay.pgn.san import MAX_PLIES, Parsed, parse_moves, read_mainline
from assay.pgn.sources import GameText, split_games
from assay.pgn.tags import (
    TaggedText,
    eco_of,
    elo_of,
    evaluator_of,
    fide_id_of,
    is_odds_or_simul,
    is_variant,
    link_of,
    result_of,
    split_tags,
    text_tag,
    time_class_of,
    year_of,
)

BATCH_GAMES = 2_000
BATCH_CHARACTERS = 16 << 20


@dataclass
class Batch:
    """Games read together, with their comments, and how many passages of text were not games."""

    games: list[GameRecord]
    annotations: Annotations
    doubts: dict[int, str]
    """What is wrong with the evaluations of a game, by its place in `games` (assay.pgn.comments)."""
    fragments: int = 0

    def annotations_table(self, places: Iterable[int] | None = None) -> pa.Table:
        """Rows of the table annotations, of all games or of those at these places."""
        mask = np.full(len(self.games), places is None)
        mask[list(places or ())] = True
        return self.annotations.table([record.game_id for record in self.games], mask)


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
    tagged = [split_tags(game.text) for game in texts]
    every_parsed, comments = parse_moves(tagged)
    games: list[GameRecord] = []
    fragments = 0
    plain: list[tuple[int, int, int]] = []
    others: list[tuple[int, Annotation]] = []
    for game, parts, parsed in zip(texts, tagged, every_parsed, strict=True):
        if not parts.tags and not len(parsed.codes):
            fragments += bool(parts.movetext.strip())
            continue
        record = record_of(parts, parsed, source, game)
        games.append(record)
        if not record.n_plies or record.exclusion in UNPLAYABLE or not mentions_annotations(parts.movetext):
            continue
        if _is_plain(parts, record, parsed):
            plain.append((len(games) - 1, parsed.first_comment, len(parsed.codes)))
        else:
            moves = decode_moves(record.moves).to_pylist()
            listed = read_annotations(read_mainline(parts.movetext), moves, record.start_fen)
            others += [(len(games) - 1, annotation) for annotation in listed]
    columns = np.array(plain, dtype=np.int64).reshape(-1, 3).T
    annotations = Annotations.of(others).joined(plain_annotations(comments, *columns))
    doubts = settle(
        annotations,
        np.array([np.nan if record.result is None else record.result for record in games], np.float64),
        np.array([record.start_fen is not None and " b " in record.start_fen for record in games], bool),
        np.array([record.evaluator != OURSELVES for record in games], bool),
    )
    return Batch(games, annotations, doubts, fragments)


def _is_plain(parts: TaggedText, record: GameRecord, parsed: Parsed) -> bool:
    """Whether every comment of the game stands alone behind a move, and none is unusual."""
    movetext = parts.movetext
    return (
        parsed.n_comments == parts.opened
        and record.start_fen is None
        and record.n_plies == len(parsed.codes)
        and ";" not in movetext
        and not ("\n" in movetext and "\n%" in movetext)
    )


# Rows.

STANDARD_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
_OUTCOMES = {"White": 1.0, "Black": 0.0, "Draw": 0.5}
_COMMENT = re.compile(r"\{[^}]*+(?:\}|\Z)|;[^\n]*+")


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
    ending: float = math.nan
    """Not a column: the value of the last position by the rules (assay.pgn.san)."""


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
    fen = tags.get("FEN", "")
    # Duplicates show only among all games; what depends on a choice, length and time, is judged on reading.
    reasons = (
        (Exclusion.TOO_LARGE, truncated),
        (Exclusion.VARIANT, is_variant(tags)),
        (Exclusion.NONSTANDARD_START, bool(fen) and not fen.startswith(STANDARD_START)),
        (Exclusion.ILLEGAL_MOVE, parsed.error is not None),
        (Exclusion.BROKEN_MOVES, game.halved or _is_broken(parts)),
        (Exclusion.NO_MOVES, not len(parsed.codes)),
        (Exclusion.ODDS_OR_SIMUL, is_odds_or_simul(f"{tags.get('Event', '')} {tags.get('EventType', '')}")),
        (Exclusion.RESULT_CONFLICT, conflict),
        (Exclusion.NO_RESULT, result is None),
    )
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
        time_class=time_class_of(tags, parsed.clocks),
        n_plies=len(codes),
        moves=codes,
        start_fen=start_fen or None,
        source=source,
        exclusion=next((reason for reason, applies in reasons if applies), None),
        moves_key=int.from_bytes(blake2b(moves_bytes, digest_size=8).digest(), "little", signed=True),
        white_fide=fide_id_of(tags.get("WhiteFideId")),
        black_fide=fide_id_of(tags.get("BlackFideId")),
        time_control=text_tag(tags, "TimeControl"),
        evaluator=evaluator_of(tags),
        eco=eco_of(tags.get("ECO")),
        link=link_of(tags),
        ending=parsed.ending,
    )


def _is_broken(parts: TaggedText) -> bool:
    """Whether a variation is not closed, so that the moves behind it are lost, or a comment not opened."""
    movetext = parts.movetext
    if "(" not in movetext and movetext.count("}") <= parts.opened:
        return False
    plain = _COMMENT.sub("", movetext)
    return plain.count("(") > plain.count(")") or "}" in plain


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
    schema = GAMES.arrow
    columns = {
        name: pa.array([getattr(record, name) for record in records], schema.field(name).type)
        for name in GameRecord.__dataclass_fields__
        if name not in ("moves", "ending")
    }
    flat = np.concatenate([record.moves for record in records]) if records else np.empty(0, np.int16)
    offsets = np.concatenate(([0], np.cumsum([record.n_plies for record in records]))).astype(np.int32)
    columns["moves"] = pa.ListArray.from_arrays(pa.array(offsets), decode_moves(flat))
    return pa.table(columns).select(schema.names)
