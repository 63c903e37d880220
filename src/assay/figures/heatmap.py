"""Everyone against everyone as a square of colours, with the numbers in it: grey paper loses nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from assay.decisions.arrays import Floats
from assay.figures.figure import EDGE, LETTER, Figure, blank
from assay.figures.svg import Element, element, short, shortened, text_width, titled

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
    between: str = "against",
    description: str = "",
) -> Figure:
    """Rows against columns, with the same names; a cell is coloured by how far it is from the middle.

    `reach` is the distance from the middle that has the full colour. What is NaN, or lies on the diagonal, is
    left empty. `exact` writes a number for the pointer.
    """
    size = len(names)
    shown = [shortened(name, LETTER, _LONGEST, end=5) for name in names]
    widest = max((text_width(name, LETTER) for name in shown), default=0.0)
    left, top = EDGE + widest + 8.0, _TOP + widest * math.sin(_SLANT) + 18.0
    lean = widest * math.cos(_SLANT) + 12.0  # the last column's name leans over the edge of the square
    width = max(left + size * _SIDE + lean + EDGE, 2 * EDGE + text_width(title, 17.0), 360.0)
    height = top + size * _SIDE + _SCALE
    described = description or _described(names, values, exact or text, between)
    root = blank(title, described, width, height)
    _names(root, names, shown, left, top)
    for row, name in enumerate(names):
        for column, other in enumerate(names):
            place = left + column * _SIDE, top + row * _SIDE
            value = math.nan if row == column else float(values[row, column])
            words = f"{name} {between} {other}: {(exact or text)(value)}" if math.isfinite(value) else ""
            _cell(root, place, (value - middle) / reach, text(value) if words else "", words)
    _scale(root, left, top + size * _SIDE + 18.0, [middle + reach * step / 2 for step in range(-2, 3)], text)
    return Figure(title, described, root)


def _names(root: Element, names: Sequence[str], shown: Sequence[str], left: float, top: float) -> None:
    for place, (name, letters) in enumerate(zip(names, shown, strict=True)):
        centre = (place + 0.5) * _SIDE
        row = element(
            root,
            "text",
            letters,
            x=short(left - 8),
            y=short(top + centre + 4),
            text_anchor="end",
            class_="name",
        )
        turned = f"translate({short(left + centre + 4)} {short(top - 8)}) rotate(-60)"
        column = element(root, "text", letters, transform=turned, class_="name")
        for made in (row, column) if letters != name else ():
            titled(made, name)


def _cell(root: Element, place: tuple[float, float], strength: float, number: str, words: str) -> None:
    """One cell: how far ahead or behind from -1 to 1, what is written in it, and what a pointer shows."""
    group = titled(element(root, "g"), words)
    _square(group, place, strength)
    if number:
        x, y = place[0] + _SIDE / 2, place[1] + _SIDE / 2 + 4
        element(group, "text", number, x=short(x), y=short(y), text_anchor="middle", class_="number")


def _square(parent: Element, place: tuple[float, float], strength: float) -> None:
    side = short(_SIDE - 1)
    made = element(parent, "rect", x=short(place[0]), y=short(place[1]), width=side, height=side)
    if math.isnan(strength):
        made.set("class", "self")
    else:
        made.set("class", "ahead" if strength >= 0 else "behind")
        made.set("fill-opacity", f"{_DEEPEST * min(abs(strength), 1.0):.2f}")


def _scale(
    root: Element, left: float, top: float, values: Sequence[float], text: Callable[[float], str]
) -> None:
    for place, value in enumerate(values):
        strength = place / (len(values) - 1) * 2 - 1
        _cell(root, (left + place * _SIDE, top), strength, text(value), "")


def _described(names: Sequence[str], values: Floats, text: Callable[[float], str], between: str) -> str:
    """The highest and the lowest cell in words."""
    cells = [
        (float(values[row, column]), f"{one} {between} {other}: {text(float(values[row, column]))}")
        for row, one in enumerate(names)
        for column, other in enumerate(names)
        if row != column and math.isfinite(values[row, column])
    ]
    ends = f" Highest: {max(cells)[1]}; lowest: {min(cells)[1]}." if cells else ""
    return f"{len(names)} rows {between} as many columns.{ends}"
