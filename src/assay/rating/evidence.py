"""Evidence adds up: decisions are read some games at a time, summed by player (or year, event, game), let go.

The unit is an appearance, one player in one game (assay.models.appearances). A rating needs the sums over a
player's games, one row; what methods measure without a scale needs blocks of games that are left out one
after another, forty at most: the n-th game of a group is in block n modulo 40. So twenty thousand games take
no more room than forty, and the games of a file fall into the same blocks whether they are read from a
workspace, streamed, or streamed by several processes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
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
from assay.decisions.names import Who, choose_players
from assay.decisions.profile import ProfileStack
from assay.executors import return_memory
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

APART = 1 << 31
"""Blocks of a group where every game is one."""

_MOST_WAITING = 32_000
"""Rows that wait to be added up, at least; a third as many as there are, where that is more."""

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
    game: Ints
    """The game of each row, by its code in the decisions."""
    event: Sequence[str]
    """Event and year of each row; empty where the event is not known or is a server's pool of games."""
    heads: Decisions | None = None
    """The first decision of each row, with the columns that belong to the game."""
    about: Mapping[Key, str] = field(default_factory=dict)
    """Groups in words, where their labels are none."""

    def only(self, rows: Ints) -> Part:
        """The same with some of its rows; everyone stays in `groups`."""
        return replace(
            self,
            group=self.group[rows],
            counts=self.counts[rows],
            evidence={name: matrix[rows] for name, matrix in self.evidence.items()},
            read={name: numbers[rows] for name, numbers in self.read.items()},
            game=self.game[rows],
            event=[self.event[row] for row in rows.tolist()],
            heads=None if self.heads is None else self.heads.take(rows),
        )


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
        width = int(np.prod(model.shape))
        matrix = model.evidence(selected, row, len(rows)) if len(rows) else np.zeros((0, width))
        if not sparse.issparse(matrix):
            matrix = matrix.reshape(len(rows), width)
        is_sparse = sparse.issparse(matrix) or (compact and matrix.shape[1] > _SMALL)
        evidence[name] = narrow(sparse.csr_array(matrix)) if is_sparse else matrix
    size, elo = appearances.size[rows], appearances.elo[rows]
    result = appearances.numbers("result")[rows]
    counts = (
        *(np.ones(len(rows)), size, np.square(size), np.nan_to_num(elo), ~np.isnan(elo)),
        *(result == 1, result == 0.5, result == 0),
    )
    heads = None if compact else decisions.take(appearances.first[rows])
    return Part(
        groups,
        group[rows],
        np.stack(counts, axis=1, dtype=np.float64),
        evidence,
        read,
        appearances.game[rows],
        _events(appearances, rows),
        heads,
        about,
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
        return sparse.vstack(matrices, format="csr")
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
    events: Mapping[Key, str] = field(default_factory=dict)
    """The event that at least half of a group's games are of, where there is one."""
    raw: Mapping[str, Floats] = field(default_factory=dict)
    """Raw ratings of each row by methods whose evidence is not kept: a group has their mean by decisions."""

    def __len__(self) -> int:
        return len(self.counts)

    def count(self, name: str) -> Floats:
        """One of COUNTS, of each row."""
        return np.asarray(self.counts[:, COUNTS.index(name)], np.float64)

    @cached_property
    def size(self) -> Floats:
        """How many decisions each row counts."""
        return self.count("decisions")

    @cached_property
    def game_counts(self) -> Floats:
        """How many games each row is of."""
        return self.count("games")

    @cached_property
    def squares(self) -> Floats:
        """The sum of the squares of how many decisions each game has."""
        return self.count("squares")

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
        games = self.count("rated")[rows].sum()
        return float(self.count("elo")[rows].sum() / games) if games else float("nan")

    def stacks(self, models: Container[str] | None = None) -> dict[str, ProfileStack]:
        """One profile for each row, by method; of those of these methods that are there, or of all."""
        stacks = {}
        keys = tuple(map(str, range(len(self))))
        for name, (identity, shape) in self.meaning.items():
            if models is not None and name not in models:
                continue
            evidence = self.evidence[name]
            if sparse.issparse(evidence) and np.prod(shape) < _DENSE:
                evidence = evidence.toarray()
            decisions, games = self.read[name].T
            stacks[name] = ProfileStack(identity, keys, evidence, shape, decisions, games, self.recipe_id)
        return stacks


class Evidence:
    """Sums over blocks of each group's games. Parts are added in the order of their games."""

    def __init__(
        self, models: Mapping[str, MoveModel], recipe_id: str = "", *, blocks: int = MOST_BLOCKS
    ) -> None:
        """`blocks` of one are for ratings; APART keeps every game, with its first decision of each player."""
        self.recipe_id, self._blocks = recipe_id, blocks
        self.meaning = {name: (model.identity, tuple(model.shape)) for name, model in models.items()}
        self._numbers: dict[Key, int] = {}
        self._about: dict[Key, str] = {}
        self._events: dict[Key, Counter[str]] = {}
        self._met = np.zeros(0, np.int64)
        """How many games each group has had."""
        self._rows: list[tuple[Ints, dict[str, Any]]] = []
        """Keys (the number of the group times the blocks, plus the block) and columns: first what is added
        up, keys rising, then what waits to be."""
        self._heads: list[tuple[Ints, Decisions]] = []

    @classmethod
    def of(
        cls,
        pieces: Iterable[Decisions],
        models: Mapping[str, MoveModel],
        by: str = By.PLAYER,
        *,
        blocks: int = MOST_BLOCKS,
    ) -> Evidence:
        """All of some pieces of decisions, each of whole games that have not been there before."""
        evidence = cls(models, blocks=blocks)
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
        for place, event in zip(part.group.tolist(), part.event, strict=True):
            if event:
                self._events.setdefault(part.groups[place], Counter())[event] += 1
        self._met = np.concatenate((self._met, np.zeros(len(self) - len(self._met), np.int64)))
        if not len(part.group):
            return
        group = number[part.group]
        order = np.argsort(group, kind="stable")
        before = np.empty_like(group)  # how many rows of the same group are before each row
        before[order] = np.arange(len(group)) - np.searchsorted(group[order], group[order])
        keys = group * self._blocks + (self._met[group] + before) % self._blocks
        np.add.at(self._met, group, 1)
        columns = {"": part.counts}
        for name in self.meaning:
            columns[f"{name}.read"], columns[name] = part.read[name], part.evidence[name]
        self._rows.append((keys, columns))
        if self._blocks == APART and part.heads is not None:
            self._heads.append((keys, part.heads))
        if sum(len(keys) for keys, _ in self._rows[1:]) > max(_MOST_WAITING, len(self._rows[0][0]) // 3):
            self._settle()

    def rename(self, players: Mapping[str, str]) -> None:
        """Add up what is under several names of one player; `players` has the player of such names."""
        if not any(player in players for player, _ in self._numbers):
            return
        keys, columns = self._settle()
        old, met, events = self._numbers, self._met, self._events
        self._numbers, self._events = {}, {}
        number = np.zeros(len(old), np.int64)
        for group, (player, label) in enumerate(old):
            key = players.get(player, player), label
            number[group] = self._numbers.setdefault(key, len(self._numbers))
            if (player, label) in events:
                self._events.setdefault(key, Counter()).update(events[player, label])
        self._about = {(players.get(who, who), label): about for (who, label), about in self._about.items()}
        self._met = np.zeros(len(self), np.int64)
        np.add.at(self._met, number, met)
        self._rows = [(number[keys // self._blocks] * self._blocks + keys % self._blocks, columns)]

    def _settle(self) -> tuple[Ints, dict[str, Any]]:
        """Add up what waits; the keys, rising, and the columns of all."""
        if not self._rows:
            return np.zeros(0, np.int64), {}
        rows, self._rows = self._rows, []
        keys, place = np.unique(np.concatenate([keys for keys, _ in rows]), return_inverse=True)
        order = np.argsort(place.reshape(-1), kind="stable").astype(np.int32)
        ends = np.searchsorted(place.reshape(-1)[order], np.arange(len(keys) + 1)).astype(np.int32)
        added = sparse.csr_array((np.ones(len(order)), order, ends), shape=(len(keys), len(order)))
        columns = {}
        for name in list(rows[0][1]):  # one after another: each is let go before the next is added up
            columns[name] = added @ _stacked([held.pop(name) for _, held in rows])
        self._rows = [(keys, columns)]
        return_memory()
        return keys, columns

    def sums(self, first: int = 0, last: int | None = None) -> Sums:
        """The sums of all groups, or of those from a number on to another."""
        end = len(self) if last is None else min(last, len(self))
        keys, columns = self._settle()
        starts = np.searchsorted(keys, np.arange(first, end + 1) * self._blocks)
        rows = slice(int(starts[0]), int(starts[-1]))
        groups = list(self._numbers)[first:end]
        widths = {name: int(np.prod(shape)) for name, (_, shape) in self.meaning.items()}
        widths |= {"": len(COUNTS), **{f"{name}.read": 2 for name in self.meaning}}
        held = {name: columns[name][rows] if columns else np.zeros((0, n)) for name, n in widths.items()}
        return Sums(
            self.recipe_id,
            groups,
            starts - starts[0],
            held[""],
            self.meaning,
            {name: held[name] for name in self.meaning},
            {name: held[f"{name}.read"] for name in self.meaning},
            self._about,
            {key: event for key in groups if (event := _main(self._events.get(key)))},
        )

    def arrays(self) -> dict[str, Any]:
        """All sums as plain arrays, to be kept in a file; of games that are not apart."""
        keys, columns = self._settle()
        arrays = {"groups": np.array(list(self._numbers), np.str_), "met": self._met, "keys": keys}
        arrays["events"] = np.array([json.dumps(self._events.get(key, {})) for key in self._numbers], np.str_)
        for name, held in columns.items():
            if sparse.issparse(held):
                arrays |= {f"{name}.{part}": getattr(held, part) for part in ("data", "indices", "indptr")}
            else:
                arrays[f"{name}."] = held
        return arrays

    @classmethod
    def restored(
        cls,
        models: Mapping[str, MoveModel],
        recipe_id: str,
        arrays: Mapping[str, Any],
        *,
        blocks: int = MOST_BLOCKS,
    ) -> Evidence:
        """What `arrays` gave; ValueError or KeyError where it is something else."""
        evidence = cls(models, recipe_id, blocks=blocks)
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
            evidence._rows.append((keys, columns))
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


def _main(events: Counter[str] | None) -> str | None:
    """The event that at least half of some games are of; None where there is none."""
    if not events:
        return None
    [(event, most)] = events.most_common(1)
    return event if 2 * most >= events.total() else None


class Pieces:
    """Reads pieces once, in order. What it knows of players, games and times is of those read so far."""

    def __init__(self, pieces: Iterable[Decisions]) -> None:
        self._left = (piece for piece in pieces if len(piece))
        self._first = next(self._left, None)
        self.recipe_id = "" if self._first is None else recipe_of(self._first)
        """The recipe of all of them."""
        self.only = self._first
        """The first piece, where there was no other."""
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

    def choose(self, names: Sequence[str]) -> list[Who]:
        """Whom a user means; of the only piece, their decisions in other years or events are left out."""
        assert self._first is not None
        whom, self._first = choose_players(self._first, names)
        self.only = self._first
        return whom

    def read(self, players: Sequence[str] | None = None) -> Iterator[Decisions]:
        """The pieces, or what is in them of some players."""
        first, self._first = self._first, None
        for number, piece in enumerate(chain([] if first is None else [first], self._left)):
            if number:
                self.only = first = None
            self._remember(piece)
            yield piece if players is None else piece.select(player=players)

    def _remember(self, piece: Decisions) -> None:
        self.players |= set(piece.players)
        self.traced |= bool(piece.traced.any())
        self.decisions.update(decisions_by_reason(piece))
        names, reasons = piece.names("exclusion"), piece.codes("exclusion")
        classes, of_time = piece.names("time_class"), set(piece.codes("time_class")[reasons < 0].tolist())
        self.time_classes |= {classes[code] for code in of_time if code >= 0}
        games = piece.codes("game_id")
        pairs = np.unique(np.stack((games, reasons), axis=1)[reasons >= 0], axis=0)
        unrated = pairs[~np.isin(pairs[:, 0], games[reasons < 0]), 1].tolist()
        self.left_out.update(names[reason] for reason in unrated)


def decisions_by_reason(decisions: Decisions) -> dict[str | None, int]:
    """How many decisions may be rated (None), and how many may not, by reason."""
    reasons = (None, *decisions.names("exclusion"))
    counts = np.bincount(decisions.codes("exclusion") + 1, minlength=len(reasons))
    return dict(zip(reasons, counts.tolist(), strict=True))
