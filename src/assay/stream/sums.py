"""Profiles of many players at once, sparse, that add up: what a stream keeps of its games.

One row for each name and part: a game falls into a part by its own hash, so any split of the games over
machines gives the same sums, and leaving out one part after another tells how games vary, as it does
elsewhere (assay.rating.groups). The columns are a few counts, and then the evidence of each method.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from scipy import sparse

from assay.decisions.arrays import Floats, Ints
from assay.decisions.profile import ProfileStack
from assay.files import written_whole
from assay.machine import return_memory
from assay.models.base import MoveModel

PARTS = 8
"""Parts that the games of a player fall into. More would tell better how games vary, and take more room."""

COUNTS = ("games", "decisions", "squares", "elo", "rated", "wins", "draws", "losses")
"""The first columns: games, decisions that count, squares of how many each game has, sum and number of the
reference ratings, results."""

SHARDS = 16
_FEW_NAMES = 5_000
_MOST_WAITING = 32_000
"""Rows that wait to be added up, at least; half as many as there are, where that is more."""


@dataclass(frozen=True)
class Layout:
    """Which columns belong to which method."""

    methods: tuple[str, ...]
    models: tuple[str, ...]
    """What their evidence means: name and settings."""
    shapes: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, models: Mapping[str, MoveModel]) -> Layout:
        """The layout of these methods."""
        every = models.values()
        return cls(tuple(models), tuple(one.identity for one in every), tuple(one.shape for one in every))

    @property
    def width(self) -> int:
        """How many columns there are; each method has its decisions and games before its evidence."""
        return len(COUNTS) + sum(2 + int(np.prod(shape)) for shape in self.shapes)

    def places(self) -> dict[str, int]:
        """Where the columns of each method begin."""
        start, found = len(COUNTS), {}
        for name, shape in zip(self.methods, self.shapes, strict=True):
            found[name] = start
            start += 2 + int(np.prod(shape))
        return found


def compact(matrix: sparse.csr_array) -> sparse.csr_array:
    """The same with places of four bytes, where they will do: scipy takes eight as soon as anything has."""
    if max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max:
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix


@dataclass
class Part:
    """Sums of one block of games, of one source of values: what a worker sends back."""

    layout: Layout
    names: list[str]
    rows: Ints
    """Place of the name, times PARTS, plus the part."""
    matrix: sparse.csr_array


class Sums:
    """Sums of one source of values by name and part.

    Names fall into shards, so that adding up takes little room besides the sums. What comes is held as it
    came until there is enough to be worth it: many small arrays would leave holes in memory.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._numbers: list[dict[str, int]] = [{} for _ in range(SHARDS)]
        self._matrices = [sparse.csr_array((0, layout.width), dtype=np.float32) for _ in range(SHARDS)]
        self._waiting: list[tuple[Ints, Ints, sparse.csr_array]] = []
        """Shard of each row, place in it, and the rows."""

    def add(self, part: Part) -> None:
        """More games."""
        if part.layout != self.layout:
            raise ValueError("sums of different meaning do not add up")
        shard_of = np.array([crc32(name.encode()) % SHARDS for name in part.names], dtype=np.int64)
        number = np.zeros(len(part.names), dtype=np.int64)
        for place, name in enumerate(part.names):
            known = self._numbers[shard_of[place]]
            number[place] = known.setdefault(name, len(known))
        names, parts = np.divmod(part.rows, PARTS)
        self._waiting.append((shard_of[names], number[names] * PARTS + parts, compact(part.matrix)))
        waiting = sum(len(rows) for _, rows, _ in self._waiting)
        if waiting > max(_MOST_WAITING, PARTS * len(self) // 2):
            self._settle()

    def _settle(self) -> None:
        """Add up what waits."""
        waiting, self._waiting = self._waiting, []
        # Few names have many games each: sums beyond what single precision counts, and room for more.
        kind = np.float64 if len(self) <= _FEW_NAMES else np.float32
        for index, known in enumerate(self._numbers):
            size = PARTS * len(known)
            own = [(rows[shards == index], matrix[shards == index]) for shards, rows, matrix in waiting]
            if self._matrices[index].shape[0] == size and not any(len(rows) for rows, _ in own):
                continue
            held = np.arange(self._matrices[index].shape[0])
            rows = np.concatenate([held, *(rows for rows, _ in own)])
            whole = [self._matrices[index], *(matrix for _, matrix in own)]
            stacked = compact(sparse.csr_array(sparse.vstack(whole, format="csr", dtype=kind)))
            ones = np.ones(len(rows), dtype=kind)
            added = sparse.csr_array((ones, (rows, np.arange(len(rows)))), shape=(size, len(rows)))
            self._matrices[index] = sparse.csr_array(compact(added) @ stacked)
        return_memory()

    def shards(self) -> Iterable[tuple[list[str], sparse.csr_array]]:
        """The names of each shard, and their rows, PARTS for each name."""
        if self._waiting:
            self._settle()
        for known, matrix in zip(self._numbers, self._matrices, strict=True):
            if known:
                yield list(known), matrix

    def __len__(self) -> int:
        return sum(map(len, self._numbers))

    def as_part(self) -> Part:
        """All of it, as a worker sends it back."""
        names: list[str] = []
        rows, matrices = [np.zeros(0, np.int64)], [sparse.csr_array((0, self.layout.width), dtype=np.float32)]
        for own, matrix in self.shards():
            filled = np.flatnonzero(np.diff(matrix.indptr))
            rows.append(PARTS * len(names) + filled)
            matrices.append(matrix[filled])
            names += own
        whole = sparse.csr_array(sparse.vstack(matrices, format="csr"))
        return Part(self.layout, names, np.concatenate(rows), compact(whole))


def add_parts(sums: dict[str, Sums], parts: Mapping[str, Part]) -> None:
    """Add what a block adds, by source."""
    for source, part in parts.items():
        if source not in sums:
            sums[source] = Sums(part.layout)
        sums[source].add(part)


def stacks_of(matrix: sparse.csr_array, layout: Layout, recipe_id: str) -> dict[str, ProfileStack]:
    """The profiles of rows of sums by method: dense, so of some names at a time."""
    found = {}
    keys = tuple(map(str, range(matrix.shape[0])))
    for name, start in layout.places().items():
        place = layout.methods.index(name)
        shape = layout.shapes[place]
        own = matrix[:, start : start + 2 + int(np.prod(shape))].astype(np.float64)
        evidence: Any = own[:, 2:]
        if np.prod(shape) < _DENSE:
            evidence = evidence.toarray()
        counts = own[:, :2].toarray()
        found[name] = ProfileStack(
            layout.models[place], keys, evidence, shape, counts[:, 0], counts[:, 1], recipe_id
        )
    return found


_DENSE = 2_000
"""Evidence of fewer numbers is held dense where players are rated."""


def counts_of(matrix: sparse.csr_array) -> dict[str, Floats]:
    """The counts of rows of sums, by name."""
    dense = matrix[:, : len(COUNTS)].toarray().astype(np.float64)
    return {name: dense[:, place] for place, name in enumerate(COUNTS)}


# Files -----------------------------------------------------------------------------------------------------


def write_sums(path: Path, sums: Mapping[str, Sums], about: Mapping[str, Any]) -> None:
    """Keep sums in a file, whole or not at all: arrays and text, nothing that runs code when read."""
    arrays: dict[str, Any] = {}
    sources = []
    for place, (source, one) in enumerate(sums.items()):
        layout = one.layout
        sources.append([source, layout.methods, layout.models, layout.shapes])
        for index, (names, matrix) in enumerate(one.shards()):
            where = f"{place}.{index}"
            arrays[f"{where}.names"] = np.array(names, dtype=np.str_)
            for part in ("data", "indices", "indptr"):
                arrays[f"{where}.{part}"] = getattr(matrix, part)
    with written_whole(path, follow=False) as file:
        np.savez(file, header=np.array(json.dumps({"sources": sources, **about})), **arrays)


def read_sums(path: Path) -> tuple[dict[str, Sums], dict[str, Any]]:
    """What `write_sums` wrote; ValueError or KeyError where it is something else."""
    found: dict[str, Sums] = {}
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        about = json.loads(str(stored["header"]))
        for place, (source, methods, models, shapes) in enumerate(about.pop("sources")):
            layout = Layout(tuple(methods), tuple(models), tuple(tuple(shape) for shape in shapes))
            sums = found[source] = Sums(layout)
            for index in range(SHARDS):
                if f"{place}.{index}.names" not in stored:
                    break
                names = stored[f"{place}.{index}.names"].tolist()
                parts = [stored[f"{place}.{index}.{part}"] for part in ("data", "indices", "indptr")]
                rows = np.arange(PARTS * len(names))
                matrix = sparse.csr_array(tuple(parts), shape=(len(rows), layout.width))
                sums.add(Part(layout, names, rows, matrix))
    return found, about
