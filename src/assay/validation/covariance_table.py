"""Covariance with results: Table 6 and Figure 12 of Alliot 2017 as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.domain.decisions import Decisions
from assay.models.covariance import CovarianceModel, ResultVector
from assay.models.covariance_fit import best_bounds, correlation_surface, indicators, statistics

BOUNDS = tuple(round(0.2 * step, 1) for step in range(40))
"""Section 4.3.1: from 0 to 7.8 pawns."""


def covariance_with_results(decisions: Decisions, n0s: Sequence[int]) -> list[dict[str, Any]]:
    """For each number of convolutions the best decision bound, and the indicator's statistics with it."""
    best = best_bounds(correlation_surface(decisions, n0s, BOUNDS), BOUNDS)
    rows = []
    for n0, (bound, _) in zip(n0s, best, strict=True):
        model = CovarianceModel(n0=n0, vector=ResultVector(b=bound))
        one = statistics(*indicators(decisions, model))
        rows.append(
            {
                "n0": n0,
                "b": bound,
                "correlation": one.rho,
                "mean": one.mean,
                "deviation": one.deviation,
                "alpha": one.alpha,
                "beta": one.beta,
            }
        )
    return rows
