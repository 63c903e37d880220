"""The calibration figure of a backtest: whether games end as forecast."""

import json

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.rating.backtest import Backtest
from assay.results.metrics import CalibrationBin

_FEWEST = 10  # games in a bin that is drawn: fewer say nothing, and their intervals fill the figure


def calibration_figure(found: Backtest) -> Figure:
    """The average result against the average forecast of each bin that has ten games, with 95% intervals."""
    drawn = [
        _line(name, [one for one in bins if one.games >= _FEWEST], number)
        for number, (name, bins) in enumerate(found.calibration.items())
    ]
    panel = Panel(
        [Series("as forecast", [0, 1], [0, 1], guide=True, marks=False), *drawn],
        x_title="expected result of White",
        y_title="average result of White",
        x=(0, 1),
        y=(0, 1),
        height=600,
    )
    title = "Calibration: White's average result where that much was expected"
    return curves(title, [panel], width=800).telling(json.dumps(found.stamp, indent=2))


def _line(name: str, bins: list[CalibrationBin], number: int) -> Series:
    return Series(
        name,
        [one.forecast for one in bins],
        [one.result for one in bins],
        low=[one.result - 1.96 * one.error for one in bins],
        high=[one.result + 1.96 * one.error for one in bins],
        number=number,
        titles=[
            f"{name}: expected {one.forecast:.3f}, happened {one.result:.3f}, {one.games:,} games"
            for one in bins
        ],
    )
