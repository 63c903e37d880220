"""The Elo curve: what a difference in rating lets expect."""

import math

import numpy as np
import numpy.typing as npt

POINTS_PER_LOGIT = 400 / math.log(10)
"""Rating points that make odds e times as large."""


def expectation(difference: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Expectation of a player who is so many points ahead, by the logistic curve."""
    return np.asarray(1 / (1 + 10 ** (-np.asarray(difference, dtype=np.float64) / 400)))


def before_march_2024(rating: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """FIDE ratings of today on the scale before March 2024.

    Then FIDE raised every rating R below 2000 to R + 0.4 (2000 - R).
    """
    now = np.asarray(rating, dtype=np.float64)
    return np.where(now < 2000, (now - 800) / 0.6, now)
