"""Evidence of many games, gathered some games at a time: decisions are read, added up and let go.

A rating needs of a player's games only the sums over blocks of them that are left out one after another
(assay.rating.groups), forty at most. So twenty thousand games take no more room than forty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from scipy import sparse

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.rating.groups import MOST_BLOCKS, groups_of


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
