"""What is stored of positions under one recipe, as decisions are assembled from it.

Either all columns of the table analyses, looked up by key; or, where many games are read some at a time, the
options alone as numbers, looked up by hash: a sixth of the room, and read once for all of the games.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions import evaluation, move_codes
from assay.decisions.arrays import Hashes, Ints, flat, list_offsets, single
from assay.store.options import Lists
from assay.store.replay import Replay, hash_keys


def look_up(keys: pa.Array, known: pa.ChunkedArray) -> Ints:
    """Row of each key among the known ones; -1 where it is not there."""
    found = pc.fill_null(pc.index_in(keys, value_set=single(known)), -1)
    rows: Ints = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return rows


class StoredAnalyses:
    """Rows of the table analyses, of one recipe."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows
        self.options = option_lists(rows)

    def find(self, positions: Replay) -> Ints:
        """The row of each position; -1 where it is not analysed."""
        return look_up(positions.keys, self._rows["position_key"])

    def column(self, name: str) -> pa.Array:
        """A column of the table."""
        return single(self._rows[name])


@dataclass(frozen=True, eq=False)
class CompactAnalyses:
    """The options, legal moves and depths of many analyses, found by the hashes of their positions."""

    hashes: Hashes
    """Sorted."""
    rows: Ints
    """Of the other columns, for each hash."""
    options: Lists
    n_legal: npt.NDArray[np.int16]
    depth: npt.NDArray[np.int16]

    COLUMNS = ("position_key", "recipe_id", "n_legal", "depth", "moves", "cp", "mate")
    """What it is made of."""

    @classmethod
    def of(cls, tables: Iterable[pa.Table], wanted: Hashes) -> CompactAnalyses:
        """From rows of the table analyses of one recipe: those whose hash is one of `wanted`, sorted."""
        hashes, n_legal, depth = [np.zeros(0, np.uint64)], [np.zeros(0, np.int16)], [np.zeros(0, np.int16)]
        lengths, codes, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int16)], [np.zeros(0, np.int32)]
        for table in tables:
            found = hash_keys(single(table["position_key"]))
            place = np.minimum(np.searchsorted(wanted, found), max(len(wanted) - 1, 0))
            keep = np.flatnonzero(wanted[place] == found) if len(wanted) else np.zeros(0, np.int64)
            some = option_lists(table).take(keep)
            hashes.append(found[keep])
            n_legal.append(single(table["n_legal"]).to_numpy()[keep])
            depth.append(single(table["depth"]).to_numpy()[keep])
            lengths.append(some.lengths)
            codes.append(some.codes)
            values.append(some.values)
        every = np.concatenate(hashes)
        order = np.argsort(every, kind="stable")
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
        return cls(
            every[order],
            order,
            Lists(offsets, np.concatenate(codes), np.concatenate(values)),
            np.concatenate(n_legal),
            np.concatenate(depth),
        )

    def find(self, positions: Replay) -> Ints:
        """The row of each position; -1 where it is not analysed."""
        if not len(self.hashes):
            return np.full(len(positions.hashes), -1, np.int64)
        place = np.minimum(np.searchsorted(self.hashes, positions.hashes), len(self.hashes) - 1)
        return np.where(self.hashes[place] == positions.hashes, self.rows[place], -1)

    def column(self, name: str) -> pa.Array:
        """n_legal or depth."""
        return pa.array({"n_legal": self.n_legal, "depth": self.depth}[name])


def option_lists(analyses: pa.Table) -> Lists:
    """The options of stored analyses."""
    values = evaluation.encode(flat(analyses["cp"]), flat(analyses["mate"]))
    moves = analyses["moves"]
    return Lists(list_offsets(moves), move_codes.encode(flat(moves)), values.to_numpy())
