"""Which names are one player.

Names are settled in this order: the user's aliases, a Scid spelling file, then each other. Among themselves,
names of one family are one player where their given names agree, and an initial goes to the one player it
fits. Where it fits two, and where a name is cut short (`Karpov,An`), the games settle it (`Evidence`) or it
stays a name of its own. FIDE ids settle both: one id is one player, however spelt (`fide_ids`). Nobody plays
against themselves. The order of the games does not matter.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from pathlib import Path
from statistics import mean, median
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.names import FoldedName, fold, fold_name, given_names_agree
from assay.decisions.schema import PLAYERS
from assay.errors import InputError


@dataclass(frozen=True)
class Resolved:
    """The player that a name means, and how that was found."""

    player: str
    method: str


AMBIGUOUS = "ambiguous"
"""The method of a name that stands for itself, though it may be short for another."""


@dataclass(frozen=True)
class Ambiguous:
    """A name that may be short for another, which the games do not settle."""

    name: str
    games: int
    candidates: tuple[str, ...]
    """Whom it may mean, the one with most games first."""

    @property
    def alias(self) -> str:
        """The line for a file of aliases that would settle it."""
        return f"{self.name} = {self.candidates[0]}"


def read_aliases(path: Path) -> dict[str, str]:
    """Aliases from a file of lines `name = player`; `#` begins a comment."""
    aliases: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the aliases {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the aliases {path} are not UTF-8 text: save the file as UTF-8") from error
    for number, line in enumerate(lines, start=1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        name, equals, player = (part.strip() for part in text.partition("="))
        if not (name and equals and player):
            raise InputError(f"line {number} of {path} is not of the form 'name = player'")
        aliases[alias_key(name)] = player
    return aliases


def alias_key(name: str) -> str:
    """Aliases and spellings are looked up without case, diacritics and superfluous blanks."""
    return " ".join(fold(name).replace(".", " ").replace(",", ", ").split())


def resolve(
    counts: Mapping[str, int],
    aliases: Mapping[str, str],
    spellings: Mapping[str, str],
    games: pa.Table | None = None,
) -> dict[str, Resolved]:
    """The player of every name; `counts` says how often each occurs, `games` where and against whom."""
    resolved: dict[str, Resolved] = {}
    weights: Counter[str] = Counter()
    for name, count in counts.items():
        if alias_key(name) in aliases:
            resolved[name] = Resolved(aliases[alias_key(name)], "alias")
        elif name in spellings:
            resolved[name] = Resolved(spellings[name], "spelling")
            weights[spellings[name]] += count
        else:
            weights[name] += count
    fixed = set(spellings.values())
    joined = _join(weights, fixed)
    open_names: set[str] = set()
    if games is not None:
        joined, open_names = _settle_by_games(joined, weights, fixed, games)
    for name in counts:
        if name not in resolved:
            player = joined[name]
            alone = AMBIGUOUS if player in open_names else "as_written"
            resolved[name] = Resolved(player, alone if player == name else "matched")
    return resolved


def ambiguous(resolved: Mapping[str, Resolved], counts: Mapping[str, int]) -> list[Ambiguous]:
    """The names that stay ambiguous, the most frequent first, with whom they may mean."""
    games: Counter[str] = Counter()
    for name, one in resolved.items():
        games[one.player] += counts.get(name, 0)
    by_letter = _by_letter(games)
    found = [
        Ambiguous(name, games[name], tuple(sorted(whom, key=lambda one: (-games[one], one))))
        for name, one in resolved.items()
        if one.method == AMBIGUOUS and (whom := _fuller(name, by_letter))
    ]
    return sorted(found, key=lambda one: (-one.games, one.name))


def _settle_by_games(
    joined: dict[str, str], weights: Mapping[str, int], fixed: set[str], games: pa.Table
) -> tuple[dict[str, str], set[str]]:
    """Short names joined to fuller ones where the games say so, and the players who stay ambiguous.

    Names that were joined by themselves alone are parted where they played against each other.
    """
    by_letter = _by_letter(set(joined.values()))
    short = {one: found for one in set(joined.values()) if (found := _fuller(one, by_letter))}
    shared = {player for player, n in Counter(joined.values()).items() if n > 1}
    concerned = shared | set(short) | {one for whom in short.values() for one in whom}
    evidence = Evidence(games, {name for name, player in joined.items() if player in concerned} | concerned)
    members: dict[str, list[str]] = defaultdict(list)
    for name in sorted(joined):
        if joined[name] != name and (
            evidence.met([name], [joined[name]]) or _other_ids(evidence.ids, name, joined[name])
        ):
            joined[name] = name
        members[joined[name]].append(name)
    candidates = {name: whom for name, whom in short.items() if name in members and name not in fixed}
    becomes, open_names = _join_short(candidates, members, evidence)
    settled = {name: _end(becomes, player) for name, player in joined.items()}
    # Names of the spelling file before all others, then the fuller, then the more frequent.
    rank = {name: (name in fixed, _fullness(_given_of(name)), weights[name]) for name in settled}
    by_id = joined_by_id(settled, evidence.ids, rank)
    return by_id, {name for name in open_names if by_id.get(name) == name}


def _other_ids(ids: Mapping[str, int], one: str, other: str) -> bool:
    """Whether two names have FIDE ids, and not the same."""
    return one in ids and other in ids and ids[one] != ids[other]


def _join_short(
    short: Mapping[str, list[str]], members: dict[str, list[str]], evidence: Evidence
) -> tuple[dict[str, str], set[str]]:
    """What short names become, and which stay ambiguous.

    What is joined may settle others, so that it is gone over again until nothing changes.
    """
    becomes: dict[str, str] = {}
    while True:
        open_names: set[str] = set()
        before = len(becomes)
        for name in sorted(short, key=lambda one: (-_fullness(_given_of(one)), one)):
            if name in becomes:
                continue
            whom = {_end(becomes, one) for one in short[name]} & members.keys()
            verdicts = {one: evidence.judge(members[name], members[one]) for one in sorted(whom)}
            same = [one for one, verdict in verdicts.items() if verdict is Verdict.SAME]
            if (one := _fullest(same, evidence, members)) is not None:
                becomes[name] = one
                members[one] += members.pop(name)
            elif same or Verdict.OPEN in verdicts.values():
                open_names.add(name)
        if len(becomes) == before:
            return becomes, open_names


def _fullest(same: list[str], evidence: Evidence, members: Mapping[str, list[str]]) -> str | None:
    """The one among several that all others may be short for; None where there is none."""
    for one in same:
        others = [other for other in same if other != one]
        if all(
            abbreviates(_given_of(other), _given_of(one))
            and evidence.judge(members[other], members[one]) is not Verdict.DIFFERENT
            for other in others
        ):
            return one
    return None


def _end(becomes: Mapping[str, str], name: str) -> str:
    while name in becomes:
        name = becomes[name]
    return name


def _given_of(name: str) -> tuple[str, ...]:
    return fold_name(name).given


def _by_letter(players: Iterable[str]) -> dict[tuple[tuple[str, ...], str], list[str]]:
    """Players by family and the first letter of their given names; those without given names in none."""
    found: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
    for player in sorted(players):
        folded = fold_name(player)
        if folded.given and not _SEVERAL.search(player):
            found[folded.family, folded.given[0][0]].append(player)
    return found


def _fuller(name: str, by_letter: Mapping[tuple[tuple[str, ...], str], list[str]]) -> list[str]:
    """The players that a name may be short for."""
    folded = fold_name(name)
    if not folded.given or _SEVERAL.search(name):
        return []
    near = by_letter.get((folded.family, folded.given[0][0]), ())
    return [other for other in near if abbreviates(folded.given, _given_of(other))]


def abbreviates(short: tuple[str, ...], full: tuple[str, ...]) -> bool:
    """Whether given names are others cut short: `An` of `Anatoly`, `T` of `Tigran L`, `TL` of `Tigran L`."""
    if not 0 < _fullness(short) < _fullness(full):
        return False
    initials = "".join(word[0] for word in full)
    if len(full) > 1 and short == (initials,):
        return True
    return len(short) <= len(full) and all(b.startswith(a) for a, b in zip(short, full, strict=False))


_SEVERAL = re.compile(r"[:/&+]| and ")
"""Stands between the names of players who consulted each other."""


def players_table(resolved: Mapping[str, Resolved]) -> pa.Table:
    """Rows of the table players."""
    names = sorted(resolved)
    return pa.table(
        {
            "name": pa.array(names, pa.string()),
            "player": pa.array([resolved[name].player for name in names], pa.string()),
            "method": pa.array([resolved[name].method for name in names], pa.string()),
        },
        schema=PLAYERS.arrow,
    )


def _join(weights: Mapping[str, int], fixed: set[str]) -> dict[str, str]:
    """The canonical name of every name, found among the names themselves."""
    families: dict[tuple[str, ...], list[str]] = defaultdict(list)
    unordered: list[str] = []
    joined: dict[str, str] = {}
    for name in sorted(weights):
        folded = fold_name(name)
        if _SEVERAL.search(name):
            joined[name] = name
        elif folded.ordered:
            families[folded.family].append(name)
        else:
            unordered.append(name)
    for name in unordered:
        families[_family_of(fold_name(name), families)].append(name)
    for family, names in families.items():
        joined.update(_join_family(family, names, weights, fixed))
    return joined


def _family_of(folded: FoldedName, families: Mapping[tuple[str, ...], list[str]]) -> tuple[str, ...]:
    """The family of a name without a comma: one that commas have named, else its last word."""
    words = folded.given + folded.family
    for cut in range(len(words) - 1, 0, -1):  # "Garry Kasparov", "Anna van der Berg"
        if words[cut:] in families:
            return words[cut:]
    for cut in range(1, len(words)):  # "Hou Yifan"
        if words[:cut] in families:
            return words[:cut]
    return folded.family


def _given(name: str, family: tuple[str, ...]) -> tuple[str, ...]:
    folded = fold_name(name)
    if folded.family == family:
        return folded.given
    words = folded.given + folded.family
    if words[-len(family) :] == family:
        return words[: -len(family)]
    return words[len(family) :]


def _join_family(
    family: tuple[str, ...], names: list[str], weights: Mapping[str, int], fixed: set[str]
) -> dict[str, str]:
    """Players of one family, grown from the fullest given names; shorter ones go where they fit one only."""
    by_given: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        by_given[_given(name, family)].append(name)
    persons: list[list[tuple[str, ...]]] = []
    for given in sorted(by_given, key=lambda g: (-_fullness(g), g)):
        fitting = [person for person in persons if all(given_names_agree(given, other) for other in person)]
        if len(fitting) == 1 and (given or len(persons) == 1):
            fitting[0].append(given)
        else:
            persons.append([given])
    joined = {}
    for person in persons:
        members = [name for given in person for name in by_given[given]]
        joined.update(dict.fromkeys(members, _canonical(members, family, weights, fixed)))
    return joined


def _fullness(given: tuple[str, ...]) -> int:
    return sum(len(word) for word in given)


def _canonical(
    person: list[str], family: tuple[str, ...], weights: Mapping[str, int], fixed: set[str]
) -> str:
    """The spelling file's name if there is one; else the fullest, in "Family, Given" order, most frequent."""

    def rank(name: str) -> tuple[bool, int, bool, bool, int, str]:
        fullness = _fullness(_given(name, family))
        return (name not in fixed, -fullness, "," not in name, name.isupper(), -weights[name], name)

    return min(person, key=rank)


