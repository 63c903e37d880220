"""Figures of lines: one panel or several, each with its axes, and a legend for all.

Lines differ by colour, by dashes and by the shape of their marks, so that they are told apart on grey paper
too. What a pointer shows of a point is the `title` of its mark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.figures.axes import PLAIN, Axes, Box, Text, line_look, log_ticks, span, ticks, widened
from assay.figures.figure import EDGE, LETTER, Entry, Figure, blank, legend, legend_height
from assay.figures.style import colour_of, dash_of
from assay.figures.svg import Element, Point, element, short, shortened, text_width, titled

_TOP = 46.0
"""Where what stands below the title begins."""

_TICK_ROOM, _TITLE_ROOM, _GAP = 24.0, 20.0, 22.0
_LONGEST_LABEL = 130.0
"""Room of a label within a panel; the legend has the whole name."""

_CROWDED = 14.0
"""Marks that are closer than so many units are drawn smaller."""


@dataclass(frozen=True)
class Series:
    """One line: its points, an interval about each if there is one, and how it is drawn."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    """NaN leaves a gap; infinity is a mark at the end of the axis."""
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    interval: Literal["whiskers", "band"] = "whiskers"
    number: int = 0
    """The number of its look: colour, dashes and shape."""
    line: bool = True
    marks: bool = True
    hollow: Sequence[bool] = ()
    """For each point whether its mark is an outline; for all, where none are given."""
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
    """A label at the highest point."""


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

    def ends(self) -> tuple[Point, Point]:
        """The ranges of both axes."""
        xs = [value for one in self.series for value in one.x]
        ys = [value for one in self.series for part in (one.y, one.low, one.high) for value in part or ()]
        x = self.x or (_ratios(xs) if self.logarithmic else span(xs, 0.03))
        return widened(x), widened(self.y or span(ys))

    def x_ticks(self, x: Point, most: int) -> list[float]:
        """The numbers along x."""
        found = log_ticks(*x, most) if self.logarithmic else ticks(*x, most)
        return [one for one in found if one == int(one)] if self.whole_x else found


def curves(
    title: str, panels: Sequence[Panel], *, columns: int = 1, width: float = 900.0, description: str = ""
) -> Figure:
    """The panels in rows of so many columns, below the title and the legend."""
    entries = _entries(panels)
    top = _TOP + legend_height(entries, width)
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    heights = [max(panel.height for panel in row) for row in rows]
    described = description or _described(panels)
    root = blank(title, described, width, top + sum(heights) + EDGE)
    legend(root, entries, _TOP, width)
    column = (width - 2 * EDGE + _GAP) / columns - _GAP
    margins = [
        max(
            _margin(row[place], height) for row, height in zip(rows, heights, strict=True) if place < len(row)
        )
        for place in range(min(columns, len(panels)))
    ]
    for row, height in zip(rows, heights, strict=True):
        for place, panel in enumerate(row):
            left = EDGE + place * (column + _GAP)
            box = _plot_box(panel, Box(left, top, left + column, top + height), margins[place])
            _draw(root, panel, Box(left, top, left + column, top + height), box)
        top += height
    return Figure(title, described, root)


def _ratios(values: Iterable[float]) -> Point:
    """The range of positive numbers with some room at both ends, in ratios."""
    known = [value for value in values if math.isfinite(value) and value > 0]
    if not known:
        return 1.0, 10.0
    room = max((max(known) / min(known)) ** 0.05, 1.1)
    return min(known) / room, max(known) * room


def _entries(panels: Sequence[Panel]) -> list[Entry]:
    """One for each name, in the order in which they first occur."""
    found: dict[str, Entry] = {}
    for one in (one for panel in panels for one in panel.series if one.listed and one.name):
        hollow = bool(one.hollow) and all(one.hollow)
        found.setdefault(one.name, Entry(one.name, one.number, one.line, one.marks, one.guide, hollow))
    return list(found.values())


def _described(panels: Sequence[Panel]) -> str:
    """The figure in words: what each panel shows, of whom, and from where to where."""
    return " ".join(_panel_in_words(panel) for panel in panels)


def _panel_in_words(panel: Panel) -> str:
    names = list(dict.fromkeys(one.name for one in panel.series if one.name and not one.guide))
    x, y = panel.ends()
    shown = (
        f"{panel.title}: {panel.y_title}" if panel.title and panel.y_title else panel.title or panel.y_title
    )
    return (
        f"{shown or 'Values'} from {panel.y_text(y[0])} to {panel.y_text(y[1])} "
        f"by {panel.x_title or 'place'} from {panel.x_text(x[0])} to {panel.x_text(x[1])}"
        f"{' of ' if names else ''}{', '.join(names)}."
    )


# Drawing -------------------------------------------------------------------------------------------------


def _draw(root: Element, panel: Panel, room: Box, box: Box) -> None:
    """A panel in its room: title, axes in their box with titles, lines, and marks over all lines."""
    x, y = panel.ends()
    if panel.title:
        shown = shortened(panel.title, 13.0, room.right - box.left)
        made = element(root, "text", shown, x=short(box.left), y=short(room.top + 14), class_="subheading")
        titled(made, panel.title if shown != panel.title else "")
    axes = Axes(root, box, x, y, logarithmic=panel.logarithmic)
    axes.axes(
        shortened(panel.x_title, LETTER, box.right - box.left),
        x_ticks=panel.x_ticks(x, _ticks_that_fit(panel, x, box.right - box.left)),
        y_ticks=_y_ticks(y, box.bottom - box.top),
        x_text=panel.x_text,
        y_text=panel.y_text,
        title_drop=_TICK_ROOM + 11.0,
        tick_drop=16.0,
    )
    if panel.y_title:
        middle = (box.top + box.bottom) / 2
        place = f"translate({short(room.left + 10)} {short(middle)}) rotate(-90)"
        shown = shortened(panel.y_title, LETTER, box.bottom - box.top + 20)
        element(root, "text", shown, transform=place, text_anchor="middle", class_="title")
    for draw in (_intervals, _line, _marks):
        for one in panel.series:
            draw(axes, one)
    _peaks(axes, [one for one in panel.series if one.at_peak and len(one.y)])


def _plot_box(panel: Panel, room: Box, margin: float) -> Box:
    top, bottom = _above(panel), _below(panel)
    return Box(room.left + margin, room.top + top, room.right - 12.0, room.bottom - bottom)


def _above(panel: Panel) -> float:
    return 24.0 if panel.title else 8.0


def _below(panel: Panel) -> float:
    return _TICK_ROOM + (_TITLE_ROOM if panel.x_title else 0.0)


def _margin(panel: Panel, height: float) -> float:
    """Room for the numbers along y and their title; panels above one another share the widest."""
    marks = _y_ticks(panel.ends()[1], height - _above(panel) - _below(panel))
    numbers = max((text_width(panel.y_text(one), LETTER) for one in marks), default=0.0)
    return numbers + 8.0 + (20.0 if panel.y_title else 0.0)


def _y_ticks(y: Point, height: float) -> list[float]:
    return ticks(*y, most=max(2, int(height // 40)))


def _ticks_that_fit(panel: Panel, x: Point, width: float) -> int:
    """How many numbers fit below the axis without touching."""
    most = 10
    while most > 2:
        widest = max(text_width(panel.x_text(one), LETTER) for one in panel.x_ticks(x, most) or [x[0]])
        if most * (widest + 14.0) <= width:
            break
        most -= 1
    return most


def _intervals(axes: Axes, one: Series) -> None:
    colour = colour_of(one.number)
    if one.to_zero:
        xs, ys = _stepped(one)
        axes.area(xs, [0.0 if math.isfinite(y) else math.nan for y in ys], ys, f"area-{colour}")
    if one.low is None or one.high is None:
        return
    if one.interval == "band":
        axes.area(one.x, one.low, one.high, f"area-{colour}")
        for ends in (one.low, one.high):  # bands that overlap are told apart by their edges
            known = [end if math.isfinite(end) else math.nan for end in ends]
            axes.line(one.x, known, f"line-{colour} edge", dash_of(one.number))
        return
    for x, low, high in zip(one.x, one.low, one.high, strict=True):
        if not (math.isnan(low) or math.isnan(high)):
            axes.whisker(x, low, high, f"line-{colour} thin")


def _line(axes: Axes, one: Series) -> None:
    if not one.line:
        return
    kind, dash = ("guide", "") if one.guide else line_look(one.number)
    xs, ys = _stepped(one)
    finite = [y if math.isfinite(y) else math.nan for y in ys]
    if one.to_zero:
        kind, dash = f"{kind} thin", ""
    axes.line(xs, finite, kind, dash, one.name)


def _stepped(one: Series) -> tuple[list[float], list[float]]:
    if not one.steps:
        return list(one.x), list(one.y)
    xs, ys = np.repeat(one.x, 2)[1:], np.repeat(one.y, 2)[:-1]
    return xs.tolist(), ys.tolist()


def _marks(axes: Axes, one: Series) -> None:
    hollow = one.hollow or [False] * len(one.x)
    titles = one.titles or [""] * len(one.x)
    size = _mark_size(axes, one)
    for x, y, outline, title in zip(one.x, one.y, hollow, titles, strict=True):
        if math.isinf(y):
            _beyond(axes, x, y, one.number, title)
        elif one.marks and not math.isnan(y):
            axes.mark(x, y, one.number, title, hollow=outline, size=size)


def _mark_size(axes: Axes, one: Series) -> float:
    """1, or less where the marks would run into a smear."""
    places = np.array([axes.at(x, axes.y[0])[0] for x in one.x])
    apart = float(np.median(np.abs(np.diff(places)))) if len(places) > 1 else _CROWDED
    return min(1.0, max(0.45, apart / _CROWDED))


def _beyond(axes: Axes, x: float, y: float, number: int, title: str) -> None:
    """A triangle at the end of the axis that points to where the value is."""
    place, edge = axes.at(x, y)
    path = f"M{short(place)} {short(edge)}l5 {8 if y > 0 else -8}h-10z"
    kind = f"mark-{colour_of(number)} beyond-{'above' if y > 0 else 'below'}"
    titled(element(axes.root, "path", d=path, class_=kind), title)


def _peaks(axes: Axes, labelled: Sequence[Series]) -> None:
    """Labels over the peaks, each as low as it can be without lying on another."""
    placed: list[tuple[float, float, float]] = []
    for one in sorted(labelled, key=lambda one: one.x[int(np.argmax(one.y))]):
        peak = int(np.argmax(one.y))
        across, down = axes.at(one.x[peak], one.y[peak])
        label = shortened(one.at_peak, LETTER, _LONGEST_LABEL)
        half = text_width(label, LETTER) / 2
        across = min(max(across, axes.box.left + half), axes.box.right - half)
        base = down - 6.0
        while base > axes.box.top and any(
            abs(base - other) < LETTER + 1 and across - half < right and left < across + half
            for left, right, other in placed
        ):
            base -= 3.0
        placed.append((across - half, across + half, base))
        axes.text(across, base, label, "middle", f"word-{colour_of(one.number)}")
