"""What arrays hold, by name: the types that every module writes in its signatures."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Values = npt.NDArray[np.int32]
"""Evaluations: centipawns, with mates beyond them (assay.decisions.evaluation)."""
Codes = npt.NDArray[np.int16]
"""Moves, as assay.decisions.move_codes encodes them."""
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
