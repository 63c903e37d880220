"""Everyone against everyone as a square of colours, with the numbers in it: grey paper loses nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.decisions.arrays import Floats
from assay.figures.figure import EDGE, LETTER, Figure, blank
from assay.figures.svg import Element, element, short, shortened, text_width

_SIDE = 34.0
_LONGEST = 230.0
"""Room of a name; the rest of a longer one is shown by the pointer."""

_DEEPEST = 0.72
"""Opacity of the extremes: letters must be read on them."""

_SLANT = math.radians(60)
_TOP = 44.0
_SCALE = 62.0
"""Room of the scale of colours below."""


def heatmap(title: str, names: Sequence[str], percent: Floats) -> Figure:
    """Draw rows against columns, with the same names; the colour of a cell is its distance from 50%.

    What is NaN, or lies on the diagonal, is left empty.
    """
    size = len(names)
    shown = [shortened(name, LETTER, _LONGEST, end=5) for name in names]
    widest = max((text_width(name, LETTER) for name in shown), default=0.0)
    left, top = EDGE + widest + 8.0, _TOP + widest * math.sin(_SLANT) + 18.0
    lean = widest * math.cos(_SLANT) + 12.0  # the last column's name leans over the edge of the square
    width = max(left + size * _SIDE + lean + EDGE, 2 * EDGE + text_width(title, 17.0), 360.0)
    cells = {
        (row, column): (float(percent[row, column]), f"{name} against {other}")
        for row, name in enumerate(names)
        for column, other in enumerate(names)
        if row != column and math.isfinite(percent[row, column])
    }
    words = {place: f"{pair}: {value:.1f}%" for place, (value, pair) in cells.items()}
    in_order = sorted((value, words[place]) for place, (value, _) in cells.items())
    ends = f" Highest: {in_order[-1][1]}; lowest: {in_order[0][1]}." if in_order else ""
    description = f"{size} rows against as many columns.{ends}"
    root = blank(title, description, width, top + size * _SIDE + _SCALE)
    for place, (name, letters) in enumerate(zip(names, shown, strict=True)):
        centre = (place + 0.5) * _SIDE
        tip = name if letters != name else ""
        y = top + centre + 4
        element(root, "text", letters, tip=tip, x=left - 8, y=y, text_anchor="end", class_="name")
        turned = f"translate({short(left + centre + 4)} {short(top - 8)}) rotate(-60)"
        element(root, "text", letters, tip=tip, transform=turned, class_="name")
    for row in range(size):
        for column in range(size):
            value, _ = cells.get((row, column), (math.nan, ""))
            at_cell = left + column * _SIDE, top + row * _SIDE
            _cell(root, at_cell, value, words.get((row, column), ""))
    for step in range(5):  # the scale of colours
        at_cell = left + step * _SIDE, top + size * _SIDE + 18.0
        _cell(root, at_cell, 25.0 * step)
    return Figure(title, description, root)


def _cell(root: Element, place: tuple[float, float], percent: float, tip: str = "") -> None:
    """Draw a cell with its number, and what a pointer shows."""
    group = element(root, "g", tip=tip)
    x, y = place
    square = element(group, "rect", x=x, y=y, width=_SIDE - 1, height=_SIDE - 1)
    if math.isnan(percent):
        square.set("class", "self")
        return
    square.set("class", "ahead" if percent >= 50 else "behind")
    square.set("fill-opacity", f"{_DEEPEST * abs(percent / 50 - 1):.2f}")
    x, y = x + _SIDE / 2, y + _SIDE / 2 + 4
    element(group, "text", f"{percent:.0f}", x=x, y=y, text_anchor="middle", class_="number")
