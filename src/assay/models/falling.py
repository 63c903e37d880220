"""Rows made to fall: expectations against stronger and stronger mileposts, some of them out of order."""

from __future__ import annotations

import numpy as np

from assay.decisions.compiled import njit


@njit()
def make_fall(rows):  # type: ignore[no-untyped-def] # pragma: no cover
    """Pool neighbours that rise in every row, in place: least squares (scipy's isotonic_regression, negated).

    Compiled: a rating by virtual matches asks for thousands of short rows.
    """
    n = rows.shape[1]
    mean, size = np.empty(n), np.empty(n, np.int64)
    for row in range(len(rows)):
        pools = 0
        for place in range(n):
            mean[pools], size[pools] = rows[row, place], 1
            while pools and mean[pools - 1] < mean[pools]:
                both = size[pools - 1] + size[pools]
                mean[pools - 1] = (size[pools - 1] * mean[pools - 1] + size[pools] * mean[pools]) / both
                size[pools - 1] = both
                pools -= 1
            pools += 1
        place = 0
        for pool in range(pools):
            for _ in range(size[pool]):
                rows[row, place] = mean[pool]
                place += 1
