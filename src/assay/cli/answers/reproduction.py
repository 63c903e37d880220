"""What `assay reproduce` answers: published numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Rows

if TYPE_CHECKING:
    from assay.reproduce import Reproduction


def reproduced(rows: Sequence[Reproduction]) -> Rows:
    """Every number with its tolerance; exit code 1 if any is off."""
    return Rows(
        "Published and recomputed",
        [row.as_row() for row in rows],
        ("paper", "item", "kind", "published", "computed", "tolerance", "ok"),
        note=summary(rows),
        shown=("paper", "item", "published", "computed", "ok", "tolerance", "kind"),
        spare=2,
        cell=_cell,
        exit_code=0 if all(row.ok for row in rows) else 1,
    )


def _cell(name: str, value: Any) -> object:
    if name == "ok":
        return "yes" if value else "NO"
    return (f"{value:.6g}" if name == "computed" else f"{value:g}") if isinstance(value, float) else value


def summary(rows: Sequence[Reproduction]) -> str:
    """How many rows agree, of either kind."""
    counts = []
    for kind, what in (("inference", "our methods from printed inputs"), ("arithmetic", "the papers' own")):
        some = [row.ok for row in rows if row.kind == kind]
        if some:
            counts.append(f"{sum(some)} of {len(some)} by {kind} ({what})")
    return f"Within their tolerance: {', '.join(counts)}; {sum(r.ok for r in rows)} of {len(rows)} in all."
