"""Everyone against everyone as a square of colours, with the numbers in it: grey paper loses nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

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


def heatmap(
    title: str,
    names: Sequence[str],
    values: Floats,
    *,
    middle: float = 0.5,
    reach: float = 0.5,
    text: Callable[[float], str] = "{:.2f}".format,
    exact: Callable[[float], str] | None = None,
) -> Figure:
    """Draw rows against columns, with the same names; the colour of a cell is its distance from the middle.

    `reach` is the distance from the middle that has the full colour. What is NaN, or lies on the diagonal, is
    left empty. `exact` writes a number for the pointer.
    """
    size = len(names)
    shown = [shortened(name, LETTER, _LONGEST, end=5) for name in names]
    widest = max((text_width(name, LETTER) for name in shown), default=0.0)
    left, top = EDGE + widest + 8.0, _TOP + widest * math.sin(_SLANT) + 18.0
    lean = widest * math.cos(_SLANT) + 12.0  # the last column's name leans over the edge of the square
    width = max(left + size * _SIDE + lean + EDGE, 2 * EDGE + text_width(title, 17.0), 360.0)
    cells = {
        (row, column): (float(values[row, column]), f"{name} against {other}: ")
        for row, name in enumerate(names)
        for column, other in enumerate(names)
        if row != column and math.isfinite(values[row, column])
    }
    words = {place: f"{pair}{(exact or text)(value)}" for place, (value, pair) in cells.items()}
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
            number = text(value) if math.isfinite(value) else ""
            at_cell = left + column * _SIDE, top + row * _SIDE
            _cell(root, at_cell, (value - middle) / reach, number, words.get((row, column), ""))
    for step in range(5):  # the scale of colours
        at_cell = left + step * _SIDE, top + size * _SIDE + 18.0
        _cell(root, at_cell, step / 2 - 1, text(middle + reach * (step - 2) / 2), "")
    return Figure(title, description, root)


def _cell(root: Element, place: tuple[float, float], strength: float, number: str, tip: str) -> None:
    """Draw a cell: how far ahead or behind from -1 to 1, what is written in it, and what a pointer shows."""
    group = element(root, "g", tip=tip)
    x, y = place
    square = element(group, "rect", x=x, y=y, width=_SIDE - 1, height=_SIDE - 1)
    if math.isnan(strength):
        square.set("class", "self")
    else:
        square.set("class", "ahead" if strength >= 0 else "behind")
        square.set("fill-opacity", f"{_DEEPEST * min(abs(strength), 1.0):.2f}")
    if number:
        x, y = x + _SIDE / 2, y + _SIDE / 2 + 4
        element(group, "text", number, x=x, y=y, text_anchor="middle", class_="number")
