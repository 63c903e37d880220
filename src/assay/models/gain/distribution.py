"""Distributions of gain: histograms, cross-correlation, rating differences (Ferreira 2012, section 4).

A distribution is a histogram at one centipawn, held as counts: bin `i` is a gain of `i - 2 * limit`, since a
gain goes from one end of the evaluations, clipped at `limit`, to the other at most. Counts that are whole
numbers give expectations that are exact, so 0 and 1 come out as 0 and 1.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import betaincinv, ndtri

from assay.decisions.arrays import Floats, Ints

ELO_SPREAD = 200 * math.sqrt(2)
"""Deviation of the difference of two performances, 200 points each (Elo 1978)."""

_ROUNDING = 1e-12
_BLOCK = 1 << 24  # numbers in a dense block: 128 MB


def n_bins(limit: int) -> int:
    """Number of bins: gains from minus to plus twice the limit."""
    return 4 * limit + 1


def gains_of_bins(limit: int) -> Floats:
    """The gain, in centipawns, that each bin stands for."""
    return np.arange(-2.0 * limit, 2.0 * limit + 1)


def histograms(gains: npt.ArrayLike, group: npt.ArrayLike, n_groups: int, limit: int) -> sparse.csr_array:
    """Histogram of gain of each group, one sparse row each."""
    bins = np.rint(np.asarray(gains, dtype=np.float64)).astype(np.int64) + 2 * limit
    ones = np.ones(len(bins))
    return sparse.coo_array((ones, (np.asarray(group), bins)), shape=(n_groups, n_bins(limit))).tocsr()


def histogram(gains: npt.ArrayLike, limit: int) -> Floats:
    """Histogram of some gains in centipawns."""
    centipawns = np.asarray(gains, dtype=np.float64)
    return np.asarray(histograms(centipawns, np.zeros(len(centipawns), np.int64), 1, limit).toarray()[0])


def peak(limit: int) -> Floats:
    """An engine that always agrees with itself: one peak at zero (Ferreira 2012, section 6)."""
    return histogram([0.0], limit)


def placements(y: Floats) -> Floats:
    """P(Y < m) + P(Y = m) / 2 in counts of y, for every bin m: what Eq. 2 weighs the gains of X with."""
    return np.cumsum(y, axis=-1) - 0.5 * y


def expectation(x: Floats, y: Floats) -> float:
    """Expected result of X against Y, Eq. 2: P(X > Y) + P(X = Y) / 2."""
    used = np.flatnonzero(x)
    return float(_share(np.sum(x[used] * placements(y)[used]), x.sum() * y.sum()))


def expectations(x: Any, y: Any | None = None) -> Floats:
    """Eq. 2 for every row of `x` (matrix, dense or sparse) against every row of `y`, or of `x` itself.

    One matrix product over the bins that occur at all. Rows must not be empty.
    """
    rows, columns = sparse.csr_array(x), sparse.csr_array(x if y is None else y)
    used = np.union1d(rows.indices, columns.indices)
    rows, columns = _only(rows, used), _only(columns, used)
    totals = np.outer(rows.sum(axis=1), columns.sum(axis=1))
    wins = np.empty(totals.shape)
    step = max(1, _BLOCK // max(1, len(used)))
    for first in range(0, columns.shape[0], step):
        block = placements(columns[first : first + step].toarray())
        wins[:, first : first + step] = _product(rows, block, step)
    return _share(wins, totals)


def weighted_expectations(x: Any, weights: Floats, y: Floats) -> Floats:
    """Eq. 2 for weighted sums of the rows of `x` (matrix, dense or sparse) against every row of `y`.

    No sum may be empty. The sums, of thousands of bins each, are never written out.
    """
    rows = sparse.csr_array(x)
    wins = np.asarray(weights @ (rows @ placements(y).T))
    return _share(wins, np.outer(weights @ rows.sum(axis=1), y.sum(axis=1)))


def _only(rows: sparse.csr_array, used: Ints) -> sparse.csr_array:
    """The rows with the used bins only."""
    places = np.searchsorted(used, rows.indices)
    return sparse.csr_array((rows.data, places, rows.indptr), shape=(rows.shape[0], len(used)))


def _product(rows: sparse.csr_array, block: Floats, step: int) -> Floats:
    # Dense blocks: a multiplication of BLAS beats the sparse one at the densities that players have.
    parts = [rows[first : first + step].toarray() @ block.T for first in range(0, rows.shape[0], step)]
    return np.concatenate(parts)


def paired_expectations(x: Floats, y: Floats) -> Floats:
    """Eq. 2 for each row of `x` against the same row of `y`."""
    wins = np.einsum("ij,ij->i", x, placements(y))
    return _share(wins, x.sum(axis=1) * y.sum(axis=1))


def _share(wins: Any, total: Any) -> Floats:
    """`wins` of `total`, with 0 and 1 where weights have left a speck of rounding."""
    share = np.asarray(wins / total, dtype=np.float64)
    return np.where(share < _ROUNDING, 0.0, np.where(share > 1 - _ROUNDING, 1.0, share))


def rating_difference(expectations: npt.ArrayLike) -> Floats:
    """Rating difference of an expectation, 200 sqrt(2) Phi^-1(p); minus and plus infinity at 0 and 1."""
    return np.asarray(ELO_SPREAD * ndtri(np.asarray(expectations, dtype=np.float64)))


# Uncertainty -------------------------------------------------------------------------------------------


def overdispersion(moves_per_game: npt.ArrayLike, correlation: float) -> Floats:
    """How many moves count as one: moves of one game are correlated, 1 + correlation (n - 1)."""
    return 1 + correlation * np.maximum(np.asarray(moves_per_game, dtype=np.float64) - 1, 0)


def posterior(
    n: npt.ArrayLike, total: npt.ArrayLike, squares: npt.ArrayLike, overdispersion: npt.ArrayLike = 1.0
) -> tuple[Floats, Floats]:
    """Mean and variance of an expectation, from the sums of placements of n moves and of their squares.

    Half a move each at 0, 1/2 and 1 stands for what was known before (the Jeffreys prior where these are the
    only values), so that a few moves of one kind do not pass for certainty. So many moves as `overdispersion`
    says count as one.
    """
    each = np.asarray(overdispersion, dtype=np.float64)
    moves, sums, second = (np.asarray(x, dtype=np.float64) / each for x in (n, total, squares))
    mean = (sums + 0.75) / (moves + 1.5)
    variance = ((second + 0.625) / (moves + 1.5) - mean**2) / (moves + 2.5)
    return mean, variance


def beta_interval(mean: npt.ArrayLike, variance: npt.ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Interval of an expectation: quantiles of the beta distribution with this mean and variance."""
    m, v = np.asarray(mean, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    size = np.maximum(m * (1 - m) / v - 1, 0.1)
    tail = (1 - level) / 2
    low, high = betaincinv(m * size, (1 - m) * size, [[tail], [1 - tail]])
    return low.reshape(m.shape), high.reshape(m.shape)


def moments_against(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Number of moves of X, and the sums of their placements in Y and of the squares of these."""
    used = np.flatnonzero(x)
    weight, placed = x[used], placements(y)[used] / y.sum()
    return float(weight.sum()), float(np.sum(weight * placed)), float(np.sum(weight * placed**2))


def expectation_interval(
    x: Floats, y: Floats, *, overdispersion: float, of_y: float | None = None, level: float = 0.95
) -> tuple[float, float, float]:
    """Deviation and interval of Eq. 2, from the moves of X, and of Y where its overdispersion is given too.

    The variance of both is that of a rank sum (DeLong et al. 1988): of X's placements among Y's moves, and of
    Y's among X's.
    """
    mean, variance = posterior(*moments_against(x, y), overdispersion)
    if of_y is not None:
        other, more = posterior(*moments_against(y, x), of_y)
        mean, variance = (mean + 1 - other) / 2, variance + more
    low, high = beta_interval(mean, variance, level)
    value = expectation(x, y)
    return math.sqrt(variance), min(float(low), value), max(float(high), value)
