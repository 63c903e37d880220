"""Which names are one player.

Names are settled in this order: the user's aliases, a Scid spelling file, then each other. Among themselves,
names of one family are one player where their given names agree, and an initial goes to the one player it
fits. Where it fits two, and where a name is cut short (`Karpov,An`), the games settle it (`_Evidence`) or it
stays a name by itself. FIDE ids settle both: one id is one player, however spelt. Nobody plays against
themselves. The order of the games does not matter.

Scid's spelling file (Debian's `scid-rating-data`) is 180 MB of canonical names, other spellings and published
ratings by year. It is read once into two Parquet files in the user's cache, which answer in milliseconds.
"""

from __future__ import annotations

import os
import re
import shutil
import weakref
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import mean, median
from tempfile import mkdtemp
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.decisions.names import FoldedName, fold, fold_name, given_names_agree
from assay.decisions.schema import PLAYERS, REFERENCE_RATINGS
from assay.errors import InputError
from assay.files import written_whole
from assay.settings import folder_of

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
    fuller = _fuller_names(games)
    names = [
        Ambiguous(name, games[name], tuple(sorted(fuller[name], key=lambda player: (-games[player], player))))
        for name, settled in resolved.items()
        if settled.method == AMBIGUOUS and name in fuller
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
    last = [words[cut:] for cut in range(len(words) - 1, 0, -1)]  # "Garry Kasparov", "Anna van der Berg"
    first = [words[:cut] for cut in range(1, len(words))]  # "Hou Yifan"
    return next((family for family in (*last, *first) if family in families), folded.family)


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


def _fuller_names(players: Iterable[str]) -> dict[str, list[str]]:
    """The players of the same family that each player's given names may be short for, where there are any."""
    groups: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
    for player in sorted(players):
        folded = fold_name(player)
        if folded.given and not _SEVERAL.search(player):
            groups[folded.family, folded.given[0][0]].append(player)
    fuller = {
        name: [other for other in group if _abbreviates(fold_name(name).given, fold_name(other).given)]
        for group in groups.values()
        for name in group
    }
    return {name: others for name, others in fuller.items() if others}


def _abbreviates(short: tuple[str, ...], full: tuple[str, ...]) -> bool:
    """Whether given names are others cut short: `An` of `Anatoly`, `T` of `Tigran L`, `TL` of `Tigran L`."""
    if not 0 < _fullness(short) < _fullness(full):
        return False
    if len(full) > 1 and short == ("".join(word[0] for word in full),):
        return True
    return len(short) <= len(full) and all(b.startswith(a) for a, b in zip(short, full, strict=False))


# By the games.

NEEDED = ("white_name", "black_name", "white_elo", "black_elo", "year", "event", "white_fide", "black_fide")
"""Columns of the table games that `resolve` needs."""

_NEAR, _FAR = 50, 200
"""Points between ratings of the same years that one person can have, and that nobody has."""
_SEAM = 3
"""Years at most from the last rating under one name to the first under another that follows it."""
_COMPANY = 5
"""So many opponents in common, by family and initial, are the company of one player."""
_NEARLY_ALL = 0.9
"""The share of a name's games with a FIDE id that must agree on it."""


def _settle_by_games(
    joined: dict[str, str], weights: Mapping[str, int], fixed: set[str], games: pa.Table
) -> tuple[dict[str, str], set[str]]:
    """Join short names to fuller ones where the games allow it. Returns the players who stay ambiguous, too.

    Names that were joined by themselves alone are parted where they played against each other or have
    different FIDE ids; players with one id are one.
    """
    fuller = _fuller_names(set(joined.values()))
    shared = {player for player, n in Counter(joined.values()).items() if n > 1}
    concerned = shared.union(fuller, *fuller.values())
    evidence = _Evidence(games, concerned.union(name for name in joined if joined[name] in concerned))
    members: dict[str, list[str]] = defaultdict(list)
    for name in sorted(joined):
        ids = evidence.ids.get(name), evidence.ids.get(joined[name])
        if evidence.met([name], [joined[name]]) or (None not in ids and ids[0] != ids[1]):
            joined[name] = name
        members[joined[name]].append(name)
    short = [name for name in fuller if name in members and name not in fixed]
    short.sort(key=lambda name: (-_fullness(fold_name(name).given), name))
    remaining = 0
    open_names: set[str] = set()
    while remaining != len(members):  # what is joined may settle others
        remaining, open_names = len(members), set()
        for name in short:
            candidates = [player for player in fuller[name] if player in members and name in members]
            same = {player: evidence.same(members[name], members[player]) for player in candidates}
            fitting = [player for player in candidates if same[player]]
            # Of several, the one whom all others may be short for.
            fullest = [
                player
                for player in fitting
                if all(other == player or player in fuller.get(other, ()) for other in fitting)
            ]
            if fullest:
                members[fullest[0]] += members.pop(name)
            elif fitting or None in same.values():
                open_names.add(name)
    bearers: dict[int, list[str]] = defaultdict(list)
    for player, names in sorted(members.items()):
        if (number := evidence.id_of(names)) is not None:
            bearers[number].append(player)

    def rank(name: str) -> tuple[bool, int, int, str]:
        return name in fixed, _fullness(fold_name(name).given), weights[name], name

    canonical = {player: max(players, key=rank) for players in bearers.values() for player in players}
    settled = {name: canonical.get(player, player) for player, names in members.items() for name in names}
    return settled, {name for name in open_names if settled[name] == name}


class _Evidence:
    """Ratings, events and opponents of names, gathered in one pass over the games; FIDE ids of all names."""

    def __init__(self, games: pa.Table, names: Collection[str]) -> None:
        self._ratings: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._events: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self._opponents: dict[str, set[tuple[tuple[str, ...], str]]] = defaultdict(set)
        self._met: set[frozenset[str]] = set()
        ids: dict[str, Counter[int]] = defaultdict(Counter)
        wanted = pa.array(sorted(names), pa.string())
        for side, other in (("white", "black"), ("black", "white")):
            with_id = games.filter(pc.is_valid(games[f"{side}_fide"]))
            for name, number in zip(*_lists(with_id, f"{side}_name", f"{side}_fide"), strict=True):
                ids[name][number] += 1
            theirs = games.filter(pc.is_in(games[f"{side}_name"], wanted))
            columns = _lists(theirs, f"{side}_name", f"{other}_name", f"{side}_elo", "year", "event")
            for name, opponent, elo, year, event in zip(*columns, strict=True):
                self._met.add(frozenset((name, opponent)))
                folded = fold_name(opponent)
                self._opponents[name].add((folded.family, folded.given[0][0] if folded.given else ""))
                if year is not None and elo is not None:
                    self._ratings[name][year].append(elo)
                if year is not None and event is not None:
                    self._events[name].add((event, year))
        most = {name: numbers.most_common(1)[0] for name, numbers in ids.items()}
        self.ids = {
            name: number for name, (number, n) in most.items() if n >= _NEARLY_ALL * ids[name].total()
        }

    def id_of(self, names: Iterable[str]) -> int | None:
        """The FIDE id that these names of a player have; None where they have none, or several."""
        numbers = {self.ids[name] for name in names if name in self.ids}
        return numbers.pop() if len(numbers) == 1 else None

    def met(self, names: Collection[str], others: Collection[str]) -> bool:
        """Whether anybody of these names played against anybody of those."""
        return any(a != b and frozenset((a, b)) in self._met for a, b in product(names, others))

    def same(self, names: Collection[str], others: Collection[str]) -> bool | None:
        """Whether these names and those are one person's; None where the games do not settle it."""
        ids = self.id_of(names), self.id_of(others)
        if None not in ids:
            return ids[0] == ids[1]
        mine, theirs = self._ratings_of(names), self._ratings_of(others)
        distances = [abs(mine[year] - theirs[year]) for year in sorted(mine.keys() & theirs.keys())]
        if self.met(names, others) or (distances and median(distances) > _FAR):
            return False
        near = median(distances) <= _NEAR if distances else _follows(mine, theirs)
        company = _shared(self._events, names, others) or _shared(self._opponents, names, others) >= _COMPANY
        return True if near and company else None

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


def _lists(table: pa.Table, *columns: str) -> list[list[Any]]:
    return [table[column].to_pylist() for column in columns]


# By a spelling file.

DEBIAN_FILE = Path("/usr/share/scid/data/spelling.ssp")

_INDEX_VERSION = 1
_YEAR = re.compile(r"(\d{4}):([\d?,]+)")


def find_spelling_file(given: Path | None = None) -> Path | None:
    """The spelling file to use: the one given, the one that ASSAY_SPELLING names, Debian's; None if none.

    An empty ASSAY_SPELLING switches Debian's off.
    """
    if given is not None:
        if not given.is_file():
            raise InputError(f"the spelling file {given} does not exist: name another with --spelling")
        return given
    named = os.environ.get("ASSAY_SPELLING")
    if named is not None:
        return find_spelling_file(Path(named)) if named else None
    return DEBIAN_FILE if DEBIAN_FILE.is_file() else None


class Spelling:
    """Answers from an indexed spelling file."""

    def __init__(self, path: Path, say: Callable[[str], None] = lambda _: None) -> None:
        try:
            self._open(path, _index_folder(path), say)
        except OSError:  # no home, or one that cannot be written: the index lives as long as this does
            folder = mkdtemp(prefix="assay-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._open(path, Path(folder), say)

    def _open(self, path: Path, folder: Path, say: Callable[[str], None]) -> None:
        self._names = folder / "names.parquet"
        self._ratings = folder / "ratings.parquet"
        if not self._names.is_file():  # written last
            say(f"Reading the names and ratings of {path.name}, once ...")
            _build(path, self._names, self._ratings)

    def players(self, names: Iterable[str]) -> dict[str, str]:
        """Canonical names of those names that are in the file."""
        keys = {name: _keys(name) for name in names}
        rows = _match(self._names, "key", sorted({key for ways in keys.values() for key in ways}))
        by_key = dict(zip(rows["key"].to_pylist(), rows["player"].to_pylist(), strict=True))
        first = {name: next((key for key in ways if key in by_key), None) for name, ways in keys.items()}
        return {name: by_key[key] for name, key in first.items() if key is not None}

    def ratings(self, players: Iterable[str]) -> pa.Table:
        """Published ratings by year of these players: rows of the table reference_ratings."""
        rows = _match(self._ratings, "player", sorted(set(players)))
        return rows.select(REFERENCE_RATINGS.arrow.names).cast(REFERENCE_RATINGS.arrow)


def _keys(name: str) -> list[str]:
    """How a name may stand in the index: as written; without a comma, family name last, then first."""
    key = alias_key(name)
    words = key.split()
    if "," in key or len(words) < 2:
        return [key]
    return [key, f"{words[-1]}, {' '.join(words[:-1])}", f"{words[0]}, {' '.join(words[1:])}"]


def _match(path: Path, column: str, values: list[str]) -> pa.Table:
    matches = pc.is_in(pc.field(column), pa.array(values, pa.string()))
    return pq.read_table(path, filters=matches)


def _index_folder(path: Path) -> Path:
    if (folder := folder_of("cache")) is None:
        raise OSError("there is no home")
    about = path.stat()
    return folder / f"spelling-{_INDEX_VERSION}-{about.st_size}-{int(about.st_mtime)}"


def _build(path: Path, names: Path, ratings: Path) -> None:
    """Read the file into the index; the names are written last and show that it is complete."""
    players: list[str] = []
    canonical: dict[str, int] = {}
    other: dict[str, int] = {}
    # Arrays of machine integers: as Python objects two million ratings would take half a gigabyte.
    owners, years, elos = array("i"), array("h"), array("h")
    with path.open(encoding="utf-8", errors="replace") as file:
        within = False
        for line in file:
            text = line.split("#", 1)[0].strip()
            if line.startswith("@"):
                within = line.startswith("@PLAYER")
            elif not within or not line.strip() or line.startswith("#"):
                continue
            elif not line[0].isspace():
                _add_key(canonical, alias_key(text), len(players))
                players.append(text)
                rated: set[int] = set()  # years, of this player
            elif players and line.lstrip().startswith("="):
                _add_key(other, alias_key(text[1:]), len(players) - 1)
            elif players and line.lstrip().startswith("%Elo"):
                by_year = {year: elo for year, elo in _ratings(line).items() if year not in rated}
                rated |= by_year.keys()
                owners.extend([len(players) - 1] * len(by_year))
                years.extend(by_year)
                elos.extend(by_year.values())
    if not players:
        raise InputError(f"{path} is not a Scid spelling file: it has no players")
    spelled = pa.array(players)
    columns = (
        spelled.take(pa.array(owners, pa.int32())),
        pa.array(years, pa.int16()),
        pa.array(elos, pa.int16()),
    )
    _write(pa.table(list(columns), schema=REFERENCE_RATINGS.arrow), ratings)
    keys = {key: number for key, number in {**other, **canonical}.items() if number >= 0}
    player = spelled.take(pa.array(keys.values(), pa.int32()))
    _write(pa.table({"key": pa.array(keys, pa.string()), "player": player}), names)


def _add_key(keys: dict[str, int], key: str, number: int) -> None:
    """A name that stands for two players stands for none."""
    keys[key] = number if keys.get(key, number) == number else -1


def _ratings(line: str) -> dict[int, int]:
    """The mean rating of each year on a line of ratings."""
    by_year = {}
    for year, listed in _YEAR.findall(line):
        values = [int(value) for value in listed.split(",") if value.isdigit() and 100 <= int(value) <= 4000]
        if values:
            by_year[int(year)] = round(sum(values) / len(values))
    return by_year


def _write(table: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        pq.write_table(table, file, compression="zstd", row_group_size=100_000)
