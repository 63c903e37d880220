"""Colours, dashes and shapes of all figures, light and dark, told apart without colour too.

The same rules serve two ways. In a page, colours are variables of the style sheet (`page_style`), so that
the page's own choice of light or dark holds for its figures. A file on its own (`alone_style`) has the
colours written out, dark ones in a media query: programs that draw SVG but know no variables show it right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif'

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
    (".drawn .stroke", "stroke-width: 1.8; stroke-linejoin: round"),
    (".drawn .thin", "stroke-width: 1"),
    (".drawn .edge", "stroke-width: 1; stroke-opacity: 0.55"),
    (".drawn .hollow", "fill: var(--paper); stroke-width: 1.6"),
)
"""What every class of the figures looks like, later rules over earlier ones."""


def shape_of(number: int) -> str:
    """The outline of the mark with this number."""
    return list(SHAPES.values())[number % len(SHAPES)]


def colour_of(number: int) -> int:
    """The colour of the line or mark with this number from 0."""
    return number % COLOURS


def dash_of(number: int) -> str:
    """The dashes of the line with this number from 0: with its colour, no two of the first 48 are alike."""
    return DASHES[(number % COLOURS + number // COLOURS) % len(DASHES)]


def page_style() -> str:
    """The style sheet of figures within a page, whose `color-scheme` decides between light and dark."""
    names = " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in PALETTE.items())
    return "\n".join((f":root {{ {names} }}", *_written(_RULES)))


def alone_style() -> str:
    """The style sheet of a figure that is a file of its own: light, and dark where the reader's screen is."""
    light, dark = (
        "\n".join(_coloured(line, shade) for line in _written(_RULES) if shade == 0 or "var(" in line)
        for shade in (0, 1)
    )
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"


def light_style() -> str:
    """The style sheet of a picture that has one look only."""
    return "\n".join(_coloured(line, 0) for line in _written(_RULES))


def _written(rules: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{selector} {{ {look} }}" for selector, look in rules]


def _coloured(line: str, shade: int) -> str:
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda found: PALETTE[found[1]][shade], line)
