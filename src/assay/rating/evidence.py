"""Evidence adds up: decisions are read some games at a time, summed by player (or year, event, game), let go.

The unit is an appearance, one player in one game (assay.models.appearances). A rating needs of a player's
games only the sums over blocks of them that are left out one after another, forty at most: the n-th game of a
group is in block n modulo 40. So twenty thousand games take no more room than forty, and the games of a file
fall into the same blocks whether they are read from a workspace, streamed, or streamed by several processes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from assay.answers.ratings import Record
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import Exclusion
from assay.decisions.grouping import RATED_BY, By, check_by, parts
from assay.decisions.profile import ProfileStack
from assay.decisions.rules import rated
from assay.machine import return_memory
from assay.models.appearances import Appearances
from assay.models.base import MoveModel, recipe_of

MOST_BLOCKS = 40
"""With more games than this they are left out in so many blocks: more would cost and add little."""

COUNTS = ("games", "decisions", "squares", "elo", "rated", "wins", "draws", "losses")
"""What is counted of each block: games, decisions that count, the sum of the squares of how many each game
has, sum and number of the published ratings, results."""

BAND = 100
"""Rating points of a band."""

UNKNOWN = "unknown rating"

_APART = 1 << 31
"""Blocks of a group where every game is one."""

_FEW_GROUPS = 5_000
"""Sums of more groups are held in single precision: they take half the room."""

_MOST_WAITING = 32_000
"""Rows that wait to be added up, at least; a third as many as there are, where that is more."""

_SHARD = 4_096
"""Groups whose rows are held together: adding up takes little room besides the sums."""

_SMALL = 64
"""Evidence of so few numbers takes no less room where it is sparse."""

_DENSE = 2_000
"""Evidence of fewer numbers is unfolded where players are rated."""

_NO_EVENT = re.compile(r"\?*$|(rated|casual|live|let's play)\b", re.IGNORECASE)
"""Names that servers give to games between anybody, and no name."""

Key = tuple[str, str]
"""Of a group: the player, and the year, event or game; of a rating band its name."""


@dataclass(frozen=True, eq=False)
class Group:
    """Some appearances of one player, to be rated together."""

    player: str
    label: str
    """The year, event or game; empty where all of a player's games count together."""
    rows: Ints
    about: str = ""
    """What a reader is told in place of a label that says nothing: of a game its event, date and opponent."""

    @property
    def title(self) -> str:
        """The player, and which year, event or game."""
        return ", ".join(part for part in (self.player, self.about or self.label) if part)


def groups_of(appearances: Appearances, by: str = By.PLAYER) -> list[Group]:
    """All groups, by player and then in order of year, event or game."""
    by = check_by(by, RATED_BY)
    names = appearances.names("player")
    part, labels = np.zeros(len(appearances), np.int64), {0: ""}
    if by is not By.PLAYER:
        part, labels = parts(appearances, by)
    keys, place = np.unique(np.stack((appearances.player, part)), axis=1, return_inverse=True)
    order = np.argsort(place.reshape(-1), kind="stable")
    ends = np.searchsorted(place.reshape(-1)[order], np.arange(keys.shape[1] + 1))
    groups = []
    for index, (player, label) in enumerate(keys.T):
        rows = order[ends[index] : ends[index + 1]]
        about = game_in_words(appearances.decisions, int(appearances.first[rows[0]])) if by is By.GAME else ""
        groups.append(Group(names[player], labels[int(label)], rows, about))
    return _distinct(groups)


def _distinct(groups: Sequence[Group]) -> list[Group]:
    """The same, where two would have one title with their labels as well."""
    titles = Counter(group.title for group in groups)
    return [
        replace(group, about=f"{group.about}, {group.label}") if titles[group.title] > 1 else group
        for group in groups
    ]


def game_in_words(decisions: Decisions, first: int) -> str:
    """Opponent, event and year of the game of one decision, as far as they are known."""
    opponent, event = (
        decisions.names(column)[code] if (code := decisions.codes(column)[first]) >= 0 else ""
        for column in ("opponent", "event")
    )
    year = decisions.numbers("year")[first]
    words = (f"against {opponent}" if opponent else "", event, "" if np.isnan(year) else f"{year:.0f}")
    return ", ".join(word for word in words if word)


