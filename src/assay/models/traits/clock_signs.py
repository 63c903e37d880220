"""The signs that the clock tells of each move: how long it took, and how much was left for it.

Seconds are those of the game's comments (decisions.clocks). Servers show whole seconds, so a move of less
than one second and one of none look alike. Nothing of what the move was worth is read here.
"""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Floats

AT_ONCE = (1.0, 2.0, 5.0)
"""Moves of so many seconds or fewer are looked at."""

SHORT = (10.0, 30.0)
"""With fewer seconds on the clock time is short."""

OF_TIMES = (
    "logarithm of seconds",
    "square of logarithm of seconds",
    *(f"within {seconds:g} s" for seconds in AT_ONCE),
    "share of the clock",
)
OF_CLOCKS = ("logarithm of clock", *(f"clock below {seconds:g} s" for seconds in SHORT))

CLOCK_SIGNS = (*OF_TIMES, *OF_CLOCKS)
"""Names of the signs, in the order of the columns of `clock_signs`."""


def clock_signs(spent: Floats, before: Floats) -> Floats:
    """Every sign of every move, from the seconds that it took and those on the clock: shape (moves, signs).

    Both must be known.
    """
    took = np.log1p(spent)
    columns = (
        took,
        np.square(took),
        *(spent <= seconds for seconds in AT_ONCE),
        np.minimum(spent / np.maximum(before, 1.0), 1.0),
        np.log1p(before),
        *(before < seconds for seconds in SHORT),
    )
    return np.column_stack([np.asarray(one, dtype=np.float64) for one in columns])
