"""Importing: sources read, games settled, rows handed to whoever stores them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from pathlib import Path
from sys import intern
from typing import Any

import pyarrow as pa

from assay.answers.prepared import ImportReport
from assay.decisions.arrays import coded
from assay.decisions.exclusions import Choice, Exclusion
from assay.decisions.names import fold_name, same_person
from assay.errors import PgnError
from assay.pgn.reader import GameRecord, content_id, games_table, read_games
from assay.pgn.sources import Stream, open_stream, source_name

FLUSH_GAMES = 20_000

_CHOICE = Choice()
"""Reasons that depend on a choice are counted by the default one."""

Store = Callable[[pa.Table, pa.Table], None]
"""Takes rows of games and of annotations, and keeps them."""

Progress = Callable[[str, int, int, int], None]
"""Called with the source's name, its size and position in bytes, and the games read so far."""


@dataclass(frozen=True)
class Segment:
    """Games that came from a server together, as PGN, and what to call when they are stored."""

    name: str
    content: bytes
    stored: Callable[[], None]


def import_files(
    files: Iterable[Path | Segment], seen: SeenGames, store: Store, progress: Progress = lambda *_: None
) -> ImportReport:
    """Read every file into the store. What is wrong with one of several is noted, unless nothing was read."""
    report = ImportReport()
    failures: list[PgnError] = []
    pending: list[tuple[pa.Table, pa.Table]] = []

    def flush() -> None:
        if pending:
            games, annotations = map(pa.concat_tables, zip(*pending, strict=True))
            pending.clear()
            store(games, annotations)

    try:
        for file in files:
            try:
                if isinstance(file, Segment):
                    stream = Stream(io.BytesIO(file.content), 0, lambda: 0)
                    pending.extend(_read_source(stream, file.name, seen, lambda *_: None, report))
                    continue
                report.files += 1
                with open_stream(file) as source:
                    for rows in _read_source(source, source_name(file), seen, progress, report):
                        pending.append(rows)
                        if sum(games.num_rows for games, _ in pending) >= FLUSH_GAMES:
                            flush()
            except PgnError as error:
                failures.append(error)
            finally:
                if isinstance(file, Segment):
                    flush()
                    file.stored()
    finally:
        flush()
    if failures and (report.files == 1 or not report.read):
        more = f" (and {len(failures) - 1} more files failed)" if len(failures) > 1 else ""
        raise PgnError(f"{failures[0]}{more}")
    report.problems = [str(failure) for failure in failures]
    return report


