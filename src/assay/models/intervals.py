"""Intervals from games: drawn anew, how many it takes, and how much wider few of them make an interval.

Moves of one game are not independent, so games are drawn, never moves. A thousand resamples are one matrix
product of weights with profiles by game. Two kinds of weights: games drawn with replacement (the bootstrap),
and exponential weights (the Bayesian bootstrap), which leave nobody without games.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from assay.answers.ratings import Quantity
from assay.decisions.arrays import Floats

FEWEST_GAMES = 4
"""With fewer games than this they are not drawn anew: how they vary cannot be told."""

LEVEL = 0.95
"""The probability that intervals hold, where nobody asks for another."""

_Z = float(ndtri((1 + LEVEL) / 2))


def resample_weights(n_games: int, resamples: int, seed: int) -> Floats:
    """How often each game is drawn, with replacement, in each resample: moves of one game stay together."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(n_games, np.full(n_games, 1.0 / n_games), size=resamples).astype(np.float64)


def exponential_weights(n_games: int, resamples: int, seed: int) -> Floats:
    """What each game counts in each resample of the Bayesian bootstrap: never nothing."""
    return np.random.default_rng(seed).exponential(size=(resamples, n_games))


def variance_correction(n_games: int) -> float:
    """How much more n new games vary than a resample of n games: n / (n - 1)."""
    return n_games / (n_games - 1)


def student(n_games: int, level: float = LEVEL) -> float:
    """How many deviations an interval reaches, where n games tell the deviation: Student's quantile."""
    return float(stdtrit(n_games - 1, (1 + level) / 2))


def resampling_factor(n_games: int) -> float:
    """How much wider than the spread of resamples a 95% interval from n games is."""
    return math.sqrt(variance_correction(n_games)) * student(n_games) / _Z


def pair_factor(first: int, second: int) -> float:
    """The same for a difference between two players, of so many games each.

    Degrees of freedom by Welch (1947), the games of both taken to vary alike: two players tell more of how
    games vary than one does.
    """
    share = np.array([1 / first, 1 / second])
    games = np.array([first, second])
    freedom = share.sum() ** 2 / (share**2 / (games - 1)).sum()
    correction = math.sqrt(float((share * games / (games - 1)).sum() / share.sum()))
    return correction * float(stdtrit(freedom, (1 + LEVEL) / 2)) / _Z


def exponential_factor(n_games: npt.ArrayLike) -> Floats:
    """The same for exponential weights, for many numbers of games; infinite for one game.

    With these weights the variance of a mean comes out (n - 1) / (n + 1) times too small.
    """
    n = np.asarray(n_games, dtype=np.float64)
    games = np.maximum(n, 2)
    factor = np.sqrt((games + 1) / (games - 1)) * stdtrit(games - 1, (1 + LEVEL) / 2) / _Z
    return np.where(n > 1, factor, np.inf)


def wilson(share: float, n: float) -> Quantity:
    """A share of n with its deviation and Wilson's 95% interval."""
    z2 = _Z**2
    share = min(share, 1.0)  # a cumulative sum of shares ends at one but for rounding
    middle, spread = share + z2 / (2 * n), _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low, high = (middle - spread) / (1 + z2 / n), (middle + spread) / (1 + z2 / n)
    return Quantity(share, math.sqrt(share * (1 - share) / n), max(low, 0.0), min(high, 1.0))


def correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Pearson's rho; NaN where either does not vary."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def equal_tailed(values: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The ends between which 95% of some values lie, along their first axis."""
    low, high = np.quantile(np.asarray(values, dtype=np.float64), (0.025, 0.975), axis=0)
    return low, high


def widened(
    value: npt.ArrayLike, ends: tuple[npt.ArrayLike, npt.ArrayLike], factor: npt.ArrayLike
) -> tuple[Floats, Floats]:
    """An interval whose ends are so many times as far from the value."""
    middle, wider = np.asarray(value, dtype=np.float64), np.asarray(factor, dtype=np.float64)
    low, high = (np.asarray(end, dtype=np.float64) for end in ends)
    return middle - wider * (middle - low), middle + wider * (high - middle)


def q_values(p: npt.ArrayLike, tests: int | None = None) -> Floats:
    """Return the least false-discovery rate at which each test stands out (Benjamini and Hochberg 1995).

    Naming all with q <= x, a share x of the named is false at most: on average, and if tests are independent
    or rise and fall together. `tests` is how many there are in all, where only the smallest are given. NaN,
    of a test that could not be made, stays and is not counted.
    """
    values = np.asarray(p, np.float64)
    q = np.full(values.shape, np.nan)
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    if len(order):
        stepped = values[order] * (tests or len(order)) / np.arange(1, len(order) + 1)
        q[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return q
