"""Figures of careers and head-to-heads, each one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from assay.models.careers import HeadToHeads
from assay.report.lines import line_style
from assay.report.markup import literal

_LAYOUT: dict[str, Any] = {"template": "plotly_white", "font": {"family": "sans-serif", "size": 14}}


def career_figure(rows_by_player: Mapping[str, Sequence[Mapping[str, Any]]], bound: int) -> go.Figure:
    """Conformance at zero and at the bound through the years: Figures 16 and 17."""
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.08,
        subplot_titles=("Moves as good as the best", f"Moves that lose at most {bound / 100:g} pawns"),
    )
    for index, (player, rows) in enumerate(rows_by_player.items()):
        for panel, name in enumerate(("conformance_0", "conformance"), start=1):
            line = _career_line(player, rows, name, line_style(index), panel == 1)
            figure.add_trace(line, row=panel, col=1)
    figure.update_yaxes(tickformat=".0%")
    figure.update_xaxes(title_text="year", row=2, col=1)
    figure.update_layout(title="Conformance through the years", height=760, **_LAYOUT)
    return figure


def _career_line(
    player: str, rows: Sequence[Mapping[str, Any]], name: str, style: dict[str, str], legend: bool
) -> go.Scatter:
    values = [row[name] for row in rows]
    shown = literal(player)
    return go.Scatter(
        x=[row["year"] for row in rows],
        y=values,
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [row[f"{name}_high"] - value for row, value in zip(rows, values, strict=True)],
            "arrayminus": [value - row[f"{name}_low"] for row, value in zip(rows, values, strict=True)],
            "thickness": 1,
        },
        mode="lines+markers",
        name=shown,
        legendgroup=shown,
        showlegend=legend,
        line=style,
        # A year with too few moves is an open circle.
        marker={"symbol": ["circle" if row["active"] else "circle-open" for row in rows], "size": 8},
        customdata=[row["decisions"] for row in rows],
        hovertemplate="%{x}: %{y:.1%} of %{customdata:.0f} moves<extra>%{fullData.name}</extra>",
    )


def versus_figure(table: HeadToHeads, method: str, as_white: bool = False) -> go.Figure:
    """Everyone against everyone as a heat map: Tables 7 to 9."""
    names = [literal(str(key)) for key in table.keys]
    percent = 100 * (table.as_white if as_white else table.match)
    cells = [
        [None if i == j else float(value) for j, value in enumerate(row)] for i, row in enumerate(percent)
    ]
    figure = go.Figure(
        go.Heatmap(
            z=cells,
            x=names,
            y=names,
            zmid=50,
            colorscale="RdBu",
            texttemplate="%{z:.0f}",
            hovertemplate="%{y} against %{x}: %{z:.1f}%<extra></extra>",
            colorbar={"title": "%"},
        )
    )
    kind = "with White" if as_white else "with colours shared"
    size = max(420, 34 * len(names) + 220)
    figure.update_layout(
        title=f"Expectation of the row {kind}, by {literal(method)}", width=size + 120, height=size, **_LAYOUT
    )
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(tickangle=-60)
    return figure


def to_html(figure: go.Figure) -> str:
    """The figure as one file that needs nothing else."""
    html: str = figure.to_html(include_plotlyjs=True, full_html=True)
    return html
