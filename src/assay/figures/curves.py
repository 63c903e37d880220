"""Figures of lines: one panel or several, each with its axes, and a legend for all.

Lines differ by colour, by dashes and by the shape of their marks, so that they are told apart on grey paper
too. What a pointer shows of a point is the `title` of its mark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from assay.decisions.arrays import Floats
from assay.figures.axes import PLAIN, Axes, Box, Text, log_ticks, month_ticks, span, ticks, widened
from assay.figures.figure import EDGE, LETTER, Entry, Figure, blank, legend, legend_height
from assay.figures.svg import (
    Element,
    Point,
    colour_of,
    dash_of,
    element,
    fitted,
    place_mark,
    short,
    shortened,
    text_width,
)

_TOP = 46.0
"""Where what stands below the title begins."""

_TICK_ROOM, _TITLE_ROOM, _GAP = 24.0, 20.0, 22.0
_LONGEST_LABEL = 150.0
"""Room of a label within a panel; the legend has the whole name."""

_CROWDED = 14.0
"""Marks that are closer than so many units are drawn smaller."""

_LABELLED = 12
"""Up to so many densities have their names at their peaks too."""

_DENSITY_POINTS = 241


@dataclass(frozen=True)
class Series:
    """One line: its points, an interval about each if there is one, and how it is drawn."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    """NaN leaves a gap; infinity is a mark at the end of the axis."""
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    interval: Literal["whiskers", "band", "faint"] = "whiskers"
    number: int = 0
    """The number of its look: colour, dashes and shape."""
    line: bool = True
    marks: bool = True
    hollow: Sequence[bool] = ()
    """For each point whether its mark is an outline; empty: all are filled."""
    steps: bool = False
    """Each value holds until the next point."""
    to_zero: bool = False
    """The area down to zero is filled."""
    guide: bool = False
    """A thin dotted line to compare with."""
    listed: bool = True
    """Whether the legend names it."""
    titles: Sequence[str] = ()
    """What a pointer shows at each point."""
    at_peak: str = ""
    """A label at the highest point, or at this one:"""
    peak: int | None = None

    def stepped(self) -> tuple[list[float], list[float]]:
        """Give the corners of the line that is drawn."""
        if not self.steps:
            return list(self.x), list(self.y)
        return np.repeat(self.x, 2)[1:].tolist(), np.repeat(self.y, 2)[:-1].tolist()


@dataclass(frozen=True)
class Panel:
    """Lines on one pair of axes."""

    series: Sequence[Series]
    title: str = ""
    x_title: str = ""
    y_title: str = ""
    x: Point | None = None
    """The range of the axis; where there is none, that of the points."""
    y: Point | None = None
    x_text: Text = PLAIN
    y_text: Text = PLAIN
    logarithmic: bool = False
    height: float = 300.0
    whole_x: bool = False
    """The numbers along x are whole, such as years."""
    months: bool = False
    """The numbers along x are years, of which months may be told apart."""

    def ends(self) -> tuple[Point, Point]:
        """Give the ranges of both axes."""
        xs = [value for line in self.series for value in line.x]
        ys = [value for line in self.series for part in (line.y, line.low, line.high) for value in part or ()]
        x = self.x or (_ratios(xs) if self.logarithmic else span(xs, 0.03))
        return widened(x), widened(self.y or span(ys))

    def x_ticks(self, x: Point, width: float) -> list[float]:
        """Choose the numbers along x, as many as fit below the axis without touching."""
        for most in range(10, 1, -1):
            choose = log_ticks if self.logarithmic else month_ticks if self.months else ticks
            values = choose(*x, most)
            values = [value for value in values if value == int(value)] if self.whole_x else values
            widest = max(text_width(self.x_text(value), LETTER) for value in values or [x[0]])
            if most * (widest + 14.0) <= width:
                break
        return values

    @property
    def above(self) -> float:
        """Room of the title."""
        return 24.0 if self.title else 8.0

    @property
    def below(self) -> float:
        """Room of the numbers along x and their title."""
        return _TICK_ROOM + (_TITLE_ROOM if self.x_title else 0.0)

    def margin(self, height: float) -> float:
        """Give the room of the numbers along y and their title."""
        marks = _y_ticks(self.ends()[1], height - self.above - self.below)
        numbers = max((text_width(self.y_text(value), LETTER) for value in marks), default=0.0)
        return numbers + 8.0 + (20.0 if self.y_title else 0.0)

    def in_words(self) -> str:
        """Describe what the panel shows, of whom, and from where to where."""
        names = list(dict.fromkeys(line.name for line in self.series if line.name and not line.guide))
        x, y = self.ends()
        shown = ": ".join(filter(None, (self.title, self.y_title))) or "Values"
        return (
            f"{shown} from {self.y_text(y[0])} to {self.y_text(y[1])} "
            f"by {self.x_title or 'place'} from {self.x_text(x[0])} to {self.x_text(x[1])}"
            f"{' of ' if names else ''}{', '.join(names)}."
        )


def curves(title: str, panels: Sequence[Panel], *, columns: int = 1, width: float = 900.0) -> Figure:
    """Draw the panels in rows of so many columns, below the title and the legend."""
    entries: dict[str, Entry] = {}
    for line in (line for panel in panels for line in panel.series if line.listed and line.name):
        hollow = bool(line.hollow) and all(line.hollow)
        entry = Entry(line.name, line.number, line.line, line.marks, line.guide, hollow)
        entries.setdefault(line.name, entry)
    top = _TOP + legend_height(list(entries.values()), width)
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    heights = [max(panel.height for panel in row) for row in rows]
    description = " ".join(panel.in_words() for panel in panels)
    root = blank(title, description, width, top + sum(heights) + EDGE)
    legend(root, list(entries.values()), _TOP, width)
    column = (width - 2 * EDGE + _GAP) / columns - _GAP
    margins = [  # panels above one another share the widest
        max(row[place].margin(height) for row, height in zip(rows, heights, strict=True) if place < len(row))
        for place in range(min(columns, len(panels)))
    ]
    for row, height in zip(rows, heights, strict=True):
        for place, panel in enumerate(row):
            left = EDGE + place * (column + _GAP)
            _draw(root, panel, Box(left, top, left + column, top + height), margins[place])
        top += height
    return Figure(title, description, root)


def _ratios(values: Iterable[float]) -> Point:
    """Give the range of positive numbers with a margin at both ends, in ratios."""
    positive = [value for value in values if math.isfinite(value) and value > 0]
    if not positive:
        return 1.0, 10.0
    room = max((max(positive) / min(positive)) ** 0.05, 1.1)
    return min(positive) / room, max(positive) * room


def _y_ticks(y: Point, height: float) -> list[float]:
    return ticks(*y, most=max(2, int(height // 40)))


def _draw(root: Element, panel: Panel, room: Box, margin: float) -> None:
    """Draw a panel in its room: title, axes with their titles, lines, and marks over all lines."""
    x, y = panel.ends()
    box = Box(room.left + margin, room.top + panel.above, room.right - 12.0, room.bottom - panel.below)
    if panel.title:
        place = {"x": box.left, "y": room.top + 14}
        fitted(root, panel.title, 13.0, room.right - box.left, **place, class_="subheading")
    axes = Axes(root, box, x, y, logarithmic=panel.logarithmic)
    axes.axes(
        shortened(panel.x_title, LETTER, box.right - box.left),
        x_ticks=panel.x_ticks(x, box.right - box.left),
        y_ticks=_y_ticks(y, box.bottom - box.top),
        x_text=panel.x_text,
        y_text=panel.y_text,
        title_drop=_TICK_ROOM + 11.0,
        tick_drop=16.0,
    )
    if panel.y_title:
        where = f"translate({short(room.left + 10)} {short((box.top + box.bottom) / 2)}) rotate(-90)"
        shown = shortened(panel.y_title, LETTER, box.bottom - box.top + 20)
        element(root, "text", shown, transform=where, text_anchor="middle", class_="title")
    for draw in (_intervals, _line, _marks):
        for series in panel.series:
            draw(axes, series)
    _peaks(axes, [series for series in panel.series if series.at_peak and len(series.y)])


def _finite(values: Iterable[float]) -> list[float]:
    return [value if math.isfinite(value) else math.nan for value in values]


def _intervals(axes: Axes, series: Series) -> None:
    colour = colour_of(series.number)
    if series.to_zero:
        xs, ys = series.stepped()
        axes.area(xs, [0.0 if math.isfinite(y) else math.nan for y in ys], ys, f"area-{colour}")
    if series.low is None or series.high is None:
        return
    if series.interval != "whiskers":
        faint = series.interval == "faint"
        axes.area(series.x, series.low, series.high, f"area-{colour}{' faint' if faint else ''}")
        for ends in () if faint else (series.low, series.high):  # where bands overlap edges tell them apart
            axes.line(series.x, _finite(ends), f"line-{colour} edge", dash_of(series.number))
        return
    for x, low, high in zip(series.x, series.low, series.high, strict=True):
        if not (math.isnan(low) or math.isnan(high)):
            axes.whisker(x, low, high, f"line-{colour} thin")


def _line(axes: Axes, series: Series) -> None:
    if not series.line:
        return
    kind = "guide" if series.guide else f"line-{colour_of(series.number)} stroke"
    dash = "" if series.guide or series.to_zero else dash_of(series.number)
    xs, ys = series.stepped()
    axes.line(xs, _finite(ys), f"{kind} thin" if series.to_zero else kind, dash, series.name)


def _marks(axes: Axes, series: Series) -> None:
    """Draw the marks, smaller where they would run into a smear; infinity as a triangle that points there."""
    places = [axes.at(x, axes.y[0])[0] for x in series.x]
    apart = float(np.median(np.abs(np.diff(places)))) if len(places) > 1 else _CROWDED
    size = min(1.0, max(0.45, apart / _CROWDED))
    hollow = series.hollow or [False] * len(series.x)
    titles = series.titles or [""] * len(series.x)
    for x, y, outline, title in zip(series.x, series.y, hollow, titles, strict=True):
        if math.isinf(y):
            place, edge = axes.at(x, y)
            path = f"M{short(place)} {short(edge)}l5 {8 if y > 0 else -8}h-10z"
            kind = f"mark-{colour_of(series.number)} beyond-{'above' if y > 0 else 'below'}"
            element(axes.root, "path", tip=title, d=path, class_=kind)
        elif series.marks and not math.isnan(y):
            place_mark(axes.root, axes.at(x, y), series.number, title, hollow=outline, size=size)


def _peaks(axes: Axes, labelled: Sequence[Series]) -> None:
    """Write labels over the peaks, the lowest first, each as low as it can be without lying on another."""
    placed: list[tuple[float, float, float]] = []
    peaks = [(line, int(np.argmax(line.y)) if line.peak is None else line.peak) for line in labelled]
    for series, peak in sorted(peaks, key=lambda pair: (pair[0].y[pair[1]], pair[0].x[pair[1]])):
        across, base = axes.at(series.x[peak], series.y[peak])
        label = shortened(series.at_peak, LETTER, _LONGEST_LABEL)
        half = text_width(label, LETTER) / 2
        across = min(max(across, axes.box.left + half), axes.box.right - half)
        base -= 6.0
        while base > axes.box.top and any(
            abs(base - other) < LETTER + 1 and across - half < right and left < across + half
            for left, right, other in placed
        ):
            base -= 3.0
        placed.append((across - half, across + half, base))
        axes.text(across, base, label, "middle", f"word-{colour_of(series.number)} halo")


# Densities -----------------------------------------------------------------------------------------------

Density = tuple[str, Floats, Floats]
"""A name, places, and the density there."""


def density_figure(title: str, densities: Sequence[Density], ends: Point, x_title: str) -> Figure:
    """Draw probability densities within the range `ends`; where they are few, with names at the peaks."""
    drawn = [density_series(each, ends, number) for number, each in enumerate(densities)]
    if len(drawn) <= _LABELLED:
        drawn = [replace(series, at_peak=series.name) for series in drawn]
    top = 1.12 * max((height for series in drawn for height in series.y), default=1.0)  # two rows of names
    panel = Panel(drawn, x_title=x_title, y_title="probability density", x=ends, y=(0, top), height=440)
    return curves(title, [panel])


def density_series(density: Density, ends: Point, number: int) -> Series:
    """Make a line without marks of a density, as fine as is seen, and only where it is seen."""
    name, xs, ys = density
    places = np.linspace(*ends, _DENSITY_POINTS)
    heights = np.interp(places, xs, ys, left=0.0, right=0.0)
    seen = heights > heights.max() / 2000
    return Series(name, places[seen].tolist(), heights[seen].tolist(), number=number, marks=False)
