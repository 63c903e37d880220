"""The dot-and-interval plot of ratings: what stands in its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from assay.answers.ratings import PlayerRating, Rating, Ratings
from assay.errors import InputError
from assay.figures import intervals
from assay.figures.axes import ticks
from assay.figures.figure import Figure
from assay.figures.intervals import REFERENCE, Interval, Mark, interval_figure, reach, track, track_axis
from assay.figures.style import SHAPES
from assay.figures.svg import Svg
from assay.report.parts.wording import elo, range_of

MOST_ROWS = 100
"""More rows are no picture any more: the table has all of them."""

_REACH = 600.0
"""Points beyond the outermost ratings that are drawn at most: intervals of a single game go further."""


@dataclass(frozen=True)
class Row:
    """One player's row."""

    rated: PlayerRating
    drawing: Svg


@dataclass(frozen=True)
class IntervalPlot:
    """The rows, the axis above and below them, and which mark stands for which method."""

    rows: tuple[Row, ...]
    axis: Svg
    marks: Mapping[str, int]
    """Number of the mark (shape and colour) of each method."""
    has_reference: bool


def interval_plot(ratings: Ratings, most: int = MOST_ROWS) -> IntervalPlot:
    """Combined ratings with their intervals, the methods below them, reference ratings as hollow marks."""
    shown, marks = _shown(ratings, most), _marks(ratings)
    drawn = [_row(rated, one, marks) for rated, one in shown]
    ends = reach(drawn, _REACH)
    grid = ticks(*ends, most=7)
    rows = tuple(Row(rated, track(row, ends, grid)) for (rated, _), row in zip(shown, drawn, strict=True))
    known = any(math.isfinite(rated.reference) for rated in ratings.players[:most])
    return IntervalPlot(rows, track_axis(ends, grid, elo), marks, known)


def ratings_figure(ratings: Ratings, most: int = MOST_ROWS) -> Figure:
    """The same as one figure, for a file."""
    shown, marks = _shown(ratings, most), _marks(ratings)
    if not shown:
        raise InputError("there are no ratings to draw: without a calibration there is no Elo")
    known = any(math.isfinite(rated.reference) for rated, _ in shown)
    return interval_figure(
        "Combined ratings with their 95% intervals",
        [_row(rated, one, marks) for rated, one in shown],
        marks=list(marks),
        reference="reference rating (mean published rating in these games)" if known else "",
        x_title=ratings.scale or "",
        text=elo,
        most=_REACH,
    )


def _marks(ratings: Ratings) -> dict[str, int]:
    return {method: place % len(SHAPES) for place, method in enumerate(ratings.methods)}


def _shown(ratings: Ratings, most: int) -> list[tuple[PlayerRating, Rating]]:
    """The players that have a rating: without an Elo scale nobody, for there is no axis to draw on."""
    return [(one, one.combined) for one in ratings.players[:most] if one.combined is not None]


def _row(rated: PlayerRating, one: Rating, marks: Mapping[str, int]) -> intervals.Row:
    reference = Mark(rated.reference, REFERENCE, f"reference rating {elo(rated.reference)}")
    methods = [
        Mark(rating.elo, marks[method], f"{method} {range_of(rating)}")
        for method, rating in rated.ratings.items()
    ]
    interval = Interval(one.elo, one.low, one.high, f"combined rating {range_of(one)}")
    return intervals.Row(rated.title, interval, [reference, *methods], range_of(one))
