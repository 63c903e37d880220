"""Which names are one player.

Names are settled in this order: the user's aliases, a Scid spelling file, then each other. Among themselves,
names of one family are one player where their given names agree, and an initial goes to the one player it
fits. Where it fits two, and where a name is cut short (`Karpov,An`), the games settle it (`Evidence`) or it
stays a name by itself. FIDE ids settle both: one id is one player, however spelt. Nobody plays against
themselves. The order of the games does not matter.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, product
from pathlib import Path
from statistics import mean, median
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.names import FoldedName, fold, fold_name, given_names_agree
from assay.decisions.schema import PLAYERS
from assay.errors import InputError

AMBIGUOUS = "ambiguous"
"""The method of a name that stands for itself, though it may be short for another."""

_SEVERAL = re.compile(r"[:/&+]| and ")
"""Stands between the names of players who consulted each other."""


@dataclass(frozen=True)
class Resolved:
    """The player that a name means, and how that was settled."""

    player: str
    method: str


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
        name, equals, player = (part.strip() for part in text.partition("="))
        if name and equals and player:
            aliases[alias_key(name)] = player
        elif text:
            raise InputError(f"line {number} of {path} is not of the form 'name = player'")
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
    """The player of every name; `counts` is how often each occurs, `games` where and against whom."""
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
    for name, settled in resolved.items():
        games[settled.player] += counts.get(name, 0)
    by_letter = _by_letter(games)
    names = [
        Ambiguous(name, games[name], tuple(sorted(candidates, key=lambda player: (-games[player], player))))
        for name, settled in resolved.items()
        if settled.method == AMBIGUOUS and (candidates := _fuller(name, by_letter))
    ]
    return sorted(names, key=lambda name: (-name.games, name.name))


def players_table(resolved: Mapping[str, Resolved]) -> pa.Table:
    """Rows of the table players."""
    rows = [(name, settled.player, settled.method) for name, settled in sorted(resolved.items())]
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    return pa.table([pa.array(column, pa.string()) for column in columns], schema=PLAYERS.arrow)


# By the names themselves.


def _join(weights: Mapping[str, int], fixed: set[str]) -> dict[str, str]:
    """The canonical name of every name, by the names themselves."""
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

    def rank(name: str) -> tuple[bool, int, bool, bool, int, str]:
        fullness = _fullness(_given(name, family))
        return (name not in fixed, -fullness, "," not in name, name.isupper(), -weights[name], name)

    joined = {}
    for person in persons:
        members = [name for given in person for name in by_given[given]]
        # The spelling file's name if there is one; else the fullest, in "Family, Given" order, most frequent.
        joined.update(dict.fromkeys(members, min(members, key=rank)))
    return joined


def _given(name: str, family: tuple[str, ...]) -> tuple[str, ...]:
    folded = fold_name(name)
    if folded.family == family:
        return folded.given
    words = folded.given + folded.family
    return words[: -len(family)] if words[-len(family) :] == family else words[len(family) :]


def _fullness(given: tuple[str, ...]) -> int:
    return sum(map(len, given))


def abbreviates(short: tuple[str, ...], full: tuple[str, ...]) -> bool:
    """Whether given names are others cut short: `An` of `Anatoly`, `T` of `Tigran L`, `TL` of `Tigran L`."""
    if not 0 < _fullness(short) < _fullness(full):
        return False
    if len(full) > 1 and short == ("".join(word[0] for word in full),):
        return True
    return len(short) <= len(full) and all(b.startswith(a) for a, b in zip(short, full, strict=False))


_ByLetter = Mapping[tuple[tuple[str, ...], str], list[str]]


def _by_letter(players: Iterable[str]) -> _ByLetter:
    """Players by family and the first letter of their given names; those without given names in none."""
    groups: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
    for player in sorted(players):
        folded = fold_name(player)
        if folded.given and not _SEVERAL.search(player):
            groups[folded.family, folded.given[0][0]].append(player)
    return groups


def _fuller(name: str, by_letter: _ByLetter) -> list[str]:
    """The players that a name may be short for."""
    folded = fold_name(name)
    if not folded.given or _SEVERAL.search(name):
        return []
    near = by_letter.get((folded.family, folded.given[0][0]), ())
    return [player for player in near if abbreviates(folded.given, fold_name(player).given)]


# By the games.


def _settle_by_games(
    joined: dict[str, str], weights: Mapping[str, int], fixed: set[str], games: pa.Table
) -> tuple[dict[str, str], set[str]]:
    """Join short names to fuller ones where the games allow it. Returns the players who stay ambiguous, too.

    Names that were joined by themselves alone are parted where they played against each other.
    """
    by_letter = _by_letter(set(joined.values()))
    short = {player: fuller for player in set(joined.values()) if (fuller := _fuller(player, by_letter))}
    shared = {player for player, n in Counter(joined.values()).items() if n > 1}
    concerned = shared.union(short, *short.values())
    evidence = Evidence(
        games, concerned.union(name for name, player in joined.items() if player in concerned)
    )
    ids = evidence.ids
    members: dict[str, list[str]] = defaultdict(list)
    for name in sorted(joined):
        player = joined[name]
        other_id = name in ids and player in ids and ids[name] != ids[player]
        if player != name and (other_id or evidence.met([name], [player])):
            joined[name] = name
        members[joined[name]].append(name)
    candidates = {name: fuller for name, fuller in short.items() if name in members and name not in fixed}
    becomes, open_names = _join_short(candidates, members, evidence)
    settled = {name: _end(becomes, player) for name, player in joined.items()}
    # Names of the spelling file before all others, then the fuller, then the more frequent.
    rank = {name: (name in fixed, _fullness(fold_name(name).given), weights[name]) for name in settled}
    by_id = joined_by_id(settled, ids, rank)
    return by_id, {name for name in open_names if by_id.get(name) == name}


def _join_short(
    short: Mapping[str, list[str]], members: dict[str, list[str]], evidence: Evidence
) -> tuple[dict[str, str], set[str]]:
    """What short names become, and which stay ambiguous.

    What is joined may settle others, so this is repeated until nothing changes.
    """
    becomes: dict[str, str] = {}
    while True:
        open_names: set[str] = set()
        before = len(becomes)
        for name in sorted(short, key=lambda name: (-_fullness(fold_name(name).given), name)):
            if name in becomes:
                continue
            candidates = sorted({_end(becomes, player) for player in short[name]} & members.keys())
            verdicts = {player: evidence.judge(members[name], members[player]) for player in candidates}
            same = [player for player, verdict in verdicts.items() if verdict is Verdict.SAME]
            if (player := _fullest(same, evidence, members)) is not None:
                becomes[name] = player
                members[player] += members.pop(name)
            elif same or Verdict.OPEN in verdicts.values():
                open_names.add(name)
        if len(becomes) == before:
            return becomes, open_names


def _fullest(same: list[str], evidence: Evidence, members: Mapping[str, list[str]]) -> str | None:
    """The player whom all others may be short for; None where there is none."""
    for player in same:
        if all(
            abbreviates(fold_name(other).given, fold_name(player).given)
            and evidence.judge(members[other], members[player]) is not Verdict.DIFFERENT
            for other in same
            if other != player
        ):
            return player
    return None


def _end(becomes: Mapping[str, str], name: str) -> str:
    while name in becomes:
        name = becomes[name]
    return name


NEEDED = (
    *("white_name", "black_name", "white_elo", "black_elo", "year", "event", "round"),
    *("moves_key", "n_plies", "white_fide", "black_fide"),
)
"""Columns of the table games that `resolve` needs."""

_LONG_ENOUGH = 30
"""Plies from which two games of the same moves in the same year are one game."""
_NEAR, _FAR = 50, 200
"""Points between ratings of the same years that one person can have, and that nobody has."""
_SEAM = 3
"""Years at most from the last rating under one name to the first under another that follows it."""
_COMPANY = 5
"""So many opponents in common, by family and initial, are the company of one player."""
_MANY_YEARS, _VERY_NEAR = 3, 25
_CLASHES = 2
"""Rounds with two games; a single one may be a wrong tag."""


class Verdict(Enum):
    """Whether one person can bear two names, by the games."""

    SAME = "same"
    DIFFERENT = "different"
    OPEN = "open"


class Evidence:
    """Ratings, events, rounds and opponents of names, gathered in one pass over the games."""

    def __init__(self, games: pa.Table, names: Collection[str]) -> None:
        self._ratings: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._events: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self._rounds: dict[str, dict[tuple[str, int, str], set[int]]] = defaultdict(lambda: defaultdict(set))
        self._opponents: dict[str, set[tuple[tuple[str, ...], str]]] = defaultdict(set)
        self._met: set[frozenset[str]] = set()
        self._recorded_twice: Counter[frozenset[str]] = Counter()
        self.ids = ids_of_names(games)
        wanted = pa.array(sorted(names), pa.string())
        for side, other in (("white", "black"), ("black", "white")):
            self._read_side(games.filter(pc.is_in(games[f"{side}_name"], wanted)), side, other)

    def _read_side(self, games: pa.Table, side: str, other: str) -> None:
        of_game: dict[tuple[int, int], set[str]] = defaultdict(set)
        columns = (f"{side}_name", f"{other}_name", f"{side}_elo", *NEEDED[4:9])
        for name, opponent, elo, year, event, round_, moves, plies in _rows(games, *columns):
            self._met.add(frozenset((name, opponent)))
            folded = fold_name(opponent)
            self._opponents[name].add((folded.family, folded.given[0][0] if folded.given else ""))
            if year is None:
                continue
            if elo is not None:
                self._ratings[name][year].append(elo)
            if event is not None:
                self._events[name].add((event, year))
                if round_ is not None:
                    self._rounds[name][event, year, round_].add(moves)
            if plies is not None and plies >= _LONG_ENOUGH:
                of_game[moves, year].add(name)
        for names in of_game.values():
            self._recorded_twice.update(map(frozenset, combinations(sorted(names), 2)))

    def met(self, names: Collection[str], others: Collection[str]) -> bool:
        """Whether anybody of these names played against anybody of those."""
        return any(pair in self._met for pair in map(frozenset, product(names, others)))

    def judge(self, names: Collection[str], others: Collection[str]) -> Verdict:
        """Whether names of one person and names of another are one person's; their FIDE ids come first."""
        ids = id_of_all(names, self.ids), id_of_all(others, self.ids)
        if None not in ids:
            return Verdict.SAME if ids[0] == ids[1] else Verdict.DIFFERENT
        recorded_twice = sum(self._recorded_twice[pair] for pair in map(frozenset, product(names, others)))
        mine, theirs = self._ratings_of(names), self._ratings_of(others)
        distances = [abs(mine[year] - theirs[year]) for year in sorted(mine.keys() & theirs.keys())]
        # Rounds of an event in which both played, and not the same game.
        clashes = sum(
            moves.isdisjoint(self._rounds[other].get(when, moves))
            for name, other in product(names, others)
            for when, moves in self._rounds[name].items()
        )
        if self.met(names, others) or (clashes >= _CLASHES and clashes > recorded_twice):
            return Verdict.DIFFERENT
        if distances and median(distances) > _FAR:
            return Verdict.DIFFERENT
        if recorded_twice:
            return Verdict.SAME
        often = len(distances) >= _MANY_YEARS and median(distances) <= _VERY_NEAR
        near = median(distances) <= _NEAR if distances else _follows(mine, theirs)
        company = _shared(self._events, names, others) or _shared(self._opponents, names, others) >= _COMPANY
        return Verdict.SAME if near and (company or often) else Verdict.OPEN

    def _ratings_of(self, names: Collection[str]) -> dict[int, float]:
        by_year: dict[int, list[int]] = defaultdict(list)
        for name in names:
            for year, elos in self._ratings[name].items():
                by_year[year] += elos
        return {year: mean(elos) for year, elos in by_year.items()}