# What the games tell of two names: whether one person can bear both.

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


# FIDE ids: two spellings with one id are one player, two with different ids are two.

NEARLY_ALL = 0.9
"""The share of a name's games with an id that must agree on it."""


def ids_of_names(games: pa.Table) -> dict[str, int]:
    """The id of each name that has one."""
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    for side in ("white", "black"):
        columns = (games[f"{side}_name"].to_pylist(), games[f"{side}_fide"].to_pylist())
        for name, number in zip(*columns, strict=True):
            if number is not None:
                seen[name][number] += 1
    found = {}
    for name, numbers in seen.items():
        number, times = numbers.most_common(1)[0]
        if times >= NEARLY_ALL * numbers.total():
            found[name] = number
    return found


def id_of_all(names: Iterable[str], ids: Mapping[str, int]) -> int | None:
    """The one id that these names of a player have; None where they have none, or several."""
    known = {ids[name] for name in names if name in ids}
    return known.pop() if len(known) == 1 else None


def joined_by_id(
    joined: Mapping[str, str], ids: Mapping[str, int], rank: Mapping[str, tuple[bool, int, int]]
) -> dict[str, str]:
    """The player of every name, where players with one id are one: the one of the highest rank.

    A player whose names have several ids is not touched: which of them is meant cannot be told.
    """
    names: dict[str, list[str]] = defaultdict(list)
    for name, player in joined.items():
        names[player].append(name)
    bearers: dict[int, list[str]] = defaultdict(list)
    for player, own in sorted(names.items()):
        if (number := id_of_all(own, ids)) is not None:
            bearers[number].append(player)
    becomes = {}
    for players in bearers.values():
        chosen = max(players, key=lambda player: (rank[player], player))
        becomes.update(dict.fromkeys(players, chosen))
    return {name: becomes.get(player, player) for name, player in joined.items()}
