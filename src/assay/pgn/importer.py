"""Importing: sources read, games settled, rows handed to whoever stores them."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.answers.prepared import ImportReport
from assay.decisions.arrays import Mask, coded
from assay.decisions.exclusions import Choice, Exclusion
from assay.decisions.names import fold_name, same_person
from assay.errors import PgnError
from assay.pgn.reader import Batch, GameRecord, content_id, games_table, read_games
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
        new = seen.admit(batch)
        report.read += len(batch.games)
        report.added += len(new)
        report.known += len(batch.games) - len(new)
        report.fragments += batch.fragments
        report.doubts.update(batch.doubts[game.game_id] for game in new if game.game_id in batch.doubts)
        reasons = (_CHOICE.reason(game.exclusion, game.n_plies, game.time_class) for game in new)
        report.excluded.update(reason for reason in reasons if reason is not None)
        if new:
            games, annotations = games_table(new), batch.annotations_table(new)
            report.annotations += annotations.num_rows
            yield games, annotations
        progress(name, source.size, source.position(), report.read)
    if report.read == before:
        raise PgnError(f"{name} is not PGN: it has neither tags nor legal moves")


# Games read before: the same game again, and the same game under other tags.

NEEDED = ("game_id", "source", "moves_key", "year", "white_name", "black_name", "n_plies")
"""Columns of the table games that `SeenGames` needs."""

_YEARS = 4096  # years are packed below this
_NAMES = 1 << 28
_FEW = 8
"""Up to so many games of the same moves are compared one by one; of more, those with like names."""
_MOST_COMPARED = 256
"""Of games with the same moves and like names, which only a file of made-up ones has in such numbers."""
_LEAST_MERGED = 1 << 16

Numbers = npt.NDArray[np.uint64]

_Crowd = dict[tuple[int, int], tuple[int, ...]]
"""Games of the same moves by the groups of their players' names."""


