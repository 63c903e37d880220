"""What a stationary vector can be when the printed matrices are rounded.

Every printed entry may be off by half a unit in its last place. Searched, not asserted: the entries move
within their rounding, rows are brought back to a sum of one, zeros off the triangle stay.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from assay.models.chains import stationary
from assay.models.dirichlet import shares

Floats = npt.NDArray[np.float64]

HALF_UNIT = 0.005


def reachable(white: Floats, black: Floats, target: Floats) -> Floats:
    """The vector nearest to the target that matrices within the rounding have."""
    scale = 1000.0  # so that the optimiser's tolerances mean something
    return _search(white, black, lambda vector: scale * float(np.square(vector - target).sum()))


def reach_of_component(white: Floats, black: Floats, index: int) -> tuple[float, float]:
    """Least and largest value of one component within the rounding."""
    low = _search(white, black, lambda vector: float(vector[index]))[index]
    high = _search(white, black, lambda vector: -float(vector[index]))[index]
    return float(low), float(high)


def _search(white: Floats, black: Floats, aim: Callable[[Floats], float]) -> Floats:
    printed = np.stack((white, black))
    free = np.stack((np.tril(np.ones_like(white)), np.triu(np.ones_like(black)))) > 0
    free &= printed < 1.0 - 1e-9  # a class that is never left is printed as 1.00 and is exact by construction
    free[0, 0], free[1, -1] = False, False
    start = printed[free]

    def vector(entries: Floats) -> Floats:
        moved = printed.copy()
        moved[free] = entries
        first, second = shares(moved)
        return stationary(first @ second)

    bounds = [(max(entry - HALF_UNIT, 1e-6), entry + HALF_UNIT) for entry in start]
    begin = np.clip(start, [low for low, _ in bounds], None)
    found = minimize(lambda entries: aim(vector(entries)), begin, method="L-BFGS-B", bounds=bounds)
    # A search that stops early still names matrices within the rounding: its answer is a fact about them.
    return vector(found.x)