def _read_source(
    source: Stream, name: str, seen: SeenGames, progress: Progress, report: ImportReport
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Rows of the new games of a source and of their annotations; all are counted."""
    before = report.read
    seen.begin(name)
    for batch in read_games(source.stream, name):
        places = seen.admit(batch.games)
        new = [batch.games[place] for place in places]
        report.read += len(batch.games)
        report.added += len(new)
        report.known += len(batch.games) - len(new)
        report.fragments += batch.fragments
        report.doubts.update(batch.doubts[place] for place in places if place in batch.doubts)
        reasons = (_CHOICE.reason(game.exclusion, game.n_plies, game.time_class) for game in new)
        report.excluded.update(reason for reason in reasons if reason is not None)
        if new:
            games, annotations = games_table(new), batch.annotations_table(places)
            report.annotations += annotations.num_rows
            yield games, annotations
        progress(name, source.size, source.position(), report.read)
    if report.read == before:
        raise PgnError(f"{name} is not PGN: it has neither tags nor legal moves")


# Games read before: the same game again, and the same game under other tags.

NEEDED = ("game_id", "source", "moves_key", "year", "white_name", "black_name", "n_plies")
"""Columns of the table games that `SeenGames` needs."""

_MOST_COMPARED = 128
"""Of games with the same moves and like names, which only a file of made-up ones has in such numbers."""

_Game = tuple[int | None, str, str]
"""The year, White's name and Black's."""
_Crowd = dict[tuple[Any, Any], list[_Game]]
"""Games of the same moves by the families, and by all words, of their players' names."""


class SeenGames:
    """The games read so far, in a form small enough for millions of them.

    A source read again adds nothing. The same game from another source, or twice in one, is a row of its
    own, marked as a duplicate: its id is a hash of the first one's, the source and the number of the copy.
    """

    def __init__(self, games: pa.Table) -> None:
        sources = coded(games["source"])
        self._codes = {name: code for code, name in enumerate(sources.dictionary.to_pylist())}
        numbers = (int(game_id, 16) for game_id in games["game_id"].to_pylist())
        self._sources = dict(zip(numbers, sources.indices.to_pylist(), strict=True))
        """The code of the source of each game, by its id as a number, which is half as large."""
        self._source, self._code = "", -1
        self._copies: dict[int, int] = {}  # of the games in this reading of the source
        self._by_moves: dict[int, _Game | _Crowd] = {}
        names = ("moves_key", "year", "white_name", "black_name", "n_plies")
        for key, year, white, black, plies in zip(*(games[n].to_pylist() for n in names), strict=True):
            if plies:
                self._is_duplicate(key, (year, intern(white), intern(black)), remember=True)

    def begin(self, source: str) -> None:
        """The games that follow are from this source."""
        self._source, self._code = source, self._codes.setdefault(source, len(self._codes))
        self._copies.clear()

    def admit(self, records: Sequence[GameRecord]) -> list[int]:
        """The places of the games that are new, ids and duplicates settled."""
        new = []
        for place, record in enumerate(records):
            number = int(record.game_id, 16)
            copy = self._copies[number] = self._copies.get(number, -1) + 1
            if copy or self._sources.get(number, self._code) != self._code:
                first = record.game_id.encode()
                record.game_id = content_id(first, self._source.encode(), str(copy).encode())
                number = int(record.game_id, 16)
            if number in self._sources:
                continue
            new.append(place)
            self._sources[number] = self._code
            game = (record.year, intern(record.white_name), intern(record.black_name))
            duplicate = record.n_plies and self._is_duplicate(record.moves_key, game)
            if duplicate and (not record.exclusion or Exclusion.DUPLICATE.comes_before(record.exclusion)):
                record.exclusion = Exclusion.DUPLICATE
        return new

    def _is_duplicate(self, moves_key: int, game: _Game, remember: bool = False) -> bool:
        """Whether a game of these moves is there; where not, or in any case, it is noted."""
        crowd = self._by_moves.setdefault(moves_key, game)
        if crowd is game:
            return False
        if not isinstance(crowd, dict):
            first, crowd = crowd, {}
            self._by_moves[moves_key] = crowd
            in_crowd(crowd, first, remember=True)
        return in_crowd(crowd, game, remember)


def in_crowd(crowd: _Crowd, game: _Game, remember: bool = False) -> bool:
    """Whether a game is among others of the same moves; where it is not, or in any case, it is noted."""
    cells = [crowd.setdefault(key, []) for key in _keys(game)]
    like = islice(chain.from_iterable(cells), _MOST_COMPARED)
    if not remember and any(_may_be_the_same(game, other) for other in like):
        return True
    for cell in cells:
        if len(cell) < _MOST_COMPARED and game not in cell:
            cell.append(game)
    return False


def _keys(game: _Game) -> list[tuple[Any, Any]]:
    """Under which keys of a crowd a game is: two names of one person share the words or the family."""
    white, black = map(fold_name, game[1:])
    return list(product((white.words, white.family), (black.words, black.family)))


def _may_be_the_same(game: _Game, other: _Game) -> bool:
    if game[0] != other[0] and None not in (game[0], other[0]):
        return False
    return all(a == b or same_person(a, b) for a, b in zip(game[1:], other[1:], strict=True))