class SeenGames:
    """The games read so far, in a form small enough for millions of them.

    A source read again adds nothing. The same game from another source, or twice in one, is a row of its
    own, marked as a duplicate: its id is a hash of the first one's, the source and the number of the copy.
    """

    def __init__(self, games: pa.Table) -> None:
        ids = _as_numbers(games["game_id"].to_pylist())
        self._ids = np.sort(ids)
        self._recent: set[int] = set()  # ids since then, until there are enough of them to sort all again
        sources = coded(games["source"])
        codes = sources.indices.to_numpy()
        self._by_source = {
            name: np.sort(ids[codes == code]) for code, name in enumerate(sources.dictionary.to_pylist())
        }
        self._source = ""
        self._in_source: set[int] = set()
        self._copies: Counter[int] = Counter()  # of those games only that occur more than once
        self._added: list[Numbers] = []
        # By moves: year and names, packed into one integer; several in a list; many by groups of names.
        self._by_moves: dict[int, int | list[int] | _Crowd] = {}
        self._groups = NameGroups()
        self._names: dict[str, int] = {}
        self._spelled: list[str] = []
        columns = (
            games[name].to_pylist() for name in ("moves_key", "year", "white_name", "black_name", "n_plies")
        )
        for key, year, white, black, plies in zip(*columns, strict=True):
            if plies:
                self._remember(key, self._pack(year, white, black))

    def begin(self, source: str) -> None:
        """The games that follow are from this source."""
        here = self._by_source.get(self._source, np.empty(0, np.uint64))
        self._recent.update(*(added.tolist() for added in self._added))
        if len(self._recent) > max(_LEAST_MERGED, len(self._ids) // 8):
            recent = np.fromiter(self._recent, np.uint64, len(self._recent))
            self._ids = np.sort(np.concatenate((self._ids, recent)))
            self._recent.clear()
        self._by_source[self._source] = np.sort(np.concatenate((here, *self._added)))
        self._source = source
        self._in_source.clear()
        self._copies.clear()
        self._added.clear()

    def admit(self, batch: Batch) -> list[GameRecord]:
        """The games of the batch that are new, ids and duplicates settled."""
        ids = _as_numbers(record.game_id for record in batch.games)
        here = self._by_source.get(self._source, np.empty(0, np.uint64))
        stored, stored_here = _contains(self._ids, ids), _contains(here, ids)
        new = []
        for record, number, anywhere, is_here in zip(
            batch.games, ids.tolist(), stored, stored_here, strict=True
        ):
            copy = 0
            if number in self._in_source:
                self._copies[number] += 1
                copy = self._copies[number]
            self._in_source.add(number)
            if copy or ((anywhere or number in self._recent) and not is_here):
                is_here = self._rename(record, batch, copy, here)
            if not is_here:
                new.append(record)
        self._added.append(_as_numbers(record.game_id for record in new))
        for record in new:
            if record.n_plies:
                self._mark_duplicate(record)
        return new

    def _rename(self, record: GameRecord, batch: Batch, copy: int, here: Numbers) -> bool:
        """Give a copy an id of its own. Returns whether this source had it before."""
        first = record.game_id
        record.game_id = content_id(first.encode(), self._source.encode(), str(copy).encode())
        if first in batch.slow:
            batch.slow[record.game_id] = batch.slow[first]
        return bool(_contains(here, _as_numbers([record.game_id]))[0])

    def _mark_duplicate(self, record: GameRecord) -> None:
        packed = self._pack(record.year, record.white_name, record.black_name)
        if any(self._same_game(packed, other) for other in self._like(record.moves_key, packed)):
            if record.exclusion is None or Exclusion.DUPLICATE.comes_before(record.exclusion):
                record.exclusion = Exclusion.DUPLICATE
        else:
            self._remember(record.moves_key, packed)

    def _like(self, moves_key: int, packed: int) -> Iterable[int]:
        """Games of the same moves that may be this one."""
        before = self._by_moves.get(moves_key)
        if isinstance(before, dict):
            white, black = (self._groups.possible(self._spelled[name]) for name in self._unpack(packed))
            cells = (before.get(groups, ()) for groups in product(white, black))
            return islice(chain.from_iterable(cells), _MOST_COMPARED)
        if before is None:
            return ()
        return before if isinstance(before, list) else (before,)

    def _remember(self, moves_key: int, packed: int) -> None:
        before = self._by_moves.get(moves_key)
        if before is None:
            self._by_moves[moves_key] = packed
        elif isinstance(before, dict):
            self._join(before, packed)
        elif isinstance(before, int):
            self._by_moves[moves_key] = [before, packed]
        elif len(before) < _FEW:
            before.append(packed)
        else:
            crowd: _Crowd = {}
            self._by_moves[moves_key] = crowd
            for each in (*before, packed):
                self._join(crowd, each)

    def _join(self, crowd: _Crowd, packed: int) -> None:
        white, black = (self._groups.of(self._spelled[name]) for name in self._unpack(packed))
        cell = crowd.get((white, black), ())
        if len(cell) < _MOST_COMPARED and packed not in cell:
            crowd[white, black] = (*cell, packed)

    def _same_game(self, packed: int, other: int) -> bool:
        years = (packed % _YEARS, other % _YEARS)
        if years[0] != years[1] and all(years):
            return False
        return all(
            a == b or same_person(self._spelled[a], self._spelled[b])
            for a, b in zip(self._unpack(packed), self._unpack(other), strict=True)
        )

    def _pack(self, year: int | None, white: str, black: str) -> int:
        return (year or 0) + _YEARS * (self._name(white) + _NAMES * self._name(black))

    @staticmethod
    def _unpack(packed: int) -> tuple[int, int]:
        names = packed // _YEARS
        return names % _NAMES, names // _NAMES

    def _name(self, name: str) -> int:
        number = self._names.setdefault(name, len(self._spelled))
        if number == len(self._spelled):
            self._spelled.append(name)
        return number


def _contains(ordered: Numbers, ids: Numbers) -> Mask:
    """Which ids are among the sorted ones."""
    if not len(ordered):
        return np.zeros(len(ids), dtype=bool)
    return np.asarray(ordered[np.minimum(np.searchsorted(ordered, ids), len(ordered) - 1)] == ids)


def _as_numbers(ids: Iterable[str]) -> Numbers:
    return np.array([int(text, 16) for text in ids], dtype=np.uint64)


# Names in groups, such that one person's names are in few of them.

_NO_LETTER = -1
_LETTERS = 64


def _letter(given: tuple[str, ...]) -> int:
    """A number for the first letter: one of few, so that a family has few groups, whatever the script."""
    return ord(given[0][0]) % _LETTERS if given else _NO_LETTER


class NameGroups:
    """Groups of names by family and first letter of the given names, numbered as they come."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[tuple[str, ...], int], int] = {}
        self._of_family: dict[tuple[str, ...], list[int]] = {}
        self._of_words: dict[frozenset[str], list[int]] = {}

    def of(self, name: str) -> int:
        """The group of a name, which is noted."""
        folded = fold_name(name)
        key = folded.family, _letter(folded.given)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._of_family.setdefault(folded.family, []).append(number)
        # A single word cannot stand in another order.
        several = len(folded.family) + len(folded.given) > 1
        if several and number not in (same := self._of_words.setdefault(folded.words, [])):
            same.append(number)
        return number

    def possible(self, name: str) -> set[int]:
        """The groups of noted names in which there can be one of the same person."""
        folded = fold_name(name)
        groups = set(self._of_words.get(folded.words, ()))
        if folded.given:
            keys = ((folded.family, letter) for letter in (_letter(folded.given), _NO_LETTER))
            return groups.union(self._numbers[key] for key in keys if key in self._numbers)
        return groups.union(self._of_family.get(folded.family, ()))
