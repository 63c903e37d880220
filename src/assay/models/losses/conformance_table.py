"""Conformance by player, year, colour and event, and how it goes with results (Alliot 2017, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assay.decisions.decisions import Decisions
from assay.models.losses.conformance import ConformanceModel, correlation_by_bound
from assay.models.losses.measure import LossKind, LossMeasure

BOUNDS = (0, 10, 20, 30)
"""Section 4.2.2 prints these."""

CURVE = (0, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200)
"""Bounds of Figure 4."""


def conformance_by(
    decisions: Decisions, columns: Sequence[str], kind: LossKind, k1: float = 0.75, k2: float = -3.30
) -> list[dict[str, Any]]:
    """R' at 0, 10, 20 and 30 centipawns for each combination of the columns."""
    model = ConformanceModel(kind, k1=k1, k2=k2)
    kept, _ = model.select(decisions)
    rows = []
    for names, part in _groups(kept, list(columns)):
        profile = model.profile(part)
        shares = {str(bound): model.at(profile, bound).value for bound in BOUNDS}
        rows.append({**names, "games": int(profile.games), "moves": int(profile.decisions), **shares})
    return sorted(rows, key=lambda row: [str(row[column]) for column in columns])


def _groups(decisions: Decisions, columns: list[str]) -> Iterator[tuple[dict[str, Any], Decisions]]:
    if not columns:
        yield {}, decisions
        return
    for name, part in decisions.by(columns[0]):
        for names, rest in _groups(part, columns[1:]):
            yield {columns[0]: name, **names}, rest


def conformance_with_results(
    decisions: Decisions, kind: LossKind, k1: float = 0.75, k2: float = -3.30
) -> list[dict[str, Any]]:
    """Figures 4 and 5: correlation, alpha and beta at each bound; the best bound is marked."""
    measure = LossMeasure(kind, k1, k2)
    curve = correlation_by_bound(decisions, measure, CURVE)
    best = max(curve, key=lambda pair: pair[1])[0]
    rows = []
    for bound, rho in curve:
        model = ConformanceModel(kind, k1=k1, k2=k2, bound=int(bound)).fit(decisions)
        rows.append(
            {
                "bound": int(bound),
                "correlation": rho,
                "alpha": model.alpha_,
                "beta": model.beta_,
                "best": "best" if bound == best else "",
            }
        )
    return rows
