"""Chess moves as small integers: from-square + 64 * to-square + 4096 * promotion.

A column of UCI strings becomes a flat array and back without a Python object per move.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.arrays import Codes

_PROMOTIONS = ("", "n", "b", "r", "q")
_SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]


@cache
def vocabulary() -> pa.Array:
    """Every UCI string, in the order of its code."""
    return pa.array([a + b + p for p in _PROMOTIONS for b in _SQUARES for a in _SQUARES])


def encode(uci: pa.Array) -> Codes:
    """Codes of UCI strings; -1 for what is not one."""
    places = pc.fill_null(pc.index_in(uci, value_set=vocabulary()), -1)
    codes: Codes = places.to_numpy(zero_copy_only=False).astype(np.int16)
    return codes


def decode(codes: npt.NDArray[np.integer]) -> pa.Array:
    """UCI strings of codes."""
    return vocabulary().take(pa.array(codes))


def from_squares(origin: npt.NDArray[np.integer], target: npt.NDArray[np.integer], promotion: Codes) -> Codes:
    """Codes from squares (a1 = 0, h8 = 63) and promotion (0 none, 1 knight, 2 bishop, 3 rook, 4 queen)."""
    codes: Codes = origin.astype(np.int16) + 64 * target.astype(np.int16) + 4096 * promotion.astype(np.int16)
    return codes