def leave_out_weights(n_games: int) -> Floats:
    """All games, then all but one block of them after another: rows of weights."""
    if n_games < 2:
        return np.ones((1, n_games))
    blocks = min(n_games, MOST_BLOCKS)
    # Every k-th game is one block: games of one event are spread over all of them.
    left_out = np.arange(n_games) % blocks == np.arange(blocks)[:, None]
    return np.concatenate((np.ones((1, n_games)), 1.0 - left_out))


def leave_out_covariance(without: Floats) -> Floats:
    """Covariance of a statistic from its values without each block (Efron and Stein 1981)."""
    blocks = len(without)
    apart = without - without.mean(axis=0)
    return np.asarray((blocks - 1) / blocks * apart.T @ apart)


@dataclass(frozen=True, eq=False)
class Part:
    """What some games add: one row for each appearance with decisions that count, in the games' order."""

    groups: Sequence[Key]
    """Everyone who is in them, also without a decision that counts."""
    group: Ints
    """The place of each row's group."""
    counts: Floats
    """Shape (rows, COUNTS)."""
    evidence: Mapping[str, Any]
    """By method, one row each: numpy, or scipy.sparse."""
    read: Mapping[str, Floats]
    """By method, how many decisions of each row it read, and of how many games (0 or 1)."""
    heads: Decisions | None = None
    """The first decision of each row, with the columns that belong to the game."""
    about: Mapping[Key, str] = field(default_factory=dict)
    """Groups in words, where their labels are none."""
    events: Mapping[Key, Counter[str]] = field(default_factory=dict)
    """How many games of each group are of which event."""


def part_of(
    decisions: Decisions, models: Mapping[str, MoveModel], by: str = By.PLAYER, *, compact: bool = False
) -> Part:
    """What decisions of whole games add; `compact` makes long evidence sparse, to be held by the million."""
    appearances = Appearances.of(decisions)
    groups, group, about = _grouped(appearances, by)
    rows = np.flatnonzero(appearances.size > 0)
    place = np.full(len(appearances), -1, np.int64)
    place[rows] = np.arange(len(rows))
    place = place[appearances.place(decisions)]
    counted = decisions
    if (place < 0).any():
        counted, place = decisions.take(np.flatnonzero(place >= 0)), place[place >= 0]
    evidence, read = {}, {}
    chosen: dict[bytes, tuple[Decisions, Ints, Floats]] = {}  # most methods read the same decisions
    for name, model in models.items():
        keep = model.keeps(counted)
        which = keep.tobytes()
        if which not in chosen:
            selected = counted if keep.all() else counted.take(np.flatnonzero(keep))
            row = place if keep.all() else place[keep]
            sizes = np.bincount(row, minlength=len(rows))
            chosen[which] = selected, row, np.stack((sizes, sizes > 0), axis=1, dtype=np.float64)
        selected, row, read[name] = chosen[which]
        matrix = model.evidence(selected, row, len(rows))
        if not sparse.issparse(matrix):
            matrix = matrix.reshape(len(rows), -1)
        is_sparse = sparse.issparse(matrix) or (compact and matrix.shape[1] > _SMALL)
        evidence[name] = narrow(sparse.csr_array(matrix)) if is_sparse else matrix
    size, elo = appearances.size[rows], appearances.elo[rows]
    result = appearances.numbers("result")[rows]
    counts = (
        *(np.ones(len(rows)), size, np.square(size), np.nan_to_num(elo), ~np.isnan(elo)),
        *(result == 1, result == 0.5, result == 0),
    )
    heads = None if compact else decisions.take(appearances.first[rows])
    events: dict[Key, Counter[str]] = {}
    for place, event in zip(group[rows].tolist(), _events(appearances, rows), strict=True):
        if event:
            events.setdefault(groups[place], Counter())[event] += 1
    return Part(
        groups, group[rows], np.stack(counts, axis=1, dtype=np.float64), evidence, read, heads, about, events
    )


def _events(appearances: Appearances, rows: Ints) -> list[str]:
    """The event and year of each row; empty where the event is not known or is a server's pool of games."""
    names = [*("" if _NO_EVENT.match(name) else name for name in appearances.names("event")), ""]
    years = np.nan_to_num(appearances.numbers("year")[rows]).astype(int).tolist()
    codes = appearances.codes("event")[rows].tolist()
    return [names[code] and f"{names[code]} {year}" for code, year in zip(codes, years, strict=True)]


