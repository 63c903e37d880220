"""Axes: a range on each, marks in the units of the axes, and round numbers along them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.figures.svg import Element, Point, Svg, element, markup, short

Text = Callable[[float], str]
"""How the numbers of an axis are written."""

PLAIN: Text = "{:g}".format

_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 12.0, 8.0, 32.0  # room for the labels of a small figure


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Choose round numbers within a range: steps of 1, 2 or 5 times a power of ten, at most `most`."""
    width = high - low
    if not (math.isfinite(width) and width > 0):
        return [low]
    power = 10.0 ** math.floor(math.log10(width / most))
    for step in (power, 2 * power, 5 * power, 10 * power, 20 * power):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            break
    return [round(step * place, 10) + 0.0 for place in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Choose 1, 2 and 5 times powers of ten for a logarithmic axis, or the powers alone if those do."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1,)):
        values = [step * 10.0**power for power in powers for step in steps]
        values = [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
        if len(values) <= most:
            break
    return values[:: math.ceil(len(values) / most)] if values else [low, high]


def month_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Choose beginnings of months or years for an axis in years, at most `most`."""
    for months in (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200):
        first, last = math.ceil(12 * low / months - 1e-9), math.floor(12 * high / months + 1e-9)
        if last - first < most:
            break
    return [months * place / 12 for place in range(first, last + 1)]


def span(values: Iterable[float], margin: float = 0.06) -> Point:
    """Give the range of the finite values with a margin at both ends; 0 to 1 where there are none."""
    finite = np.array([value for value in values if math.isfinite(value)])
    if not len(finite):
        return 0.0, 1.0
    room = margin * float(finite.max() - finite.min()) or 0.5
    return float(finite.min()) - room, float(finite.max()) + room


def widened(ends: Point) -> Point:
    """Give a range a width if it has none."""
    low, high = ends
    return (low, high) if high > low else (low - 0.5, low + 0.5)


@dataclass(frozen=True)
class Box:
    """Where the axes are on the canvas."""

    left: float
    top: float
    right: float
    bottom: float


class Axes:
    """Two axes in a box of a drawing."""

    def __init__(self, root: Element, box: Box, x: Point, y: Point, *, logarithmic: bool = False) -> None:
        """`logarithmic`: equal steps of x are equal ratios."""
        self.root, self.box = root, box
        self.x, self.y = widened(x), widened(y)
        self._logarithmic = logarithmic

    def markup(self) -> Svg:
        """Write the whole drawing as text."""
        return markup(self.root)

    def at(self, x: float, y: float) -> Point:
        """Place a point in units of the axes on the canvas; beyond the axes it stays at their end."""
        scale: Callable[[float], float] = math.log if self._logarithmic else float
        low, value, high = map(scale, (self.x[0], min(max(x, self.x[0]), self.x[1]), self.x[1]))
        across = (value - low) / (high - low)
        up = (min(max(y, self.y[0]), self.y[1]) - self.y[0]) / (self.y[1] - self.y[0])
        box = self.box
        return box.left + across * (box.right - box.left), box.bottom - up * (box.bottom - box.top)

    def axes(
        self,
        x_title: str = "",
        *,
        x_ticks: Sequence[float] | None = None,
        y_ticks: Sequence[float] | None = None,
        x_text: Text = PLAIN,
        y_text: Text = PLAIN,
        title_drop: float = 28.0,
        tick_drop: float = 13.0,
    ) -> Axes:
        """Draw grid lines with numbers, and the title of the horizontal axis."""
        box = self.box
        for value, label in _labelled(ticks(*self.y, most=4) if y_ticks is None else y_ticks, y_text):
            height = self.at(self.x[0], value)[1]
            self.rule((box.left, height), (box.right, height), "grid")
            self.text(box.left - 5, height + 3.5, label, "end")
        self.rule((box.left, box.bottom), (box.right, box.bottom), "axis")
        marks = log_ticks(*self.x) if self._logarithmic else ticks(*self.x)
        for value, label in _labelled(marks if x_ticks is None else x_ticks, x_text):
            place = self.at(value, self.y[0])[0]
            self.rule((place, box.bottom), (place, box.bottom + 3), "axis")
            self.text(place, box.bottom + tick_drop, label, "middle")
        if x_title:
            self.text((box.left + box.right) / 2, box.bottom + title_drop, x_title, "middle", "title")
        return self

    def text(self, x: float, y: float, text: str, anchor: str, kind: str = "tick") -> Element:
        """Write text at a place of the canvas."""
        return element(self.root, "text", text, x=x, y=y, text_anchor=anchor, class_=kind)

    def rule(self, start: Point, end: Point, kind: str) -> Element:
        """Draw a straight line between two places of the canvas."""
        (x1, y1), (x2, y2) = start, end
        return element(self.root, "line", class_=kind, x1=x1, y1=y1, x2=x2, y2=y2)

    # Marks -----------------------------------------------------------------------------------------------

    def line(
        self, xs: Iterable[float], ys: Iterable[float], kind: str, dash: str = "", tip: str = ""
    ) -> None:
        """Draw a line through points, with a gap where a value is NaN."""
        dashes = {"stroke_dasharray": dash} if dash else {}
        for run in _runs(zip(xs, ys, strict=True)):
            element(self.root, "polyline", tip=tip, points=self._points(run), class_=kind, **dashes)

    def area(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], kind: str) -> None:
        """Fill the area between two lines, with a gap where an end is NaN."""
        for run in _runs(zip(xs, low, high, strict=True)):
            around = [(x, upper) for x, _, upper in run] + [(x, lower) for x, lower, _ in reversed(run)]
            element(self.root, "polygon", points=self._points(around), class_=kind)

    def bars(self, edges: Sequence[float], heights: Sequence[float], kind: str) -> None:
        """Draw bars between edges, a hair apart; one path for all."""
        path = []
        for first, last, height in zip(edges[:-1], edges[1:], heights, strict=True):
            (left, bottom), (right, top) = self.at(first, 0.0), self.at(last, height)
            if bottom - top > 0.05:
                sides = f"V{short(top)}H{short(right - 0.5)}V{short(bottom)}"
                path.append(f"M{short(left + 0.5)} {short(bottom)}{sides}z")
        element(self.root, "path", d="".join(path), class_=kind)

    def cells(self, cells: Iterable[tuple[int, int]], size: int, kind: str, opacity: float) -> None:
        """Fill the cells (row from the top, column) of a square grid that share one shade, as one path."""
        box = self.box
        side = (box.right - box.left) / size
        path = "".join(
            f"M{short(box.left + column * side)} {short(box.top + row * side)}"
            f"h{side:.2f}v{side:.2f}h-{side:.2f}z"
            for row, column in cells
        )
        if path:
            element(self.root, "path", d=path, class_=kind, fill_opacity=f"{opacity:.2f}")

    def dot(self, x: float, y: float, kind: str, radius: float = 3.5, tip: str = "") -> None:
        """Draw a dot, with what is shown where the pointer rests on it."""
        across, down = self.at(x, y)
        element(self.root, "circle", tip=tip, cx=across, cy=down, r=radius, class_=kind)

    def whisker(self, x: float, low: float, high: float, kind: str, cap: float = 3.0) -> None:
        """Draw an upright interval with a bar at either end."""
        (across, bottom), (_, top) = self.at(x, low), self.at(x, high)
        path = f"M{short(across)} {short(bottom)}V{short(top)}"
        for place in (bottom, top):
            path += f"M{short(across - cap)} {short(place)}h{short(2 * cap)}"
        element(self.root, "path", d=path, class_=kind)

    def specks(self, points: Iterable[Point], kind: str, stroke: str) -> None:
        """Draw the same small stroke at many points; one path, for there may be hundreds on each card."""
        places = (self.at(x, y) for x, y in points)
        path = "".join(f"M{short(x)} {short(y)}{stroke}" for x, y in places)
        element(self.root, "path", d=path, class_=kind)

    def segment(self, start: Point, end: Point, kind: str) -> None:
        """Draw a straight line between two points in units of the axes."""
        self.rule(self.at(*start), self.at(*end), kind)

    def _points(self, points: Iterable[Sequence[float]]) -> str:
        places = (self.at(point[0], point[1]) for point in points)
        return " ".join(f"{short(x)},{short(y)}" for x, y in places)


def small_axes(
    label: str, x: Point, y: Point, *, width: float = 300, height: float = 180, square: bool = False
) -> Axes:
    """Begin a small figure for a page that has its caption: one pair of axes.

    `label` is read out to those who do not see it; with `square` both axes have one scale.
    """
    view = f"0 0 {width:g} {height:g}"
    root = element(None, "svg", viewBox=view, role="img", aria_label=label, class_="panel drawn")
    left, right, bottom = _LEFT, width - _RIGHT, height - _BOTTOM
    if square:
        side, middle = bottom - _TOP, (left + right) / 2
        left, right = middle - side / 2, middle + side / 2
    return Axes(root, Box(left, _TOP, right, bottom), x, y)


def _labelled(values: Sequence[float], text: Text) -> Iterator[tuple[float, str]]:
    """Give each number with its label, but no label twice in a row: rounding may make them alike."""
    last = None
    for value in values:
        label = text(value)
        if label != last or not label:
            yield value, label
        last = label


def _runs(points: Iterable[tuple[float, ...]]) -> Iterator[list[tuple[float, ...]]]:
    """Split points into runs without NaN."""
    run: list[tuple[float, ...]] = []
    for point in points:
        if any(math.isnan(value) for value in point):
            if run:
                yield run
            run = []
        else:
            run.append(point)
    if run:
        yield run
