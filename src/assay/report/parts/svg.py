"""Small figures as SVG that stands in the page itself.

Why not plotly, which other figures here use: its JavaScript alone is 4.8 MB, and a page with six figures for
each of forty players would start 240 plots. This is markup that the browser draws at once, prints well, and
colours by the page's own style sheet, so light, dark and paper need no second drawing.

Elements are built as a tree: the library escapes every text and attribute, none is pasted together here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from xml.etree import ElementTree

import numpy as np
from markupsafe import Markup

Element = ElementTree.Element
Point = tuple[float, float]

_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 12.0, 8.0, 32.0  # room for the labels of the axes


def short(number: float) -> str:
    """A coordinate: a tenth of a unit is finer than any screen."""
    return f"{number:.1f}".removesuffix(".0")


def markup(element: Element) -> Markup:
    """An element as text that templates do not escape once more."""
    return Markup(ElementTree.tostring(element, encoding="unicode"))


def element(parent: Element | None, tag: str, text: str | None = None, **attributes: str) -> Element:
    """A new element within its parent; `class_` and `text_anchor` stand for `class` and `text-anchor`."""
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    made = Element(tag, named) if parent is None else ElementTree.SubElement(parent, tag, named)
    made.text = text
    return made


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers within a range: steps of 1, 2 or 5 times a power of ten, no more than `most` of them."""
    width = high - low
    if not (math.isfinite(width) and width > 0):
        return [low]
    power = 10.0 ** math.floor(math.log10(width / most))
    for step in (power, 2 * power, 5 * power, 10 * power, 20 * power):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            break
    return [round(step * place, 10) + 0.0 for place in range(first, last + 1)]


class Panel:
    """One small figure: a range on each axis, and marks in the units of the axes."""

    def __init__(
        self, label: str, x: Point, y: Point, *, width: float = 300, height: float = 180, square: bool = False
    ) -> None:
        """`label` is what those hear who do not see the figure; `square` leaves the axes one scale."""
        self.x, self.y = _widened(x), _widened(y)
        self._height = height
        self._span = (_LEFT, width - _RIGHT)
        if square:
            side, middle = height - _TOP - _BOTTOM, (_LEFT + width - _RIGHT) / 2
            self._span = (middle - side / 2, middle + side / 2)
        view = f"0 0 {width:g} {height:g}"
        self.root = element(None, "svg", viewBox=view, role="img", aria_label=label, class_="panel")

    def markup(self) -> Markup:
        """The figure for the page."""
        return markup(self.root)

    def at(self, x: float, y: float) -> Point:
        """Where a point in units of the axes lies on the canvas; beyond the axes it stays at their end."""
        across = (min(max(x, self.x[0]), self.x[1]) - self.x[0]) / (self.x[1] - self.x[0])
        up = (min(max(y, self.y[0]), self.y[1]) - self.y[0]) / (self.y[1] - self.y[0])
        left, right = self._span
        bottom = self._height - _BOTTOM
        return left + across * (right - left), bottom - up * (bottom - _TOP)

    def axes(
        self,
        x_title: str,
        *,
        x_ticks: Sequence[float] | None = None,
        y_ticks: Sequence[float] | None = None,
        x_text: Callable[[float], str] = "{:g}".format,
        y_text: Callable[[float], str] = "{:g}".format,
    ) -> Panel:
        """Grid lines with numbers, and the title of the horizontal axis."""
        left, right = self._span
        for value in ticks(*self.y, most=4) if y_ticks is None else y_ticks:
            height = self.at(self.x[0], value)[1]
            self._rule(left, height, right, height, "grid")
            self.text(left - 5, height + 3.5, y_text(value), "end")
        bottom = self._height - _BOTTOM
        self._rule(left, bottom, right, bottom, "axis")
        for value in ticks(*self.x) if x_ticks is None else x_ticks:
            place = self.at(value, self.y[0])[0]
            self._rule(place, bottom, place, bottom + 3, "axis")
            self.text(place, bottom + 13, x_text(value), "middle")
        self.text((left + right) / 2, self._height - 4, x_title, "middle", "title")
        return self

    def text(self, x: float, y: float, text: str, anchor: str, kind: str = "tick") -> None:
        """Text at a place of the canvas."""
        element(self.root, "text", text, x=short(x), y=short(y), text_anchor=anchor, class_=kind)

    def line(self, xs: Iterable[float], ys: Iterable[float], kind: str) -> None:
        """A line through points."""
        element(self.root, "polyline", points=self._points(xs, ys), class_=kind)

    def area(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], kind: str) -> None:
        """The area between two lines."""
        around = self._points([*xs, *reversed(xs)], [*high, *reversed(low)])
        element(self.root, "polygon", points=around, class_=kind)

    def bars(self, edges: Sequence[float], heights: Sequence[float], kind: str) -> None:
        """Bars between edges, a hair apart; one path for all."""
        path = []
        for first, last, height in zip(edges[:-1], edges[1:], heights, strict=True):
            (left, bottom), (right, top) = self.at(first, 0.0), self.at(last, height)
            if bottom - top > 0.05:
                path.append(
                    f"M{short(left + 0.5)} {short(bottom)}V{short(top)}H{short(right - 0.5)}V{short(bottom)}z"
                )
        element(self.root, "path", d="".join(path), class_=kind)

    def cells(self, cells: Iterable[tuple[int, int]], size: int, kind: str, opacity: float) -> None:
        """Cells (row from the top, column) of a square grid that share one shade; one path for all."""
        left, right = self._span
        side = (right - left) / size
        path = "".join(
            f"M{short(left + column * side)} {short(_TOP + row * side)}h{side:.2f}v{side:.2f}h-{side:.2f}z"
            for row, column in cells
        )
        if path:
            element(self.root, "path", d=path, class_=kind, fill_opacity=f"{opacity:.2f}")

    def dot(self, x: float, y: float, kind: str, radius: float = 3.5, title: str = "") -> None:
        """A dot, with what is shown where the pointer rests on it."""
        across, down = self.at(x, y)
        made = element(self.root, "circle", cx=short(across), cy=short(down), r=short(radius), class_=kind)
        if title:
            element(made, "title", title)

    def specks(self, points: Iterable[Point], kind: str, stroke: str) -> None:
        """The same small stroke at many points; one path, for there may be hundreds on each of many cards."""
        places = (self.at(x, y) for x, y in points)
        path = "".join(f"M{short(x)} {short(y)}{stroke}" for x, y in places)
        element(self.root, "path", d=path, class_=kind)

    def segment(self, start: Point, end: Point, kind: str) -> None:
        """A straight line between two points."""
        self._rule(*self.at(*start), *self.at(*end), kind)

    def _rule(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        ends = {
            name: short(value) for name, value in zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2), strict=True)
        }
        element(self.root, "line", class_=kind, **ends)

    def _points(self, xs: Iterable[float], ys: Iterable[float]) -> str:
        places = (self.at(x, y) for x, y in zip(xs, ys, strict=True))
        return " ".join(f"{short(x)},{short(y)}" for x, y in places)


def _widened(ends: Point) -> Point:
    """A range that has a width, whatever it was."""
    low, high = ends
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def span(values: Iterable[float], margin: float = 0.06) -> Point:
    """The range of the finite values with some room at both ends; 0 to 1 where there are none."""
    known = np.array([value for value in values if math.isfinite(value)])
    if not len(known):
        return 0.0, 1.0
    room = margin * float(known.max() - known.min()) or 0.5
    return float(known.min()) - room, float(known.max()) + room