def _follows(earlier: dict[int, float], later: dict[int, float]) -> bool:
    """Whether the ratings of one go on where those of the other ended."""
    if not earlier or not later:
        return False
    if min(earlier) > min(later):
        earlier, later = later, earlier
    last, first = max(earlier), min(later)
    return last < first <= last + _SEAM and abs(earlier[last] - later[first]) <= _NEAR


def _shared(things: Mapping[str, set[Any]], names: Collection[str], others: Collection[str]) -> int:
    """How many things are under names of both."""
    empty: set[Any] = set()
    return len(empty.union(*(things[n] for n in names)) & empty.union(*(things[n] for n in others)))


def _rows(table: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(table[column].to_pylist() for column in columns), strict=True)


# By FIDE ids: two spellings with one id are one player, two with different ids are two.

_NEARLY_ALL = 0.9
"""The share of a name's games with an id that must agree on it."""


def ids_of_names(games: pa.Table) -> dict[str, int]:
    """The id of each name that has one."""
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    for side in ("white", "black"):
        for name, number in _rows(games, f"{side}_name", f"{side}_fide"):
            if number is not None:
                seen[name][number] += 1
    most = {name: numbers.most_common(1)[0] for name, numbers in seen.items()}
    return {name: number for name, (number, n) in most.items() if n >= _NEARLY_ALL * seen[name].total()}


def id_of_all(names: Iterable[str], ids: Mapping[str, int]) -> int | None:
    """The id that these names of a player have; None where they have none, or several."""
    numbers = {ids[name] for name in names if name in ids}
    return numbers.pop() if len(numbers) == 1 else None


def joined_by_id(
    joined: Mapping[str, str], ids: Mapping[str, int], rank: Mapping[str, tuple[bool, int, int]]
) -> dict[str, str]:
    """The player of every name, where players with one id are one: the one of the highest rank.

    A player whose names have several ids is not touched: which of them is meant cannot be told.
    """
    names: dict[str, list[str]] = defaultdict(list)
    for name, player in joined.items():
        names[player].append(name)
    bearers: dict[int | None, list[str]] = defaultdict(list)
    for player in sorted(names):
        bearers[id_of_all(names[player], ids)].append(player)
    bearers.pop(None, None)
    becomes: dict[str, str] = {}
    for players in bearers.values():
        becomes |= dict.fromkeys(players, max(players, key=lambda player: (rank[player], player)))
    return {name: becomes.get(player, player) for name, player in joined.items()}
