"""The Elo curve: what a difference in rating lets expect."""

import math

import numpy as np
import numpy.typing as npt

POINTS_PER_LOGIT = 400 / math.log(10)
"""Rating points that make odds e times as large."""


def expectation(difference: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Expectation of a player who is so many points ahead, by the logistic curve."""
    return np.asarray(1 / (1 + 10 ** (-np.asarray(difference, dtype=np.float64) / 400)))
