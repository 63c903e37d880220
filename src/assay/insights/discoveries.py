"""Many comparisons at once: which of them stand out, if at most a given share may be false."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats

RATE = 0.10
"""Share of what stands out that may be chance, on average."""


def q_values(p: npt.ArrayLike) -> Floats:
    """The least false-discovery rate at which each comparison stands out (Benjamini and Hochberg 1995).

    NaN, of a comparison that could not be made, stays and counts for nothing.
    """
    values = np.asarray(p, np.float64)
    answer = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    n = len(order)
    if n:
        raw = values[order] * n / np.arange(1, n + 1)
        answer[order] = np.minimum(np.minimum.accumulate(raw[::-1])[::-1], 1.0)
    return answer
