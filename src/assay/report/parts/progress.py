"""A player's rating over time, with its interval: true distances on the axis, periods of few games hollow."""

from __future__ import annotations

from assay.answers.insights import Progress
from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.report.parts.wording import counted


def progress_figure(progress: Progress) -> Figure:
    """Ratings by period at the mean date of their games."""
    periods = progress.periods
    line = Series(
        progress.player,
        [one.time for one in periods],
        [one.rating.elo for one in periods],
        low=[one.rating.low for one in periods],
        high=[one.rating.high for one in periods],
        interval="band" if len(periods) > 1 else "whiskers",
        hollow=[one.few for one in periods],
        titles=[
            f"{one.name}: {one.rating.elo:.0f} ({one.rating.low:.0f} to {one.rating.high:.0f}), "
            f"{counted(int(one.rating.games), 'game')}"
            for one in periods
        ],
    )
    lines = [line]
    if (trend := progress.trend) is not None:
        ends = [periods[0].time, periods[-1].time]
        lines.append(
            Series(
                "trend",
                ends,
                [trend.elo + trend.a_year * (one - trend.time) for one in ends],
                guide=True,
                marks=False,
            )
        )
    panel = Panel(lines, title=f"Trend: {progress.sentence}", x_title="year", y_title="Elo", x_text=_year)
    few = " (hollow: few games)" if any(one.few for one in periods) else ""
    return curves(f"{progress.player} by {progress.by}{few}", [panel])


def _year(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 1e-6 else f"{value:.1f}"
