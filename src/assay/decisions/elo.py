"""The Elo curve: what a difference in rating lets expect."""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from assay.decisions.evaluation import published_by

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


def published(elo: int | None, date: str | None, site: str | None, name: str | None) -> int | None:
    """The rating of a tag on the scale before March 2024, by the date of its game.

    A server's rating stays as it is; so does one of a name with a digit, which is an engine's, a simulated
    player's or an account's.
    """
    if elo is None or elo <= 0 or elo >= 2000 or not raised(date) or published_by((site,)):
        return elo
    return elo if any(letter.isdigit() for letter in name or "") else round(float(before_march_2024(elo)))


@lru_cache(maxsize=1000)
def raised(date: str | None) -> bool:
    """Whether a game of this date is from after FIDE raised the ratings below 2000."""
    when = (date or "").replace(".", "-").replace("/", "-")
    return when[:4].isdigit() and when >= "2024-03"
