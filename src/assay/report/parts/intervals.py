"""The dot-and-interval plot: a row for each player, places in percent so that it is as wide as the page.

Text keeps its size on a phone, only the marks stretch: a row is a line of the page with a drawing in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from assay.domain.rating import PlayerRating, Rating, Ratings
from assay.report.parts.svg import Element, Point, element, markup, span, ticks
from assay.report.parts.wording import elo, range_of

MOST_ROWS = 100
"""More rows are no picture any more: the table has all of them."""

SHAPES = {
    "circle": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "square": "M-3.6-3.6h7.2v7.2h-7.2z",
    "up": "M0-4.6l4.6 8h-9.2z",
    "down": "M0 4.6l4.6-8h-9.2z",
    "diamond": "M0-5l5 5l-5 5l-5-5z",
    "plus": "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "bar": "M-1.7-5h3.4v10h-3.4z",
    "cross": "M-4.5-2.5l2-2l2.5 2.5l2.5-2.5l2 2l-2.5 2.5l2.5 2.5l-2 2l-2.5-2.5l-2.5 2.5l-2-2l2.5-2.5z",
}
"""Outlines about the origin: methods differ by shape and by colour."""

_REACH = 600.0
"""Points beyond the outermost ratings that are drawn at most: intervals of a single game go further."""

_UPPER, _LOWER, _HEIGHT = 10, 25, 34


@dataclass(frozen=True)
class Row:
    """One player's row."""

    rated: PlayerRating
    drawing: Markup


@dataclass(frozen=True)
class IntervalPlot:
    """The rows, the axis above and below them, and which mark stands for which method."""

    rows: tuple[Row, ...]
    axis: Markup
    marks: Mapping[str, int]
    """Number of the mark (shape and colour) of each method."""
    has_reference: bool


def interval_plot(ratings: Ratings, most: int = MOST_ROWS) -> IntervalPlot:
    """Combined ratings with their intervals, the methods below them, reference ratings as hollow marks."""
    shown = ratings.players[:most]
    ends = _ends(shown)
    grid = ticks(*ends, most=7)
    marks = {method: place % len(SHAPES) for place, method in enumerate(ratings.methods)}
    rows = tuple(Row(rated, _row(rated, ends, grid, marks)) for rated in shown)
    known = any(math.isfinite(rated.reference) for rated in shown)
    return IntervalPlot(rows, _axis(ends, grid), marks, known)


def _ends(shown: Sequence[PlayerRating]) -> Point:
    middles = [rated.combined.elo for rated in shown if math.isfinite(rated.combined.elo)] or [0.0]
    low, high = min(middles) - _REACH, max(middles) + _REACH
    intervals = [end for rated in shown for end in (rated.combined.low, rated.combined.high)]
    dots = [rating.elo for rated in shown for rating in rated.ratings.values()]
    others = [*intervals, *dots, *(rated.reference for rated in shown)]
    return span([*middles, *(min(max(end, low), high) for end in others if math.isfinite(end))], 0.03)


def _place(value: float, ends: Point) -> str:
    share = (value - ends[0]) / (ends[1] - ends[0])
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def _row(rated: PlayerRating, ends: Point, grid: Sequence[float], marks: Mapping[str, int]) -> Markup:
    label = f"combined rating {range_of(rated.combined)}"
    root = element(None, "svg", class_="track", height=str(_HEIGHT), role="img", aria_label=label)
    _lines(root, ends, grid, _HEIGHT)
    if math.isfinite(rated.combined.elo):
        _combined(root, rated.combined, ends)
    if math.isfinite(rated.reference):
        _mark(root, "reference", rated.reference, ends, _UPPER, f"reference rating {elo(rated.reference)}")
    for method, rating in rated.ratings.items():
        if math.isfinite(rating.elo):
            _mark(root, str(marks[method]), rating.elo, ends, _LOWER, f"{method} {range_of(rating)}")
    return markup(root)


def _combined(root: Element, rating: Rating, ends: Point) -> None:
    low, high = (bound if math.isfinite(bound) else rating.elo for bound in (rating.low, rating.high))
    y = str(_UPPER)
    element(root, "line", class_="interval", x1=_place(low, ends), x2=_place(high, ends), y1=y, y2=y)
    dot = element(root, "circle", class_="combined", cx=_place(rating.elo, ends), cy=y, r="5.5")
    element(dot, "title", f"combined {range_of(rating)}")


def _mark(root: Element, kind: str, value: float, ends: Point, y: int, title: str) -> None:
    classes = f"mark mark-{kind}"
    made = element(root, "use", href=f"#mark-{kind}", class_=classes, x=_place(value, ends), y=str(y))
    element(made, "title", title)


def _lines(root: Element, ends: Point, grid: Sequence[float], height: int) -> None:
    for value in grid:
        place = _place(value, ends)
        element(root, "line", class_="grid", x1=place, x2=place, y1="0", y2=str(height))


def _axis(ends: Point, grid: Sequence[float]) -> Markup:
    """The numbers of the grid lines; for the eye only, the rows say theirs in words."""
    root = element(None, "svg", class_="track axis", height="20", aria_hidden="true")
    for value in grid:
        element(root, "text", elo(value), x=_place(value, ends), y="14", text_anchor="middle")
    return markup(root)