def _grouped(appearances: Appearances, by: str) -> tuple[list[Key], Ints, dict[Key, str]]:
    """The groups of some appearances, the place of each one's group, and groups in words."""
    if by == By.RATING_BAND:
        band = np.where(np.isnan(appearances.elo), -1, np.nan_to_num(appearances.elo) // BAND)
        bands, group = np.unique(band.astype(np.int64), return_inverse=True)
        return [(band_name(number), "") for number in bands.tolist()], group.reshape(-1), {}
    if by == By.PLAYER:
        players, group = np.unique(appearances.player, return_inverse=True)
        names = appearances.names("player")
        return [(names[player], "") for player in players], group.reshape(-1), {}
    groups = groups_of(appearances, by)
    group = np.empty(len(appearances), np.int64)
    for place, titled in enumerate(groups):
        group[titled.rows] = place
    keys = [(titled.player, titled.label) for titled in groups]
    return keys, group, {key: titled.about for key, titled in zip(keys, groups, strict=True) if titled.about}


def band_name(band: int) -> str:
    """A band of ratings: `1600 to 1699`."""
    return UNKNOWN if band < 0 else f"{BAND * band:04d} to {BAND * band + BAND - 1:04d}"


def narrow(matrix: sparse.csr_array) -> sparse.csr_array:
    """The same with places of four bytes, where they will do: scipy takes eight as soon as anything has."""
    if max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max:
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix


def _stacked(matrices: Sequence[Any]) -> Any:
    """Rows under each other: numpy, or scipy.sparse."""
    if len(matrices) == 1:
        return matrices[0]
    if sparse.issparse(matrices[0]):
        return narrow(sparse.csr_array(sparse.vstack(matrices, format="csr")))
    return np.concatenate(matrices)


@dataclass(frozen=True, eq=False)
class Sums:
    """The blocks of some groups, one row each: what ratings are made from."""

    recipe_id: str
    groups: Sequence[Key]
    starts: Ints
    """The rows of group i are from `starts[i]` to `starts[i + 1]`."""
    counts: Floats
    meaning: Mapping[str, tuple[str, tuple[int, ...]]]
    """Identity of each method, and the shape of its evidence."""
    evidence: Mapping[str, Any]
    read: Mapping[str, Floats]
    about: Mapping[Key, str] = field(default_factory=dict)
    events: Mapping[Key, Counter[str]] = field(default_factory=dict)

    def main_event(self, key: Key) -> str | None:
        """The event that at least half of a group's games are of; None where there is none."""
        games = self.events.get(key)
        if not games:
            return None
        [(event, most)] = games.most_common(1)
        return event if 2 * most >= games.total() else None

    def __len__(self) -> int:
        return len(self.counts)

    def count(self, name: str) -> Floats:
        """One of COUNTS, of each row."""
        return np.asarray(self.counts[:, COUNTS.index(name)], np.float64)

    @cached_property
    def size(self) -> Floats:
        """How many decisions each row counts."""
        return self.count("decisions")

    @property
    def game_counts(self) -> Floats:
        """How many games each row is of."""
        return self.count("games")

    @cached_property
    def squares(self) -> Floats:
        """The sum of the squares of how many decisions each game has."""
        return self.count("squares")

    @cached_property
    def player(self) -> Ints:
        """The player of each row, as a code of `names`."""
        codes = {name: code for code, name in enumerate(self.names("player"))}
        of_groups = np.array([codes[player] for player, _ in self.groups], np.int64)
        return np.repeat(of_groups, np.diff(self.starts))

    def names(self, column: str) -> list[str]:
        """All players."""
        assert column == "player"
        return list(dict.fromkeys(player for player, _ in self.groups))

    @cached_property
    def elo_games(self) -> Floats:
        """In how many games of each row the published rating is known."""
        return self.count("rated")

    @cached_property
    def elo(self) -> Floats:
        """The mean published rating of each row, NaN where none is known."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.count("elo") / np.where(self.elo_games > 0, self.elo_games, np.nan))

    def rows(self, group: int) -> Ints:
        """The rows of a group."""
        return np.arange(self.starts[group], self.starts[group + 1])

    def titled(self) -> list[Group]:
        """The groups with their rows, each under a title of its own."""
        groups = [
            Group(player, label, self.rows(place), self.about.get((player, label), ""))
            for place, (player, label) in enumerate(self.groups)
        ]
        return _distinct(groups)

    def record(self, rows: Ints) -> Record:
        """The results of some rows."""
        wins, draws, losses = self.counts[rows][:, -3:].sum(axis=0)
        return Record(round(wins), round(draws), round(losses))

    def reference(self, rows: Ints) -> float:
        """The mean published rating of some rows, NaN where none is known."""
        games = self.elo_games[rows].sum()
        return float(self.count("elo")[rows].sum() / games) if games else float("nan")

    def stacks(self, models: Iterable[str] | None = None) -> dict[str, ProfileStack]:
        """One profile for each row, by method; of these methods or of all."""
        stacks = {}
        keys = tuple(map(str, range(len(self))))
        for name in self.meaning if models is None else models:
            identity, shape = self.meaning[name]
            evidence = self.evidence[name].astype(np.float64, copy=False)
            if sparse.issparse(evidence) and np.prod(shape) < _DENSE:
                evidence = evidence.toarray()
            decisions, games = self.read[name].astype(np.float64, copy=False).T
            stacks[name] = ProfileStack(identity, keys, evidence, shape, decisions, games, self.recipe_id)
        return stacks


class Evidence:
    """Sums over blocks of each group's games. Parts are added in the order of their games."""

    def __init__(self, models: Mapping[str, MoveModel], recipe_id: str = "", *, apart: bool = False) -> None:
        """`apart` holds every game by itself, with the first decision of each player in it."""
        self.recipe_id = recipe_id
        self.meaning = {name: (model.identity, tuple(model.shape)) for name, model in models.items()}
        self._models, self._apart = models, apart
        self._blocks = _APART if apart else MOST_BLOCKS
        self._numbers: dict[Key, int] = {}
        self._about: dict[Key, str] = {}
        self._events: dict[Key, Counter[str]] = {}
        self._met = np.zeros(0, np.int64)
        """How many games each group has had."""
        self._shards: list[tuple[Ints, dict[str, Any]]] = []
        """Rows of _SHARD groups each: their keys, rising (the number of the group times the blocks, plus the
        block), and their columns."""
        self._waiting: list[tuple[Ints, dict[str, Any]]] = []
        self._heads: list[tuple[Ints, Decisions]] = []

    @classmethod
    def of(
        cls,
        pieces: Iterable[Decisions],
        models: Mapping[str, MoveModel],
        by: str = By.PLAYER,
        *,
        apart: bool = False,
    ) -> Evidence:
        """All of some pieces of decisions, each of whole games that have not been there before."""
        evidence = cls(models, apart=apart)
        for piece in pieces:
            if len(piece):
                evidence.recipe_id = recipe_of(piece)
                evidence.add(part_of(piece, models, by))
        return evidence

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, part: Part) -> None:
        """More games, which come after those before."""
        number = np.array(
            [self._numbers.setdefault(key, len(self._numbers)) for key in part.groups], np.int64
        )
        self._about.update(part.about)
        for key, games in part.events.items():
            self._events.setdefault(key, Counter()).update(games)
        if len(self._numbers) > len(self._met):
            self._met = np.concatenate((self._met, np.zeros(len(self._numbers), np.int64)))
        group = number[part.group]
        order = np.argsort(group, kind="stable")
        ordered = group[order]
        before = np.empty_like(group)  # how many rows of the same group are before each row
        before[order] = np.arange(len(group)) - np.searchsorted(ordered, ordered)
        keys = group * self._blocks + (self._met[group] + before) % self._blocks
        np.add.at(self._met, group, 1)
        columns = {"": part.counts}
        for name in self.meaning:
            columns[f"{name}.read"], columns[name] = part.read[name], part.evidence[name]
        self._waiting.append((keys, {name: self._small(matrix) for name, matrix in columns.items()}))
        if self._apart and part.heads is not None:
            self._heads.append((keys, part.heads))
        rows = sum(len(keys) for keys, _ in self._shards)
        if sum(len(keys) for keys, _ in self._waiting) > max(_MOST_WAITING, rows // 3):
            self._settle()

    def _small(self, matrix: Any) -> Any:
        """The same in fewer bytes: counts as whole numbers; the rest, of many groups, in single precision."""
        data = matrix.data if sparse.issparse(matrix) else matrix
        if not data.size or (data.min() >= 0 and data.max() < 2**16 and (data == np.rint(data)).all()):
            return matrix.astype(np.uint16, copy=False)
        return matrix.astype(np.float64 if len(self) <= _FEW_GROUPS else np.float32, copy=False)

    def _settle(self) -> None:
        """Add up what waits, one shard after another."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        every = np.concatenate([keys for keys, _ in waiting])
        order = np.argsort(every, kind="stable")
        every = every[order]
        columns = {}
        for name in list(waiting[0][1]):
            parts = [part.pop(name) for _, part in waiting]
            columns[name] = _stacked(parts)[order]
        shards = range(-(-len(self) // _SHARD))
        starts = np.searchsorted(every, np.arange(len(shards) + 1) * _SHARD * self._blocks)
        for shard in shards:
            rows = slice(int(starts[shard]), int(starts[shard + 1]))
            if shard == len(self._shards):
                self._shards.append((np.zeros(0, np.int64), {}))
            if rows.start == rows.stop:
                continue
            before, held = self._shards[shard]
            keys, row = np.unique(np.concatenate((before, every[rows])), return_inverse=True)
            places = (row.reshape(-1), np.arange(len(row)))
            added = narrow(sparse.csr_array((np.ones(len(row)), places), shape=(len(keys), len(row))))
            for name, matrix in columns.items():
                both = [held.pop(name), matrix[rows]] if name in held else [matrix[rows]]
                summed = added @ _stacked(both)
                held[name] = self._small(narrow(summed) if sparse.issparse(summed) else summed)
            self._shards[shard] = keys, held
        return_memory()

    def _rows(self, first: int, end: int) -> tuple[Ints, dict[str, Any]]:
        """The keys and columns of the groups from a number on to another."""
        self._settle()
        ranges = []
        for keys, held in self._shards[first // _SHARD : -(-end // _SHARD)]:
            start, stop = np.searchsorted(keys, np.array([first, end]) * self._blocks).tolist()
            if stop > start:
                ranges.append((keys[start:stop], {name: matrix[start:stop] for name, matrix in held.items()}))
        if not ranges:
            return np.zeros(0, np.int64), {}
        columns = {name: _stacked([part[name] for _, part in ranges]) for name in ranges[0][1]}
        return np.concatenate([keys for keys, _ in ranges]), columns

    def sums(self, first: int = 0, last: int | None = None) -> Sums:
        """The sums of all groups, or of those from a number on to another."""
        end = len(self) if last is None else min(last, len(self))
        keys, held = self._rows(first, end)
        starts = np.searchsorted(keys, np.arange(first, end + 1) * self._blocks)
        nothing = {name: np.zeros((0, int(np.prod(shape)))) for name, (_, shape) in self.meaning.items()}
        return Sums(
            self.recipe_id,
            list(self._numbers)[first:end],
            starts,
            held.get("", np.zeros((0, len(COUNTS)))).astype(np.float64),
            self.meaning,
            {name: held.get(name, empty) for name, empty in nothing.items()},
            {name: held.get(f"{name}.read", np.zeros((0, 2))) for name in nothing},
            self._about,
            {key: self._events[key] for key in list(self._numbers)[first:end] if key in self._events},
        )

    def arrays(self) -> dict[str, Any]:
        """All sums as plain arrays, to be kept in a file; of games that are not apart."""
        keys, columns = self._rows(0, len(self))
        arrays = {"groups": np.array(list(self._numbers), np.str_), "met": self._met, "keys": keys}
        arrays["events"] = np.array([json.dumps(self._events.get(key, {})) for key in self._numbers], np.str_)
        for name, held in columns.items():
            if sparse.issparse(held):
                arrays |= {f"{name}.{part}": getattr(held, part) for part in ("data", "indices", "indptr")}
            else:
                arrays[f"{name}."] = held
        return arrays

    @classmethod
    def restored(cls, models: Mapping[str, MoveModel], recipe_id: str, arrays: Mapping[str, Any]) -> Evidence:
        """What `arrays` gave; ValueError or KeyError where it is something else."""
        evidence = cls(models, recipe_id)
        groups = arrays["groups"].reshape(-1, 2).tolist()
        evidence._numbers = {(player, label): place for place, (player, label) in enumerate(groups)}
        evidence._met, keys = arrays["met"], arrays["keys"]
        events = zip(evidence._numbers, arrays["events"].tolist(), strict=True)
        evidence._events = {key: Counter(json.loads(games)) for key, games in events if games != "{}"}
        columns = {}
        for name, (_, shape) in evidence.meaning.items() if len(keys) else ():
            columns[f"{name}.read"] = arrays[f"{name}.read."]
            if f"{name}." in arrays:
                columns[name] = arrays[f"{name}."]
            else:
                matrix = tuple(arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr"))
                columns[name] = sparse.csr_array(matrix, shape=(len(keys), int(np.prod(shape))))
        if len(keys):
            columns[""] = arrays["."]
            evidence._waiting.append((keys, columns))
        if len(evidence._met) < len(groups) or any(
            len(keys) != matrix.shape[0] for matrix in columns.values()
        ):
            raise ValueError("sums of another form")
        return evidence

    @property
    def appearances(self) -> Appearances:
        """The appearance of each row, where games are apart: with what belongs to the game."""
        order = np.argsort(np.concatenate([keys for keys, _ in self._heads]))
        heads = Decisions.concat([head for _, head in self._heads]).take(order)
        return Appearances(
            heads, heads.codes("game_id"), heads.codes("player"), np.arange(len(heads)), self.sums().size
        )


class Pieces:
    """Reads pieces once, in order. What it knows of players, games and times is of those read so far."""

    def __init__(self, pieces: Iterable[Decisions]) -> None:
        self._left = iter(pieces)
        self._first = next((piece for piece in self._left if len(piece)), None)
        self._several = False
        self.recipe_id = "" if self._first is None else recipe_of(self._first)
        """The recipe of all of them."""
        self.players: set[str] = set()
        self.time_classes: set[str] = set()
        """Of the decisions that may be rated."""
        self.traced = False
        """Whether any of them came with the trace of its search."""
        self.left_out: Counter[str] = Counter()
        """How many games may not be rated, by reason."""
        self.decisions: Counter[str | None] = Counter()
        """How many decisions may be rated (None), and how many may not, by reason."""

    @property
    def without_value(self) -> float:
        """Which share of the moves of games that may be rated have no value."""
        valueless = self.decisions[Exclusion.NOT_ANALYSED.value]
        return valueless / max(valueless + self.decisions[None], 1)

    @property
    def only(self) -> Decisions | None:
        """The first piece, where there was no other."""
        return None if self._several else self._first

    def read(self, players: Sequence[str] | None = None) -> Iterator[Decisions]:
        """The pieces, or what is in them of some players."""
        first = [] if self._first is None else [self._first]
        for piece in chain(first, self._left):
            if not len(piece):
                continue
            if self._first is not None and piece is not self._first:
                self._several, self._first = True, None
            self._remember(piece)
            yield piece if players is None else piece.select(player=players)

    def _remember(self, piece: Decisions) -> None:
        self.players |= set(piece.players)
        self.traced |= bool(piece.traced.any())
        may_be_rated = piece.filter(rated())
        names, codes = may_be_rated.names("time_class"), set(may_be_rated.codes("time_class").tolist())
        self.time_classes |= {names[code] for code in codes if code >= 0}
        self.left_out.update(left_out_of(piece))
        self.decisions.update(decisions_by_reason(piece))


def decisions_by_reason(decisions: Decisions) -> dict[str | None, int]:
    """How many decisions may be rated (None), and how many may not, by reason."""
    reasons = (None, *decisions.names("exclusion"))
    counts = np.bincount(decisions.codes("exclusion") + 1, minlength=len(reasons))
    return dict(zip(reasons, counts.tolist(), strict=True))


def left_out_of(decisions: Decisions) -> dict[str, int]:
    """How many games of some decisions are not rated, by reason; for sources that keep no list of them."""
    names, reasons = decisions.names("exclusion"), decisions.codes("exclusion")
    games = decisions.codes("game_id")
    games_rated = np.unique(games[reasons < 0])
    pairs = np.unique(np.stack((games, reasons), axis=1)[reasons >= 0], axis=0)
    not_rated = pairs[~np.isin(pairs[:, 0], games_rated), 1].tolist()
    return dict(Counter(names[reason] for reason in not_rated))
