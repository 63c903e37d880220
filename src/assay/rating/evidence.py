"""Evidence adds up: decisions are read some games at a time, summed by player (or year, event, game), let go.

A rating needs of a player's games only the sums over blocks of them that are left out one after another,
forty at most. So twenty thousand games take no more room than forty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from scipy import sparse

from assay.answers.ratings import Record
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import Exclusion
from assay.decisions.grouping import RATED_BY, By, check_by, parts
from assay.decisions.profile import ProfileStack
from assay.decisions.rules import rated
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel, recipe_of

MOST_BLOCKS = 40
"""With more games than this they are left out in so many blocks: more would cost and add little."""


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
    for index, (player, one) in enumerate(keys.T):
        rows = order[ends[index] : ends[index + 1]]
        about = game_in_words(appearances.decisions, int(appearances.first[rows[0]])) if by is By.GAME else ""
        groups.append(Group(names[player], labels[int(one)], rows, about))
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


def record_of(appearances: Appearances, rows: Ints) -> Record:
    """Results of some appearances."""
    results = appearances.numbers("result")[rows]
    return Record(int((results == 1).sum()), int((results == 0.5).sum()), int((results == 0).sum()))


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


class Gathered:
    """Appearances with what belongs to their games, and one profile for each block of a group's games."""

    def __init__(self, models: Mapping[str, MoveModel], by: str, *, apart: bool = False) -> None:
        """`apart` keeps every game by itself, for groups that are not those of `by`."""
        self._models, self._by = models, by
        self._blocks = None if apart else MOST_BLOCKS
        self._met: Counter[tuple[str, str]] = Counter()
        self._numbers: dict[tuple[str, str, int], int] = {}
        self._heads: list[Decisions] = []
        self._sizes: list[Floats] = []
        self._block_of: list[Ints] = []
        self._stacks: dict[str, list[ProfileStack]] = {name: [] for name in models}
        self._rows: list[Ints] = []

    @classmethod
    def of(
        cls, pieces: Iterable[Decisions], models: Mapping[str, MoveModel], by: str, *, apart: bool = False
    ) -> Gathered:
        """All of some pieces of decisions, each of whole games."""
        gathered = cls(models, by, apart=apart)
        for piece in pieces:
            gathered.add(piece)
        return gathered

    def add(self, decisions: Decisions) -> None:
        """More decisions, of games that have not been there before."""
        if not len(decisions):
            return
        appearances = Appearances.of(decisions)
        block = self._number(appearances)
        self._heads.append(decisions.take(appearances.first))
        self._sizes.append(appearances.size)
        self._block_of.append(block)
        # Games without a decision that may be rated are not rated.
        counted = decisions.take(np.flatnonzero(block[appearances.place(decisions)] >= 0))
        if not len(counted):
            return
        rows, local = np.unique(block[block >= 0], return_inverse=True)
        place = np.full(len(block), -1, np.int64)
        place[block >= 0] = local.reshape(-1)
        keys = tuple(map(str, rows))
        self._rows.append(rows)
        for name, model in self._models.items():
            self._stacks[name].append(model.stack(counted, lambda kept: place[appearances.place(kept)], keys))

    def _number(self, appearances: Appearances) -> Ints:
        """The block of each appearance; -1 where none of its decisions may be rated."""
        block = np.full(len(appearances), -1, np.int64)
        for group in groups_of(appearances, self._by):
            key = (group.player, group.label)
            for row in group.rows[appearances.size[group.rows] > 0]:
                number = self._met[key] if self._blocks is None else self._met[key] % self._blocks
                self._met[key] += 1
                block[row] = self._numbers.setdefault((*key, number), len(self._numbers))
        return block

    @property
    def appearances(self) -> Appearances:
        """All appearances, with the columns that belong to their games, but not their other decisions."""
        if not self._heads:
            raise InputError("no decisions to rate: check the selection")
        heads = Decisions.concat(self._heads)
        return Appearances(
            heads,
            heads.codes("game_id"),
            heads.codes("player"),
            np.arange(len(heads)),
            np.concatenate(self._sizes),
        )

    @property
    def block_of(self) -> Ints:
        """The row of the stacks that each appearance is in; -1 where it is in none."""
        return np.concatenate(self._block_of)

    def stacks(self) -> dict[str, ProfileStack]:
        """One profile for each block, by method."""
        return {name: self._added_up(stacks) for name, stacks in self._stacks.items() if stacks}

    def _added_up(self, stacks: list[ProfileStack]) -> ProfileStack:
        rows = np.concatenate(self._rows)
        n_blocks = len(self._numbers)
        places = (rows, np.arange(len(rows)))
        added = sparse.csr_array((np.ones(len(rows)), places), shape=(n_blocks, len(rows)))
        every = [one.evidence for one in stacks]
        evidence = sparse.vstack(every, format="csr") if sparse.issparse(every[0]) else np.concatenate(every)
        return replace(
            stacks[0],
            keys=tuple(map(str, range(n_blocks))),
            evidence=added @ evidence,
            decisions=added @ np.concatenate([one.decisions for one in stacks]),
            games=added @ np.concatenate([one.games for one in stacks]),
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
        self._moves: Counter[bool] = Counter()

    @property
    def without_value(self) -> float:
        """Which share of the moves of games that may be rated have no value."""
        return self._moves[True] / max(self._moves.total(), 1)

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
        kept = piece.filter(rated())
        names = kept.names("time_class")
        self.time_classes |= {names[code] for code in set(kept.codes("time_class").tolist()) if code >= 0}
        self.left_out.update(left_out_of(piece))
        names, codes = piece.names("exclusion"), piece.codes("exclusion")
        valueless = np.isin(
            codes, [k for k, name in enumerate(names) if name == Exclusion.NOT_ANALYSED.value]
        )
        self._moves.update({False: int((codes < 0).sum()), True: int(valueless.sum())})


def left_out_of(decisions: Decisions) -> dict[str, int]:
    """How many games of some decisions are not rated, by reason; for sources that keep no list of them."""
    names, reasons = decisions.names("exclusion"), decisions.codes("exclusion")
    games = decisions.codes("game_id")
    kept = np.unique(games[reasons < 0])
    pairs = np.unique(np.stack((games, reasons), axis=1)[reasons >= 0], axis=0)
    found = Counter(names[reason] for reason in pairs[~np.isin(pairs[:, 0], kept), 1].tolist())
    return dict(found)
