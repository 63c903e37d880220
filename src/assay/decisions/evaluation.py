"""Evaluations as plain integers: centipawns, with mates beyond all centipawns, from the mover's view.

One integer per evaluation keeps arrays flat, ordered and negatable: a mate in n moves is `MATE - n`, being
mated in n is `-MATE + n`, delivered mate is `MATE`. The tables on disk hold `cp` and `mate` apart, exactly
one of them null; `encode` and `decode` go between the two.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

MATE = 32_000
"""The value of delivered mate."""

MATE_BOUND = 31_000
"""Values beyond this, either way, are mates; centipawns stay within."""


def from_mate(moves_to_mate: int) -> int:
    """Value of a mate in `moves_to_mate` moves; zero or negative when the mover is mated."""
    return MATE - moves_to_mate if moves_to_mate > 0 else -MATE - moves_to_mate


def from_cp(centipawns: int) -> int:
    """Value of `centipawns`, kept apart from the mates."""
    return max(-MATE_BOUND + 1, min(MATE_BOUND - 1, centipawns))


def from_columns(cp: npt.NDArray[Any], mate: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Values from centipawns and moves to mate as floats, NaN for null; NaN where both are."""
    mates = np.where(mate > 0, MATE - mate, -MATE - mate)
    return np.where(np.isnan(mate), clip(cp, MATE_BOUND - 1), mates)


def encode(cp: pa.Array, mate: pa.Array) -> pa.Array:
    """Values from the two columns of a table; null where both are null."""
    bounded = pc.min_element_wise(
        pc.max_element_wise(pc.cast(cp, pa.int32()), 1 - MATE_BOUND, skip_nulls=False),
        MATE_BOUND - 1,
        skip_nulls=False,
    )
    if mate.null_count == len(mate):
        return bounded
    distance = pc.cast(mate, pa.int32())
    mates = pc.if_else(
        pc.greater(distance, 0),
        pc.subtract(pa.scalar(MATE, pa.int32()), distance),
        pc.subtract(pa.scalar(-MATE, pa.int32()), distance),
    )
    return pc.coalesce(mates, bounded)


def decode(values: npt.ArrayLike) -> tuple[pa.Array, pa.Array]:
    """The columns `cp` and `mate` from values: in each place exactly one of them is null."""
    value = np.asarray(values, dtype=np.int32)
    mated = is_mate(value)
    distance = np.where(value > 0, MATE - value, -MATE - value).astype(np.int16)
    return pa.array(value, mask=mated), pa.array(distance, mask=~mated)


def is_mate(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which values are mates, either way."""
    mates: npt.NDArray[np.bool_] = np.abs(values) >= MATE_BOUND
    return mates


def clip(values: npt.NDArray[Any], limit: int) -> npt.NDArray[Any]:
    """Centipawns within plus and minus `limit`; mates take the limit (Ferreira 2012 uses 3900)."""
    clipped: npt.NDArray[Any] = np.clip(values, -limit, limit)
    return clipped
