"""What arrays hold, by name: types of signatures, Arrow columns as arrays, moves as small integers."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Values = npt.NDArray[np.int32]
"""Evaluations: centipawns, with mates beyond them (assay.decisions.evaluation)."""
Codes = npt.NDArray[np.int16]
"""Moves: from-square + 64 * to-square + 4096 * promotion (`encode_moves`)."""
Hashes = npt.NDArray[np.uint64]
"""Of position keys (assay.engine.replay)."""


# Small moves on Arrow columns that several modules need.

Column: TypeAlias = "pa.Array | pa.ChunkedArray"


def single(column: Column) -> pa.Array:
    """A column as one array."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def coded(column: Column) -> pa.DictionaryArray:
    """A text column as integers into a dictionary."""
    array = single(column)
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def plain(column: Column) -> pa.Array:
    """A text column without a dictionary; other columns as they are."""
    array = single(column)
    return array.cast(pa.string()) if pa.types.is_dictionary(array.type) else array


def list_offsets(column: Column) -> npt.NDArray[np.int64]:
    """Offsets of a list column into its flattened values, whatever it was cut from."""
    offsets: npt.NDArray[np.int64] = single(column).offsets.to_numpy().astype(np.int64)
    return offsets - offsets[0] if len(offsets) else np.zeros(1, np.int64)


def flat(column: Column) -> pa.Array:
    """Values of a list column."""
    return single(column).flatten()


def make_lists(offsets: npt.NDArray[np.int64], values: pa.Array) -> pa.ListArray:
    """A list column from offsets and values."""
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


# Moves as small integers: a column of UCI strings becomes a flat array and back without an object per move.

_PROMOTIONS = ("", "n", "b", "r", "q")
_SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]


@cache
def every_move() -> pa.Array:
    """Every UCI string, in the order of its code."""
    return pa.array([a + b + p for p in _PROMOTIONS for b in _SQUARES for a in _SQUARES])


def encode_moves(uci: pa.Array) -> Codes:
    """Codes of UCI strings; -1 for what is not one."""
    places = pc.fill_null(pc.index_in(uci, value_set=every_move()), -1)
    codes: Codes = places.to_numpy(zero_copy_only=False).astype(np.int16)
    return codes


def decode_moves(codes: npt.NDArray[np.integer]) -> pa.Array:
    """UCI strings of codes."""
    return every_move().take(pa.array(codes))
