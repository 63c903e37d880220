"""The stochastic agent E(c): an engine that errs, with skill c (Di Fatta, Haworth, Regan 2009, section III).

E(c) chooses option i with a probability proportional to (v_max - v_i + K)^-c (Eq. 1 and 2). Divided by its
largest term, K^-c, the likelihood is (1 + loss_i / K)^-c: one for the best option, and a partition sum of
at least one, whatever c is. In c this is an exponential family: the log-likelihood of any decisions is
concave, `c * (sum of exponents of the played options) - sum of log partitions`.
"""

import numpy as np
import numpy.typing as npt

from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions

OFFSET = 0.1
"""K of Eq. 1, in pawns: the value of the paper's footnote 2."""

_FLUSH = 1e250
"""Products of partition sums are kept below this, then turned into logarithms: few logarithms are needed."""


def exponents(
    values: npt.ArrayLike, starts: Ints, offset: float = OFFSET, limit: int | None = None
) -> Floats:
    """-log(1 + loss / K) of every option, flat: multiplied by c, the log of its weight (Eq. 1).

    `starts` are the offsets of the decisions; `values` are centipawns, clipped to plus and minus `limit`.
    """
    value = np.asarray(values, dtype=np.float64)
    if limit is not None:
        value = evaluation.clip(value, limit)
    filled = starts[:-1][np.diff(starts) > 0]
    best = np.maximum.reduceat(value, filled) if len(filled) else np.zeros(0)
    loss = np.repeat(best, np.diff(starts)[np.diff(starts) > 0]) - value
    return -np.log1p(loss / (100 * offset))


def option_probabilities(
    decisions: Decisions, skill: float, offset: float = OFFSET, limit: int | None = None
) -> Floats:
    """Probability of every option under E(skill), flat, in the order of `decisions.values` (Eq. 2)."""
    weights = np.exp(skill * exponents(decisions.values, decisions.offsets, offset, limit))
    sums = np.add.reduceat(np.append(weights, 0.0), decisions.offsets[:-1])
    probabilities: Floats = weights / np.repeat(sums, decisions.n_options)
    return probabilities


def log_likelihoods(
    exponent: Floats, starts: Ints, played: Ints, group: Ints, n_groups: int, grid: Floats
) -> Floats:
    """Log-likelihood of the played options at every c of an even grid, summed within groups.

    One row per group. `played` are indices among the options of each decision, `group` its group.
    """
    chosen = exponent[starts[:-1] + played]
    sums = log_partitions(exponent, np.ones(len(exponent)), starts, group, n_groups, grid)
    return np.multiply.outer(np.bincount(group, weights=chosen, minlength=n_groups), grid) - sums


def log_partitions(
    exponent: Floats, weight: Floats, starts: Ints, group: Ints, n_groups: int, grid: Floats
) -> Floats:
    """Logarithms of the partition sums at every c of an even grid, summed within groups.

    `weight` is the number of moves that each option stands for: one, or more where unlisted ones share it.
    """
    total = np.zeros((n_groups, len(grid)))
    if len(group):
        step = float(grid[1] - grid[0]) if len(grid) > 1 else 0.0
        order = np.argsort(group, kind="stable")
        _add_log_partitions(exponent, weight, starts, order, group, float(grid[0]), step, total)
    return total


@njit(fastmath=True)
def _add_log_partitions(
    exponent: Floats,
    weight: Floats,
    starts: Ints,
    order: Ints,
    group: Ints,
    first: float,
    step: float,
    total: Floats,
) -> None:
    """Add the log of each decision's partition sum, at every c of the grid, to the row of its group.

    Products of many decisions cost one logarithm.
    """
    n_grid = total.shape[1]
    width = int(np.ceil(np.sqrt(n_grid)))
    height = (n_grid + width - 1) // width
    product = np.ones(height * width)
    sums = np.empty(height * width)
    row = np.empty(width)
    bound = 1.0
    current = group[order[0]]
    for decision in order:
        begin, end = starts[decision], starts[decision + 1]
        if end - begin < 2:
            continue
        most = weight[begin:end].sum()
        if group[decision] != current or bound * most > _FLUSH:
            _flush(product, total[current])
            bound = 1.0
            current = group[decision]
        bound *= most
        sums[:] = 0.0
        for option in range(begin, end):
            _add_weights(exponent[option], weight[option], first, step, row, sums)
        for index in range(height * width):
            product[index] *= sums[index]
    _flush(product, total[current])


@njit(fastmath=True, inline="always")
def _add_weights(
    exponent: float, weight: float, first: float, step: float, row: Floats, sums: Floats
) -> None:
    """Add the weight of one option, or of the moves that it stands for, at every c.

    With c = first + (high * width + low) * step it is one factor for `high` times one for `low`, each got
    from the last by a multiplication: no exponentials.
    """
    width = len(row)
    ratio = np.exp(exponent * step)
    factor = 1.0
    for low in range(width):
        row[low] = factor
        factor *= ratio
    jump = factor
    factor = weight * np.exp(exponent * first)
    for high in range(len(sums) // width):
        at = high * width
        for low in range(width):
            sums[at + low] += factor * row[low]
        factor *= jump


@njit()
def _flush(product: Floats, total: Floats) -> None:
    for index in range(len(total)):
        total[index] += np.log(product[index])
    product[:] = 1.0
