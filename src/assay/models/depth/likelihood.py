"""Log-likelihood of played moves at every agent of the grid, summed within groups.

The agent chooses among all legal moves; the played move counts with its own value wherever it has one, and
below the last line of a depth with the mean of g there.
"""

from __future__ import annotations

import math

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.depths import Small
from assay.models.depth.agent import depth_weights
from assay.models.depth.grid import AXES, SHAPE
from assay.models.depth.views import Positions, add_powers, exponent, fill_sums

_AT_ONCE = 12
"""Shares of so many decisions are multiplied before a logarithm is taken: the least is about 1e-18."""


def log_likelihoods(positions: Positions, played: Ints, group: Ints, n_groups: int) -> Floats:
    """Log-likelihood at every agent of the grid: one row per group. `played` are indices of options."""
    total = np.zeros((n_groups, math.prod(SHAPE)))
    if not len(group):
        return total
    logits, rises = AXES[1], AXES[2]
    depths = positions.by_depth.depths
    shares = 1 / (1 + np.exp(-logits))
    rest = depth_weights(np.zeros(len(rises)), rises, depths)
    _add_likelihoods(
        positions.trace_offsets,
        positions.trace_depth,
        positions.trace_value,
        positions.legal,
        positions.by_depth.best,
        positions.by_depth.values,
        positions.by_depth.censored,
        positions.by_depth.seen,
        positions.by_depth.n_seen,
        positions.offsets[:-1] + played,
        np.argsort(group, kind="stable"),
        group,
        float(AXES[0][0]),
        float(AXES[0][1] - AXES[0][0]),
        len(AXES[0]),
        shares,
        rest,
        total,
    )
    return total


@njit(nogil=True, fastmath=True)
def _add_likelihoods(
    offsets: Ints,
    depth: Small,
    value: Small,
    legal: Ints,
    best: Small,
    values: Small,
    censored: Mask,
    seen: Mask,
    n_seen: Ints,
    option: Ints,
    order: Ints,
    group: Ints,
    first: float,
    step: float,
    n_c: int,
    shares: Floats,
    rest: Floats,
    total: Floats,
) -> None:
    n_rise, depths = rest.shape
    sums, own = np.empty((depths, n_c)), np.empty((depths, n_c))
    near, far = np.empty((depths, n_c)), np.empty((depths, n_c))
    above, below = np.empty(n_rise), np.empty(n_rise)
    product = np.ones(total.shape[1])
    held, current = 0, group[order[0]]
    for row in order:
        if group[row] != current or held == _AT_ONCE:
            _flush(product, current, total)
            held, current = 0, group[row]
        held += 1
        begin, stop = offsets[row], offsets[row + 1]
        fill_sums(begin, stop, depth, value, n_seen[row], legal[row], first, step, sums, near, far)
        tail = near if seen[option[row]] else far
        _fill_own(row, option[row], best, values, censored, first, step, tail, own)
        place = 0
        for k in range(n_c):
            for r in range(n_rise):
                above[r], below[r] = 0.0, 0.0
                for d in range(1, depths):
                    above[r] += rest[r, d] * own[d, k]
                    below[r] += rest[r, d] * sums[d, k]
            for share in shares:
                for r in range(n_rise):
                    chosen = share * own[0, k] + (1 - share) * above[r]
                    product[place] *= chosen / (share * sums[0, k] + (1 - share) * below[r])
                    place += 1
    _flush(product, current, total)


@njit(nogil=True)
def _fill_own(
    row: int,
    option: int,
    best: Small,
    values: Small,
    censored: Mask,
    first: float,
    step: float,
    tail: Floats,
    own: Floats,
) -> None:
    """The curve g of one option at every depth and consistency."""
    for d in range(own.shape[0]):
        if censored[option, d]:
            for k in range(own.shape[1]):
                own[d, k] = tail[d, k]
        else:
            for k in range(own.shape[1]):
                own[d, k] = 0.0
            add_powers(exponent(float(best[row, d]), float(values[option, d])), 1.0, first, step, d, own)


@njit(nogil=True)
def _flush(product: Floats, row: int, total: Floats) -> None:
    for index in range(len(product)):
        total[row, index] += math.log(product[index])
        product[index] = 1.0
