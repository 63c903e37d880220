"""What a stationary vector can be when the printed matrices are rounded.

Every printed entry may be off by half a unit in its last place. Searched, not asserted: the entries move
within their rounding, rows are brought back to a sum of one, zeros off the triangle stay.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from assay.decisions.arrays import Floats
from assay.models.markov.chains import stationary
from assay.models.markov.dirichlet import shares

HALF_UNIT = 0.005


Aim = Callable[[Floats], tuple[float, Floats]]
"""What is to be as small as can be, of a stationary vector, and its gradient."""


def reachable(white: Floats, black: Floats, target: Floats) -> Floats:
    """The vector nearest to the target that matrices within the rounding have."""
    scale = 1000.0  # so that the optimiser's tolerances mean something

    def distance(vector: Floats) -> tuple[float, Floats]:
        off = vector - target
        return scale * float(off @ off), 2 * scale * off

    return _search(white, black, distance)


def reach_of_component(white: Floats, black: Floats, index: int) -> tuple[float, float]:
    """Least and largest value of one component within the rounding."""
    unit = np.eye(len(white))[index]
    low = _search(white, black, lambda vector: (float(vector[index]), unit))[index]
    high = _search(white, black, lambda vector: (-float(vector[index]), -unit))[index]
    return float(low), float(high)


def _search(white: Floats, black: Floats, aim: Aim) -> Floats:
    printed = np.stack((white, black))
    free = np.stack((np.tril(np.ones_like(white)), np.triu(np.ones_like(black)))) > 0
    free &= printed < 1.0 - 1e-9  # a class that is never left is printed as 1.00 and is exact by construction
    free[0, 0], free[1, -1] = False, False
    start = printed[free]

    def moved(entries: Floats) -> Floats:
        both = printed.copy()
        both[free] = entries
        return both

    def value(entries: Floats) -> tuple[float, Floats]:
        found, gradient = value_and_gradient(moved(entries), aim)
        return found, gradient[free]

    bounds = [(max(entry - HALF_UNIT, 1e-6), entry + HALF_UNIT) for entry in start]
    begin = np.clip(start, [low for low, _ in bounds], None)
    options = {"maxiter": 2000, "ftol": 1e-13, "gtol": 1e-9}
    found = minimize(value, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    # A search that stops early still names matrices within the rounding: its answer is a fact about them.
    first, second = shares(moved(found.x))
    return stationary(first @ second)


def value_and_gradient(both: Floats, aim: Aim) -> tuple[float, Floats]:
    """The aim at the stationary vector p of the two matrices in turn, and its derivative by their entries.

    A change dM of M changes p by p dM Z, with Z = (I - M + 1 p)^-1, the fundamental matrix of the chain.
    """
    first, second = shares(both)
    chain = first @ second
    vector = stationary(chain)
    found, gradient = aim(vector)
    fundamental = np.linalg.inv(np.eye(len(chain)) - chain + vector)
    along = fundamental @ gradient
    by_share = np.stack((np.outer(vector, second @ along), np.outer(vector @ first, along)))
    # Rows are divided by their sums: what an entry gains, the others of its row lose.
    rows = both.sum(axis=2, keepdims=True)
    return found, (by_share - (by_share * np.stack((first, second))).sum(axis=2, keepdims=True)) / rows
