"""The calibration figure of a backtest: whether games end as forecast."""

import html
import json

import plotly.graph_objects as go

from assay.report.markup import literal
from assay.validation.backtest import Backtest
from assay.validation.metrics import CalibrationBin

_FEWEST = 10  # games in a bin that is drawn: fewer say nothing, and their intervals fill the figure


def calibration_figure(found: Backtest) -> go.Figure:
    """The average result against the average forecast of each bin that has ten games, with 95% intervals."""
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=[0, 1], y=[0, 1], mode="lines", name="as forecast", line={"dash": "dot", "color": "grey"}
        )
    )
    for name, bins in found.calibration.items():
        figure.add_trace(_trace(name, [one for one in bins if one.games >= _FEWEST]))
    figure.update_layout(
        title="Calibration: White's average result where that much was expected",
        xaxis={"title": "expected result of White", "range": [0, 1]},
        yaxis={"title": "average result of White", "range": [0, 1]},
        template="plotly_white",
        width=900,
        height=700,
    )
    return figure


def _trace(name: str, bins: list[CalibrationBin]) -> go.Scatter:
    return go.Scatter(
        x=[one.forecast for one in bins],
        y=[one.result for one in bins],
        error_y={"type": "data", "array": [1.96 * one.error for one in bins], "thickness": 1},
        customdata=[one.games for one in bins],
        hovertemplate="expected %{x:.3f}, happened %{y:.3f}, %{customdata:,} games",
        mode="lines+markers",
        name=literal(name),
    )


def calibration_page(found: Backtest) -> str:
    """One HTML file that needs no network: the figure, and the stamp that says what made it."""
    figure = calibration_figure(found).to_html(full_html=False, include_plotlyjs=True)
    stamp = html.escape(json.dumps(found.stamp, indent=2))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Backtest</title></head>\n'
        f"<body>{figure}\n<details><summary>What made it</summary><pre>{stamp}</pre></details></body>\n"
        "</html>\n"
    )
