"""The strength of both players after every move, as a figure (Ferreira 2012, Figure 6)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from assay.report.markup import literal

if TYPE_CHECKING:
    from assay.live import LiveGame, LiveMove

_COLOURS = ("#d07a00", "#1f4e9e")
_BANDS = ("rgba(208, 122, 0, 0.15)", "rgba(31, 78, 158, 0.15)")
_MARGIN = 60.0
_WIDEST = 900.0
"""Points above and below the middle that are drawn at most: intervals of the first moves go further."""


def live_figure(live: LiveGame) -> str:
    """A self-contained HTML page with the strengths, their intervals, and the evaluation below."""
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=2, shared_xaxes=True, row_heights=[0.72, 0.28], vertical_spacing=0.06)
    low, high = _span(live)
    for white, colour, band in zip((True, False), _COLOURS, _BANDS, strict=True):
        moves = live.of(white)
        if moves:
            for trace in _traces(moves, colour, band, low, high):
                figure.add_trace(trace, row=1, col=1)
    figure.add_trace(_evaluations(live), row=2, col=1)
    strength = "Strength" if live.engine_strength is not None else "Difference to the engine"
    figure.update_yaxes(title_text=f"{strength} (Elo)", range=[low, high], row=1, col=1)
    figure.update_yaxes(title_text="Evaluation (pawns)", row=2, col=1)
    figure.update_xaxes(title_text="Turn", row=2, col=1)
    figure.update_layout(
        title=" – ".join(literal(name) for name in live.players),
        template="plotly_white",
        legend={"orientation": "h", "y": 1.06},
        height=680,
    )
    page: str = figure.to_html(include_plotlyjs=True, full_html=True)
    return page


def _span(live: LiveGame) -> tuple[float, float]:
    """The strengths to draw: all finite ones, and the intervals of the last moves."""
    ends = [move.strength for move in live.moves]
    for moves in (live.of(True), live.of(False)):
        ends += [end for move in moves[-1:] for end in (move.low, move.high)]
    finite = [end for end in ends if math.isfinite(end)] or [live.engine_strength or 0.0]
    middle = (min(finite) + max(finite)) / 2
    half = min((max(finite) - min(finite)) / 2 + _MARGIN, _WIDEST)
    return middle - half, middle + half


def _traces(moves: list[LiveMove], colour: str, band: str, low: float, high: float) -> list[Any]:
    """Interval, line, and triangles at the edge where the strength is infinite."""
    from plotly import graph_objects as plotly

    turns = [move.turn + (0.0 if move.white else 0.5) for move in moves]
    upper = [min(move.high, high) for move in moves]
    lower = [max(move.low, low) for move in moves]
    name = literal(moves[0].player)
    off = [(turn, move) for turn, move in zip(turns, moves, strict=True) if math.isinf(move.strength)]
    edge = {
        "x": [turn for turn, _ in off],
        "y": [low if move.strength < 0 else high for _, move in off],
        "marker": {
            "symbol": ["triangle-down" if move.strength < 0 else "triangle-up" for _, move in off],
            "color": colour,
            "size": 11,
        },
        "text": [f"{literal(move.san)}: all moves so far on one side" for _, move in off],
    }
    return [
        plotly.Scatter(
            x=turns + turns[::-1],
            y=upper + lower[::-1],
            fill="toself",
            fillcolor=band,
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        ),
        plotly.Scatter(
            x=turns,
            y=[move.strength if math.isfinite(move.strength) else None for move in moves],
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"size": 4},
            name=name,
            text=[_hover(move) for move in moves],
            hoverinfo="text",
        ),
        plotly.Scatter(**edge, mode="markers", hoverinfo="text", showlegend=False, cliponaxis=False),
    ]


def _hover(move: LiveMove) -> str:
    dots = "." if move.white else "..."
    gain = "?" if math.isnan(move.gain) else f"{move.gain / 100:+.2f}"
    return (
        f"{move.turn}{dots}{literal(move.san)}: gain {gain}<br>"
        f"{move.strength:.0f} ({move.low:.0f} to {move.high:.0f})"
    )


def _evaluations(live: LiveGame) -> Any:
    from plotly import graph_objects as plotly

    return plotly.Scatter(
        x=[move.turn + (0.0 if move.white else 0.5) for move in live.moves],
        y=[
            None if math.isnan(move.value) else max(-10.0, min(10.0, move.value / 100)) for move in live.moves
        ],
        mode="lines",
        fill="tozeroy",
        line={"color": "#777", "width": 1, "shape": "hv"},
        name="Evaluation for White, within 10 pawns",
        text=[literal(move.san) for move in live.moves],
    )
