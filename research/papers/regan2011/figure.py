"""The mileposts by Elo, ours beside those of Regan and Haworth 2011."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.figures.curves import Panel, Series, curves
from assay.models.choice.tables import Milepost

OURS, THEIRS = "Stockfish 15.1, 18 games per milepost", "the paper: Rybka 3, 2006-2009"


def svg(rows: Sequence[Milepost], published: Mapping[int, Mapping[str, Any]]) -> str:
    """Two panels by Elo: s_fit, and first-move agreement; ours filled, the paper's hollow."""
    s_fit = {row.elo: row.s_fit for row in rows}, {elo: row["s_fit"] for elo, row in published.items()}
    agreement = (
        {row.elo: 100 * row.projections.mm.actual for row in rows},
        {elo: row["mm_actual"] for elo, row in published.items()},
    )
    panels = [
        _panel("sensitivity s_fit", *s_fit),
        _panel("first-move agreement, %", *agreement),
    ]
    return f"{curves('Mileposts by Elo', panels, columns=2).svg()}\n"


def _panel(title: str, ours: Mapping[int, float], theirs: Mapping[int, float]) -> Panel:
    series = [
        Series(
            name,
            list(points),
            list(points.values()),
            number=number,
            line=False,
            hollow=[number == 1] * len(points),
            titles=[f"{elo}: {value:.3g}" for elo, value in points.items()],
        )
        for number, (name, points) in enumerate(((OURS, ours), (THEIRS, theirs)))
    ]
    return Panel(series, title=title, x_title="Elo", x_text="{:.0f}".format)
