"""Complexity of a position after Guid and Bratko (2006, ICGA Journal 29): how often the best move changes.

Wherever a deeper search prefers another move than the one before it, the difference between its best and its
second line is added, in pawns. Positions in which the first impression stands have none.
"""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models.complexity.indicators import LIMIT, Trace


def complexity(decisions: Decisions, limit: int = LIMIT) -> Floats:
    """Of each decision with a trace, in pawns; NaN where there is no trace."""
    trace = Trace.of(decisions, limit)
    first = np.flatnonzero(trace.first)
    row, move, value = trace.row[first], trace.move[first], trace.value[first]
    second = np.minimum(first + 1, len(trace.row) - 1)
    alike = (trace.row[second] == row) & (trace.depth[second] == trace.depth[first]) & (second > first)
    gap = np.where(alike, np.abs(value - trace.value[second]), 0.0)
    changed = np.zeros(len(first), bool)
    changed[1:] = (row[1:] == row[:-1]) & (move[1:] != move[:-1])
    total = np.bincount(row[changed], gap[changed] / 100, minlength=trace.rows)
    searched = np.bincount(row, minlength=trace.rows) > 0
    return np.asarray(np.where(searched, total, np.nan))
