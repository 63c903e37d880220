"""Sensitivity and consistency by Elo, as the mileposts give them: a self-contained page."""

from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure, Scatter
from plotly.subplots import make_subplots

from assay.models.choice_tables import Milepost
from assay.report.markup import literal

_COLOURS = ("#1f5fa8", "#c0561f", "#3b7d3c", "#7b4fa0")

_PANELS = (
    ("s_fit", "sensitivity s (c on the line)"),
    ("c", "consistency c"),
    ("mm", "first-move agreement, %"),
    ("ad", "average scaled difference, pawns"),
)


def milepost_page(tables: Mapping[str, Sequence[Milepost]]) -> str:
    """One HTML page with four panels by Elo; one colour for each table (a period, or all games)."""
    figure: Figure = make_subplots(2, 2, subplot_titles=[title for _, title in _PANELS])
    for number, (name, rows) in enumerate(tables.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        plain = [row.as_row() for row in rows]
        for place, (panel, _) in enumerate(_PANELS):
            for trace in _traces(panel, name, plain, colour, place == 0):
                figure.add_trace(trace, row=place // 2 + 1, col=place % 2 + 1)
    figure.update_xaxes(title_text="Elo")
    figure.update_layout(title_text="Mileposts", template="plotly_white", height=800)
    page: str = figure.to_html(include_plotlyjs=True, full_html=True)
    return page


def _traces(
    panel: str, name: str, rows: Sequence[Mapping[str, Any]], colour: str, legend: bool
) -> list[Scatter]:
    """Points of one panel: what was fitted or played, and a dashed line for what the agents project."""
    elo = [row["elo"] for row in rows]
    shown = {"name": literal(name), "legendgroup": literal(name), "line": {"color": colour}}
    if panel == "s_fit":
        return [
            Scatter(x=elo, y=[r["s_fit"] for r in rows], mode="lines+markers", showlegend=legend, **shown)
        ]
    dashed = {**shown, "line": {"color": colour, "dash": "dash"}, "mode": "lines", "showlegend": False}
    points, line = ("c", "c_fit") if panel == "c" else (f"{panel}_actual", f"{panel}_projected")
    return [
        Scatter(x=elo, y=[r[points] for r in rows], mode="markers", showlegend=False, **shown),
        Scatter(x=elo, y=[r[line] for r in rows], **dashed),
    ]
