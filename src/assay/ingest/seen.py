"""What a workspace holds already: the same game again, and the same game under other tags."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.ingest.names import same_person
from assay.ingest.pgn import Batch, GameRecord, content_id

NEEDED = ("game_id", "moves_key", "year", "white_name", "black_name", "n_plies")
"""Columns of the table games that are looked at."""

_YEARS = 4096  # years are packed below this
_NAMES = 1 << 28


class SeenGames:
    """The games read so far, in a form small enough for millions of them."""

    def __init__(self, games: pa.Table) -> None:
        self._stored = np.sort(_as_numbers(games["game_id"].to_pylist()))
        self._in_file: set[int] = set()
        self._copies: Counter[str] = Counter()
        # By moves: year and names, packed into one integer; more than one of them in a list.
        self._by_moves: dict[int, int | list[int]] = {}
        self._names: dict[str, int] = {}
        self._spelled: list[str] = []
        columns = (
            games[name].to_pylist() for name in ("moves_key", "year", "white_name", "black_name", "n_plies")
        )
        for key, year, white, black, plies in zip(*columns, strict=True):
            if plies:
                self._remember(key, self._pack(year, white, black))

    def begin_file(self) -> None:
        """Games that occur twice within a file are rows of their own; a file read again adds nothing."""
        added = np.fromiter(self._in_file, np.uint64, len(self._in_file))
        self._stored = np.sort(np.concatenate((self._stored, added)))
        self._in_file.clear()
        self._copies.clear()

    def admit(self, batch: Batch) -> list[GameRecord]:
        """The games of the batch that are new, ids and duplicates settled."""
        for record in batch.games:
            self._number_copies(record, batch)
        ids = _as_numbers(record.game_id for record in batch.games)
        stored = self._contains(ids)
        new = [record for record, known in zip(batch.games, stored, strict=True) if not known]
        self._in_file.update(ids[~stored].tolist())
        for record in new:
            if record.n_plies:
                self._mark_duplicate(record)
        return new

    def _number_copies(self, record: GameRecord, batch: Batch) -> None:
        """Give the second copy of a game within one file an id of its own."""
        number = int(record.game_id, 16)
        if number in self._in_file or record.game_id in self._copies:
            first = record.game_id
            self._copies[first] += 1
            record.game_id = content_id(first.encode(), str(self._copies[first]).encode())
            if first in batch.annotations:
                batch.annotations[record.game_id] = batch.annotations[first]
        else:
            self._in_file.add(number)

    def _contains(self, ids: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        if not len(self._stored):
            return np.zeros(len(ids), dtype=bool)
        place = np.minimum(np.searchsorted(self._stored, ids), len(self._stored) - 1)
        found: npt.NDArray[np.bool_] = self._stored[place] == ids
        return found

    def _mark_duplicate(self, record: GameRecord) -> None:
        packed = self._pack(record.year, record.white_name, record.black_name)
        before = self._by_moves.get(record.moves_key)
        candidates = before if isinstance(before, list) else [before] if before is not None else []
        if any(self._same_game(packed, other) for other in candidates):
            if record.exclusion not in ("too_large", "variant", "nonstandard_start", "illegal_move"):
                record.exclusion = "duplicate"
        else:
            self._remember(record.moves_key, packed)

    def _remember(self, moves_key: int, packed: int) -> None:
        before = self._by_moves.get(moves_key)
        if before is None:
            self._by_moves[moves_key] = packed
        elif isinstance(before, list):
            before.append(packed)
        else:
            self._by_moves[moves_key] = [before, packed]

    def _same_game(self, one: int, other: int) -> bool:
        years = (one % _YEARS, other % _YEARS)
        if years[0] != years[1] and all(years):
            return False
        return all(
            a == b or same_person(self._spelled[a], self._spelled[b])
            for a, b in zip(self._unpack(one), self._unpack(other), strict=True)
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


def _as_numbers(ids: Iterable[str]) -> npt.NDArray[np.uint64]:
    return np.array([int(one, 16) for one in ids], dtype=np.uint64)
