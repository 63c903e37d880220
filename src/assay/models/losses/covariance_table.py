"""Covariance with results: Table 6 and Figure 12 of Alliot 2017 as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from assay.decisions.decisions import Decisions
from assay.models.losses.covariance import CovarianceModel, ResultVector
from assay.models.losses.covariance_fit import (
    best_bounds,
    best_spline,
    best_tanh,
    correlation_surface,
    indicators,
    statistics,
)

BOUNDS = tuple(round(0.2 * step, 1) for step in range(40))
"""Section 4.3.1: from 0 to 7.8 pawns."""


def covariance_with_results(decisions: Decisions, n0s: Sequence[int]) -> list[dict[str, Any]]:
    """For each number of convolutions the best decision bound, and the indicator's statistics with it."""
    best = best_bounds(correlation_surface(decisions, n0s, BOUNDS), BOUNDS)
    rows = []
    for n0, (bound, _) in zip(n0s, best, strict=True):
        model = CovarianceModel(n0=n0, vector=ResultVector(b=bound))
        rows.append({"n0": n0, "b": bound, **_statistics(decisions, model)})
    return rows


def fitted_vector(decisions: Decisions, kind: Literal["tanh", "spline"]) -> list[dict[str, Any]]:
    """The vector with its k1 and k2 that goes best with the results, by search, beside the paper's tanh."""
    rows = []
    if kind == "tanh":
        k1, k2, a, _ = best_tanh(decisions)
        vector = ResultVector("tanh", a=a)
        paper = CovarianceModel("pondered", n0=0, k1=1.2, k2=-3.41, vector=ResultVector("tanh"))
        about = {"vector": "tanh, paper", "k1": 1.2, "k2": -3.41, "a": 1.16}
        rows.append({**about, **_statistics(decisions, paper)})
    else:
        k1, k2, vector, _ = best_spline(decisions)
    found = CovarianceModel("pondered", n0=0, k1=k1, k2=k2, vector=vector)
    shape = {"a": vector.a} if kind == "tanh" else {"knots": [round(knot, 4) for knot in vector.knots]}
    rows.append({"vector": f"{kind}, found", "k1": k1, "k2": k2, **shape, **_statistics(decisions, found)})
    return rows


def _statistics(decisions: Decisions, model: CovarianceModel) -> dict[str, float]:
    """A column of Table 6."""
    one = statistics(*indicators(decisions, model))
    return {
        "correlation": one.rho,
        "mean": one.mean,
        "deviation": one.deviation,
        "alpha": one.alpha,
        "beta": one.beta,
    }
