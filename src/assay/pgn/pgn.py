"""PGN into rows of the tables games and annotations, a batch at a time.

Texts are split into games, their moves read (`parsing.py`), rows made of them (`records.py`), and what their
comments say is put right where it is wrong (`doubts.py`). Every game becomes a row; what must not be
rated carries a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from assay.decisions import moves as move_codes
from assay.decisions.arrays import Mask
from assay.decisions.evaluators import OURSELVES
from assay.decisions.exclusions import UNPLAYABLE
from assay.errors import PgnError
from assay.pgn.annotations import Annotation, mentions_annotations, read_annotations
from assay.pgn.commands import Commands, plain_commands
from assay.pgn.doubts import MOVERS_VIEW, in_doubt, settle, settle_even, views
from assay.pgn.engine_comments import brace_comments
from assay.pgn.movetext import read_mainline
from assay.pgn.parsing import Parsed, parse_moves
from assay.pgn.records import GameRecord, annotations_table, plain_table, record_of
from assay.pgn.splitter import GameText, split_games
from assay.pgn.tags import TaggedText, split_tags

BATCH_GAMES = 2_000
BATCH_CHARACTERS = 16 << 20


@dataclass
class Batch:
    """Games read together, with what their comments say, and how many passages of text were no games."""

    games: list[GameRecord]
    said: dict[str, list[Annotation]]
    """Annotations by game, of those that the slow reader read."""
    fragments: int = 0
    plain: Commands | None = None
    """What the plain comments of the other games say, by their places in `games`."""
    doubts: dict[str, str] = field(default_factory=dict)
    """What is wrong with the evaluations of a game, by its id (assay.pgn.doubts)."""

    @property
    def annotations(self) -> dict[str, list[Annotation]]:
        """Annotations by game, of all."""
        found = dict(self.said)
        if self.plain is not None:
            for row in plain_table(self.plain, self.games).to_pylist():
                found.setdefault(row.pop("game_id"), []).append(Annotation(**row))
        return found

    def annotations_table(self, records: list[GameRecord]) -> pa.Table:
        """Rows of the table annotations, of some of these games."""
        wanted = {record.game_id for record in records}
        slow = annotations_table({name: found for name, found in self.said.items() if name in wanted})
        if self.plain is None:
            return slow
        known = np.array([record.game_id in wanted for record in self.games], dtype=bool)
        return pa.concat_tables([slow, plain_table(self.plain.only(known[self.plain.game]), self.games)])


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
    found = _annotations(movetext, record)
    doubt = (
        None
        if record.evaluator == OURSELVES
        else settle(found, record.result, black_starts=_black_starts(record), signed_mates=signed)
    )
    if doubt is not None:
        batch.doubts[record.game_id] = doubt
    if found:
        batch.said[record.game_id] = found


def _is_plain(parts: TaggedText, record: GameRecord, parsed: Parsed) -> bool:
    """Whether every comment of the game stands alone behind a move, and says nothing unusual."""
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
    """What the comments of plain games say, by the places of the games."""
    found = []
    chunks = {id(parsed.comments.read): parsed.comments.read for _, parsed in games if parsed.comments}
    for chunk, (values, kinds) in chunks.items():
        own = [(place, one) for place, one in games if one.comments and id(one.comments.read) == chunk]
        starts = np.array([one.comments.start for _, one in own if one.comments], dtype=np.int64)
        lengths = np.array([len(one.codes) for _, one in own], dtype=np.int64)
        said = plain_commands(values, kinds, starts, lengths)
        found.append(replace(said, game=np.array([place for place, _ in own])[said.game]))
    return Commands(
        *(np.concatenate([getattr(one, field.name) for one in found]) for field in fields(Commands))
    )


def _turn_even_games(batch: Batch) -> None:
    """Read the even games of a file as the others, where those are from the mover's view."""
    turned = sum(doubt == MOVERS_VIEW for doubt in batch.doubts.values())
    if not turned:
        return
    others = [one for one in batch.games if one.game_id in batch.said and one.game_id not in batch.doubts]
    games = [(batch.said[one.game_id], _black_starts(one)) for one in others]
    for place in settle_even(games, turned):
        batch.doubts[others[place].game_id] = MOVERS_VIEW


def _black_starts(record: GameRecord) -> bool:
    return record.start_fen is not None and " b " in record.start_fen


def _with_braces(parts: TaggedText) -> TaggedText:
    braced = brace_comments(parts.movetext)
    return parts if braced is parts.movetext else TaggedText(parts.tags, braced)


def _annotations(movetext: str, record: GameRecord) -> list[Annotation]:
    moves = move_codes.decode(record.moves).to_pylist()
    return read_annotations(read_mainline(movetext), moves, record.start_fen)
