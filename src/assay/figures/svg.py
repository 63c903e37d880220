"""Elements of SVG, how wide a text is, and the colours, dashes and shapes that all figures share.

Elements are built as a tree: the library escapes every text and attribute. Names come from untrusted files,
so what XML may not hold (control characters, halves of surrogate pairs) is removed on the way.

Figures look right on light and dark ground, and their lines differ without colour too. In a page the colours
are variables of the style sheet (`page_style`), so that the page's choice of light or dark holds for its
figures. A file by itself (`alone_style`) has the colours written out, the dark ones in a media query:
programs that draw SVG but do not support variables show it right.
"""

from __future__ import annotations

import re
import unicodedata
from xml.etree import ElementTree

from assay.errors import printable

Element = ElementTree.Element
Point = tuple[float, float]

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif'

_NARROW = frozenset("iIjltfr.,:;'|!()[]{}-/ ")
_BROAD = frozenset("mwMW@%&—…")


class Svg(str):
    """Markup as text: templates that escape what they are given take it as it is, by `__html__`."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return the text itself."""
        return str(self)


def short(number: float) -> str:
    """Write a coordinate: a tenth of a unit is finer than any screen."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def markup(root: Element) -> Svg:
    """Write an element as text."""
    return Svg(ElementTree.tostring(root, encoding="unicode"))


def element(
    parent: Element | None, tag: str, text: str | None = None, tip: str = "", **attributes: str | float
) -> Element:
    """Add an element to its parent; `class_` and `text_anchor` stand for `class` and `text-anchor`.

    `tip` is what is shown where the pointer rests on it.
    """
    named = {
        name.rstrip("_").replace("_", "-"): printable(value) if isinstance(value, str) else short(value)
        for name, value in attributes.items()
    }
    child = Element(tag, named) if parent is None else ElementTree.SubElement(parent, tag, named)
    child.text = None if text is None else printable(text)
    if tip:
        element(child, "title", tip)
    return child


def text_width(text: str, size: float) -> float:
    """Bound the width of a text in any common font without serifs: too wide rather than cut off."""
    return size * sum(map(_letter_width, printable(text)))


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 0.41
    if letter in _BROAD:
        return 1.0
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.75 if letter.isupper() else 0.65


def shortened(text: str, size: float, room: float, end: int = 0) -> str:
    """Cut the text to what fits into the room, with an ellipsis and its last `end` letters."""
    text = printable(text)
    if text_width(text, size) <= room:
        return text
    last = "…" + text[len(text) - end :]
    begin = text[: len(text) - end]
    while begin and text_width(begin + last, size) > room:
        begin = begin[:-1]
    return begin.rstrip() + last


def fitted(parent: Element, text: str, size: float, room: float, **attributes: str | float) -> Element:
    """Add a text cut to its room; the pointer shows the whole where it was cut."""
    shown = shortened(text, size, room)
    return element(parent, "text", shown, tip=text if shown != text else "", **attributes)


# Looks ---------------------------------------------------------------------------------------------------

PALETTE = {
    "paper": ("#fbfaf7", "#14161a"),
    "ink": ("#1d1f23", "#e7e5df"),
    "soft": ("#5d626b", "#a3a8b1"),
    "line": ("#dfdcd4", "#343944"),
    "fill": ("#2f6f9f", "#6db3e0"),
    "ahead": ("#2c7fb8", "#3f94cf"),
    "behind": ("#d8743a", "#cf6a32"),
    # Okabe and Ito's colours, each a little darker or lighter where the ground asks for it.
    "mark-0": ("#0072b2", "#56a8e0"),
    "mark-1": ("#d55e00", "#f0803c"),
    "mark-2": ("#00825f", "#2cc295"),
    "mark-3": ("#b4508c", "#df93be"),
    "mark-4": ("#c08400", "#f0b429"),
    "mark-5": ("#3f8fc4", "#8fd0f5"),
    "mark-6": ("#6b6b6b", "#b5b5b5"),
    "mark-7": ("#7a5c00", "#f0e442"),
}
"""Each colour on a light ground and on a dark one."""

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
"""Outlines about the origin: marks differ by shape and by colour."""

REFERENCE_SHAPE = "M0-6.5l6.5 6.5l-6.5 6.5l-6.5-6.5z"
"""The hollow mark of what the others are compared with."""

COLOURS = 8
"""How many colours of marks and lines there are."""

DASHES = ("", "7 4", "2 3", "9 3 2 3", "14 5", "14 4 2 4 2 4")
"""Dashes of lines; the first is none."""

_RULES = (
    (".figure .ground", "fill: var(--paper)"),
    (".figure text", "fill: var(--soft); stroke: none; font-size: 12px"),
    (".figure .heading", "fill: var(--ink); font-size: 17px; font-weight: 600"),
    (".figure .subheading", "fill: var(--ink); font-size: 13px; font-weight: 600"),
    (".figure .name, .figure .number", "fill: var(--ink)"),
    (".panel text", "font-size: 10.5px; fill: var(--soft)"),
    (".drawn .axis", "stroke: var(--soft); stroke-width: 1"),
    (".drawn .grid, line.grid", "stroke: var(--line); stroke-width: 1"),
    (".drawn .bar, .drawn .point, .drawn .cell", "fill: var(--fill)"),
    (".drawn .band", "fill: var(--fill); fill-opacity: 0.22"),
    (".drawn .curve", "fill: none; stroke: var(--fill); stroke-width: 2"),
    (".drawn .pool", "fill: none; stroke: var(--soft); stroke-width: 1.3; stroke-dasharray: 4 3"),
    (".drawn .mean, .drawn .whisker", "stroke: var(--fill); stroke-width: 1.6"),
    (".drawn .rug", "stroke: var(--soft); stroke-opacity: 0.6"),
    (".drawn .speck", "stroke: var(--soft); stroke-opacity: 0.4; stroke-width: 4.5; stroke-linecap: round"),
    (".drawn .thread", "fill: none; stroke: var(--fill); stroke-width: 1.2; stroke-opacity: 0.55"),
    (".drawn .guide", "fill: none; stroke: var(--soft); stroke-width: 1.3; stroke-dasharray: 2 4"),
    (".drawn .ahead", "fill: var(--ahead)"),
    (".drawn .behind", "fill: var(--behind)"),
    (".drawn .self", "fill: var(--line)"),
    ("line.interval", "stroke: var(--ink); stroke-width: 4; stroke-opacity: 0.32; stroke-linecap: round"),
    ("circle.combined", "fill: var(--ink); stroke: var(--paper); stroke-width: 1.5"),
    (".mark-reference", "fill: none; stroke: var(--ink); stroke-width: 1.6"),
    *((f".mark-{number}", f"fill: var(--mark-{number})") for number in range(COLOURS)),
    *((f".line-{number}", f"fill: none; stroke: var(--mark-{number})") for number in range(COLOURS)),
    *((f".area-{number}", f"fill: var(--mark-{number}); fill-opacity: 0.16") for number in range(COLOURS)),
    *((f".figure .word-{number}", f"fill: var(--mark-{number})") for number in range(COLOURS)),
    (".drawn .faint", "fill-opacity: 0.07"),
    (".figure .halo", "paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round"),
    (".drawn .stroke", "stroke-width: 1.8; stroke-linejoin: round"),
    (".drawn .thin", "stroke-width: 1"),
    (".drawn .edge", "stroke-width: 1; stroke-opacity: 0.55"),
    (".drawn .hollow", "fill: var(--paper); stroke-width: 1.6"),
)
"""What every class of the figures looks like, later rules over earlier ones."""


def colour_of(number: int) -> int:
    """Give the colour of the line or mark with this number from 0."""
    return number % COLOURS


def dash_of(number: int) -> str:
    """Give the dashes of the line with this number: with its colour, the first 48 all differ."""
    return DASHES[(number % COLOURS + number // COLOURS) % len(DASHES)]


def place_mark(
    root: Element, place: Point, number: int, tip: str = "", *, hollow: bool = False, size: float = 1.0
) -> None:
    """Draw the mark with this number at a place of the canvas; hollow, it is an outline."""
    colour = colour_of(number)
    where = _moved(place) + (f" scale({size:.2f})" if size != 1.0 else "")
    outline = list(SHAPES.values())[number % len(SHAPES)]
    kind = f"line-{colour} hollow" if hollow else f"mark-{colour}"
    element(root, "path", tip=tip, d=outline, transform=where, class_=kind)


def place_reference(root: Element, place: Point, tip: str = "") -> None:
    """Draw the hollow mark that others are compared with."""
    element(root, "path", tip=tip, d=REFERENCE_SHAPE, transform=_moved(place), class_="mark-reference")


def _moved(place: Point) -> str:
    return f"translate({short(place[0])} {short(place[1])})"


def page_style() -> str:
    """Write the style sheet of figures within a page, whose `color-scheme` decides between light and dark."""
    names = " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in PALETTE.items())
    return "\n".join((f":root {{ {names} }}", *(f"{selector} {{ {look} }}" for selector, look in _RULES)))


def alone_style(*, light: bool = False) -> str:
    """Write the style sheet of a figure in its own file: light, and dark where the reader's screen is.

    With `light` it has one look: for paper, and for programs that make pictures.
    """
    dark = f"\n@media screen and (prefers-color-scheme: dark) {{\n{_coloured(1)}\n}}"
    return _coloured(0) + ("" if light else dark)


def _coloured(shade: int) -> str:
    """Write the rules with the colours filled in; of the dark ones only those that have a colour."""
    rules = [(selector, look) for selector, look in _RULES if shade == 0 or "var(" in look]
    text = "\n".join(f"{selector} {{ {look} }}" for selector, look in rules)
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda name: PALETTE[name[1]][shade], text)
