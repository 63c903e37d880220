"""What the games tell of two names: whether one person can bear both.

The same game recorded under both names says that they are one. Ratings near each other, in the same years or
where one career follows the other, say so too, if both played at the same events or against the same people:
a file that joins two databases writes a player in one way up to some year, and in another from then on. A
game against each other, two different games in one round of an event, or ratings far apart in the same years
say that they are two.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from itertools import combinations
from statistics import mean, median
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.names import fold_name
from assay.pgn.fide_ids import id_of_all, ids_of_names

_Thing = TypeVar("_Thing")

NEEDED = (
    *("white_name", "black_name", "white_elo", "black_elo", "year", "event", "round"),
    *("moves_key", "n_plies", "white_fide", "black_fide"),
)
"""Columns of the table games that are looked at."""

LONG_ENOUGH = 30
"""Plies from which two games of the same moves in the same year are one game."""

NEAR, FAR = 50, 200
"""Points between ratings of the same years that one person can have, and that nobody has."""

SEAM = 3
"""Years at most from the last rating under one name to the first under another that follows it."""

COMPANY = 5
"""So many opponents in common, by family and initial, are the company of one player."""

_MANY_YEARS, _VERY_NEAR = 3, 25
_CLASHES = 2
"""Rounds with two games; a single one may be a wrong tag."""


class Verdict(Enum):
    """What the games say of two names."""

    SAME = "same"
    DIFFERENT = "different"
    OPEN = "open"


class Evidence:
    """What the games tell of some names, gathered in one pass."""

    def __init__(self, games: pa.Table, names: Collection[str]) -> None:
        self._ratings: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._events: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self._rounds: dict[str, dict[tuple[str, int, str], set[int]]] = defaultdict(lambda: defaultdict(set))
        self._opponents: dict[str, set[tuple[tuple[str, ...], str]]] = defaultdict(set)
        self._met: set[frozenset[str]] = set()
        self._one_game: Counter[frozenset[str]] = Counter()
        self.ids = ids_of_names(games)
        wanted = pa.array(sorted(names), pa.string())
        own = pc.or_(*(pc.is_in(games[side], wanted) for side in ("white_name", "black_name")))
        rows = games.select(NEEDED).filter(own)
        for side, other in (("white", "black"), ("black", "white")):
            mine = rows.filter(pc.is_in(rows[f"{side}_name"], wanted))
            self._read_side(mine, side)
            self._read_one_game(mine, side)
            for name, opponent in _rows(mine, f"{side}_name", f"{other}_name"):
                self._met.add(frozenset((name, opponent)))
                folded = fold_name(opponent)
                self._opponents[name].add((folded.family, folded.given[0][0] if folded.given else ""))

    def _read_side(self, rows: pa.Table, side: str) -> None:
        columns = (f"{side}_name", f"{side}_elo", "year", "event", "round", "moves_key")
        for name, elo, year, event, round_, moves in _rows(rows, *columns):
            if year is None:
                continue
            if elo is not None:
                self._ratings[name][year].append(elo)
            if event is not None:
                self._events[name].add((event, year))
                if round_ is not None:
                    self._rounds[name][event, year, round_].add(moves)

    def _read_one_game(self, rows: pa.Table, side: str) -> None:
        long = rows.filter(pc.and_(pc.greater_equal(rows["n_plies"], LONG_ENOUGH), pc.is_valid(rows["year"])))
        of_game: dict[tuple[int, int], set[str]] = defaultdict(set)
        for moves, year, name in _rows(long, "moves_key", "year", f"{side}_name"):
            of_game[moves, year].add(name)
        for names in of_game.values():
            for pair in combinations(sorted(names), 2):
                self._one_game[frozenset(pair)] += 1

    def met(self, some: Collection[str], others: Collection[str]) -> bool:
        """Whether anybody of these names played against anybody of those."""
        return any(pair in self._met for pair in _pairs(some, others))

    def judge(self, some: Collection[str], others: Collection[str]) -> Verdict:
        """Whether names of one person and names of another are one person's; their FIDE ids come first."""
        ids = id_of_all(some, self.ids), id_of_all(others, self.ids)
        if None not in ids:
            return Verdict.SAME if ids[0] == ids[1] else Verdict.DIFFERENT
        recorded_twice = sum(self._one_game[pair] for pair in _pairs(some, others))
        distances = self._distances(some, others)
        clashes = self._clashes(some, others)
        if self.met(some, others) or (clashes >= _CLASHES and clashes > recorded_twice):
            return Verdict.DIFFERENT
        if distances and median(distances) > FAR:
            return Verdict.DIFFERENT
        if recorded_twice:
            return Verdict.SAME
        often = len(distances) >= _MANY_YEARS and median(distances) <= _VERY_NEAR
        near = median(distances) <= NEAR if distances else self._follows(some, others)
        known = self._shared(self._events, some, others) or (
            len(self._shared(self._opponents, some, others)) >= COMPANY
        )
        return Verdict.SAME if near and (known or often) else Verdict.OPEN

    def _follows(self, some: Collection[str], others: Collection[str]) -> bool:
        """Whether the ratings of one go on where those of the other ended."""
        one, other = self._ratings_of(some), self._ratings_of(others)
        if not one or not other:
            return False
        if min(one) > min(other):
            one, other = other, one
        last, first = max(one), min(other)
        return last < first <= last + SEAM and abs(one[last] - other[first]) <= NEAR

    def _distances(self, some: Collection[str], others: Collection[str]) -> list[float]:
        """How far the ratings are apart, in each year that both have."""
        one, other = self._ratings_of(some), self._ratings_of(others)
        return [abs(one[year] - other[year]) for year in sorted(one.keys() & other.keys())]

    def _ratings_of(self, names: Collection[str]) -> dict[int, float]:
        by_year: dict[int, list[int]] = defaultdict(list)
        for name in names:
            for year, elos in self._ratings[name].items():
                by_year[year] += elos
        return {year: mean(elos) for year, elos in by_year.items()}

    @staticmethod
    def _shared(
        found: Mapping[str, set[_Thing]], some: Collection[str], others: Collection[str]
    ) -> set[_Thing]:
        """What is found under names of both."""
        nothing: set[_Thing] = set()
        one, other = (nothing.union(*(found[name] for name in names)) for names in (some, others))
        return one & other

    def _clashes(self, some: Collection[str], others: Collection[str]) -> int:
        """Rounds of an event in which both played, and not the same game."""
        return sum(
            played.isdisjoint(self._rounds[other].get(when, played))
            for name in some
            for other in others
            for when, played in self._rounds[name].items()
        )


def _rows(table: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(table[column].to_pylist() for column in columns), strict=True)


def _pairs(some: Collection[str], others: Collection[str]) -> Iterator[frozenset[str]]:
    return (frozenset((one, other)) for one in some for other in others)
