"""The dot-and-interval plot: a row for each name, an interval with its middle, and marks to compare with.

Two ways. `track` is the drawing of one row for a page: places are in percent, so that it is as wide as the
page, and text keeps its size on a phone. `interval_figure` is all rows as one figure, for a file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from assay.figures.axes import Axes, Box, span, ticks
from assay.figures.figure import EDGE, LETTER, Entry, Figure, blank, legend, legend_height
from assay.figures.svg import (
    Element,
    Point,
    Svg,
    element,
    fitted,
    markup,
    place_mark,
    place_reference,
    text_width,
)

REFERENCE = -1
"""The number of the hollow mark that the others are compared with; it stands beside the interval."""

_UPPER, _LOWER, _HEIGHT = 10, 25, 34
_TOP = 46.0
_LONGEST = 260.0


@dataclass(frozen=True)
class Mark:
    """A value of a row: the number of its mark, and what a pointer shows."""

    value: float
    number: int
    title: str


@dataclass(frozen=True)
class Row:
    """One name with an interval, and the marks below it; what is not finite is not drawn."""

    name: str
    middle: float
    low: float
    high: float
    title: str
    """What a pointer shows of the interval."""
    marks: Sequence[Mark] = ()
    value: str = ""
    """The interval as it is written at the end of the row."""

    def draw_interval(self, root: Element, at: Callable[[float], str | float], height: float) -> None:
        """Draw a line with a dot in its middle; an end that is not known is the middle."""
        if math.isfinite(self.middle):
            ends = (end if math.isfinite(end) else self.middle for end in (self.low, self.high))
            low, high, middle = map(at, (*ends, self.middle))
            element(root, "line", class_="interval", x1=low, x2=high, y1=height, y2=height)
            element(root, "circle", tip=self.title, class_="combined", cx=middle, cy=height, r=5.5)


def reach(rows: Iterable[Row], most: float) -> Point:
    """Give the range of the rows, at most so far beyond the outermost middles: one may know nothing."""
    rows = list(rows)
    middles = [row.middle for row in rows if math.isfinite(row.middle)] or [0.0]
    low, high = min(middles) - most, max(middles) + most
    others = [end for row in rows for end in (row.low, row.high)]
    others += [mark.value for row in rows for mark in row.marks]
    return span([*middles, *(min(max(end, low), high) for end in others if math.isfinite(end))], 0.03)


# A row of a page -----------------------------------------------------------------------------------------


def track(row: Row, ends: Point, grid: Sequence[float]) -> Svg:
    """Draw a row, without its name, on an axis that all rows share."""
    root = element(None, "svg", class_="track", height=_HEIGHT, role="img", aria_label=row.title)
    for value in grid:
        place = _percent(value, ends)
        element(root, "line", class_="grid", x1=place, x2=place, y1=0, y2=_HEIGHT)
    row.draw_interval(root, lambda value: _percent(value, ends), _UPPER)
    for mark in (mark for mark in row.marks if math.isfinite(mark.value)):
        kind = "reference" if mark.number == REFERENCE else str(mark.number)
        at = {"x": _percent(mark.value, ends), "y": str(_UPPER if mark.number == REFERENCE else _LOWER)}
        element(root, "use", tip=mark.title, href=f"#mark-{kind}", class_=f"mark mark-{kind}", **at)
    return markup(root)


def track_axis(ends: Point, grid: Sequence[float], text: Callable[[float], str]) -> Svg:
    """Write the numbers of the grid lines; for the eye only, the rows have theirs in words."""
    root = element(None, "svg", class_="track axis", height=20, aria_hidden="true")
    for value in grid:
        element(root, "text", text(value), x=_percent(value, ends), y=14, text_anchor="middle")
    return markup(root)


def _percent(value: float, ends: Point) -> str:
    share = (value - ends[0]) / (ends[1] - ends[0])
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


# All rows as one figure ----------------------------------------------------------------------------------


def interval_figure(
    title: str,
    rows: Sequence[Row],
    *,
    marks: Sequence[str] = (),
    reference: str = "",
    x_title: str = "",
    text: Callable[[float], str] = "{:.0f}".format,
    most: float = math.inf,
    width: float = 900.0,
) -> Figure:
    """Draw all rows with their names; `marks` names the marks in order, `reference` the hollow one."""
    entries = [Entry(name, number, line=False) for number, name in enumerate(marks)]
    top = _TOP + legend_height(entries, width) + (20.0 if reference else 0.0) + 20.0
    bottom = top + len(rows) * _HEIGHT
    description = f"{len(rows)} rows. " + " ".join(f"{row.name}: {row.title}." for row in rows)
    root = blank(title, description, width, bottom + 44.0 + EDGE)
    legend(root, entries, _TOP, width)
    if reference:
        place_reference(root, (EDGE + 17.0, top - 31.0))
        element(root, "text", reference, x=EDGE + 40, y=top - 27, class_="name")
    names = max((text_width(row.name, LETTER) for row in rows), default=0.0)
    values = max((text_width(row.value, LETTER) for row in rows), default=0.0)
    box = Box(EDGE + min(names, _LONGEST) + 16, top, width - EDGE - values - 16, bottom)
    axes = Axes(root, box, reach(rows, most), (0.0, float(max(len(rows), 1))))
    for value in ticks(*axes.x, most=max(2, int((box.right - box.left) // 70))):
        place = axes.at(value, 0.0)[0]
        axes.rule((place, box.top), (place, box.bottom), "grid")
        axes.text(place, box.bottom + 16, text(value), "middle")
    axes.rule((box.left, box.bottom), (box.right, box.bottom), "axis")
    axes.text((box.left + box.right) / 2, box.bottom + 36, x_title, "middle", "title")
    for number, row in enumerate(rows):
        _row(axes, row, top + number * _HEIGHT, width)
    return Figure(title, description, root)


def _row(axes: Axes, row: Row, top: float, width: float) -> None:
    root, upper, lower = axes.root, top + _UPPER, top + _LOWER
    fitted(root, row.name, LETTER, _LONGEST, x=EDGE, y=top + 21, class_="name")
    element(root, "text", row.value, x=width - EDGE, y=top + 21, text_anchor="end", class_="number")
    row.draw_interval(root, lambda value: axes.at(value, 0.0)[0], upper)
    for mark in (mark for mark in row.marks if math.isfinite(mark.value)):
        across = axes.at(mark.value, 0.0)[0]
        if mark.number == REFERENCE:
            place_reference(root, (across, upper), mark.title)
        else:
            place_mark(root, (across, lower), mark.number, mark.title)
