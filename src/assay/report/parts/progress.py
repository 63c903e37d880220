"""A player's rating over time, with its interval: true distances on the axis, periods of few games hollow."""

from __future__ import annotations

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.insights.progress import Progress


def progress_figure(progress: Progress) -> Figure:
    """Ratings by period at the mean date of their games."""
    periods = progress.periods
    line = Series(
        progress.player,
        [one.time for one in periods],
        [one.rating.elo for one in periods],
        low=[one.rating.low for one in periods],
        high=[one.rating.high for one in periods],
        hollow=[one.few for one in periods],
        titles=[
            f"{one.name}: {one.rating.elo:.0f} ({one.rating.low:.0f} to {one.rating.high:.0f}), "
            f"{one.rating.games:.0f} games"
            for one in periods
        ],
    )
    panel = Panel([line], title=f"Trend: {progress.sentence}", x_title="year", y_title="Elo", x_text=_year)
    return curves(f"{progress.player} by {progress.by} (an outline: few games)", [panel])


def _year(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 1e-6 else f"{value:.1f}"
