"""A whole figure with its title and legend, and the file that it is written to.

The ending of a file decides its kind: `.svg` is the figure alone, `.html` a page with nothing but it, `.png`
a picture. Pictures are made by resvg (3 MB, no libraries of the system), which the extra `png` installs.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from assay.errors import InputError, MachineError, printable
from assay.figures.svg import (
    FONT,
    Element,
    Svg,
    alone_style,
    colour_of,
    dash_of,
    element,
    fitted,
    markup,
    place_mark,
    short,
    shortened,
    text_width,
)
from assay.files import check_writable, written_whole

ENDINGS = (".svg", ".html", ".png")

EDGE = 16.0
"""Room at the edges of a figure."""

LETTER = 12.0
"""Size of its letters."""

_HEADING = 17.0
_SAMPLE = 34.0
"""Length of the sample of a line in the legend."""

_ZOOM = 2.0
"""Pixels of a picture for each unit of the figure: sharp on the screens and in the print of today."""

_FONTS = (
    *("Arial", "Liberation Sans", "Helvetica", "Helvetica Neue", "Segoe UI", "Noto Sans", "Roboto"),
    *("DejaVu Sans", "Open Sans", "Ubuntu", "Cantarell", "FreeSans"),
)
"""Fonts without serifs, one of which nearly every machine has."""


@dataclass(frozen=True)
class Figure:
    """A drawing with its title, and its description for those who do not see it."""

    title: str
    description: str
    root: Element
    """The drawing without a style sheet."""
    about: str = ""
    """What made it; may have several lines."""

    def svg(self, *, light: bool = False) -> Svg:
        """Write the figure as its own file, light or dark as its reader's screen is, or always light."""
        root = deepcopy(self.root)
        root.set("xmlns", "http://www.w3.org/2000/svg")
        sheet = Element("style")
        sheet.text = alone_style(light=light)
        root.insert(2, sheet)  # behind title and description, which must come first
        return markup(root)

    def __html__(self) -> str:
        """Write the figure for a page that has the style sheet of figures."""
        return str(markup(self.root))


@dataclass(frozen=True)
class Entry:
    """A line of the legend: its name, the number of its look, and what is drawn of it."""

    name: str
    number: int
    line: bool = True
    marks: bool = True
    guide: bool = False
    hollow: bool = False


def blank(title: str, description: str, width: float, height: float) -> Element:
    """Begin an empty figure: ground, title and description."""
    root = element(
        None,
        "svg",
        viewBox=f"0 0 {short(width)} {short(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=title,
        class_="figure drawn",
        font_family=FONT,
    )
    element(root, "title", title)
    element(root, "desc", description)
    element(root, "rect", width="100%", height="100%", class_="ground")
    heading = shortened(title, _HEADING, width - 2 * EDGE)
    element(root, "text", heading, tip=title, x=EDGE, y=30, class_="heading")
    return root


def legend_height(entries: Sequence[Entry], width: float) -> float:
    """Give the room that the legend takes."""
    places = _legend_places(entries, width)
    return 20.0 * (places[-1][1] + 1) + 6.0 if places else 0.0


def legend(root: Element, entries: Sequence[Entry], top: float, width: float) -> None:
    """Draw the legend from this height down: a sample of each line and its name, as many in a row as fit."""
    for entry, (left, row) in zip(entries, _legend_places(entries, width), strict=True):
        middle = top + 20.0 * row + 10.0
        if entry.line:
            colour, dash = colour_of(entry.number), "" if entry.guide else dash_of(entry.number)
            kind = "guide" if entry.guide else f"line-{colour} stroke"
            sample = element(root, "line", class_=kind, x1=left, x2=left + _SAMPLE, y1=middle, y2=middle)
            if dash:
                sample.set("stroke-dasharray", dash)
        if entry.marks and not entry.guide:
            place_mark(root, (left + _SAMPLE / 2, middle), entry.number, hollow=entry.hollow)
        start = left + _SAMPLE + 6
        fitted(root, entry.name, LETTER, width - EDGE - start, x=start, y=middle + 4, class_="name")


def _legend_places(entries: Sequence[Entry], width: float) -> list[tuple[float, int]]:
    """Give where each entry begins, and in which row."""
    places: list[tuple[float, int]] = []
    left, row = EDGE, 0
    for entry in entries:
        room = _SAMPLE + 6.0 + text_width(entry.name, LETTER)
        if left > EDGE and left + room > width - EDGE:
            left, row = EDGE, row + 1
        places.append((left, row))
        left += room + 14.0
    return places


# Files ---------------------------------------------------------------------------------------------------


def check_figure(path: Path | None) -> None:
    """Refuse a file that a figure cannot be written to before the work is done, not after it."""
    if path is None:
        return
    ending = _ending(path)
    check_writable(path)
    if ending == ".png":
        _resvg()


def write_figure(path: Path, figure: Figure) -> None:
    """Write the figure in the form of the file's ending, whole or not at all."""
    ending = _ending(path)
    if ending == ".png":
        content = picture(figure)
    else:
        content = (f"{figure.svg()}\n" if ending == ".svg" else page(figure)).encode("utf-8")
    check_writable(path)
    with written_whole(path) as file:
        file.write(content)


def page(figure: Figure) -> str:
    """Write one HTML file that needs no network and runs no script: the figure, and what made it."""
    about = (
        f"<details><summary>What made it</summary><pre>{html.escape(figure.about)}</pre></details>\n"
        if figure.about
        else ""
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{html.escape(printable(figure.title))}</title>\n"
        "<style>body { margin: 0; font-family: sans-serif; } pre { white-space: pre-wrap; }\n"
        "svg.figure { display: block; max-width: 100%; height: auto; margin: 0 auto; }\n"
        "details { margin: 1rem; }</style>\n"
        f"</head>\n<body>\n{figure.svg()}\n{about}</body>\n</html>\n"
    )


def picture(figure: Figure) -> bytes:
    """Draw the figure as PNG, light, twice as large as its units."""
    return bytes(
        _resvg().svg_to_bytes(svg_string=figure.svg(light=True), zoom=_ZOOM, sans_serif_family=_font())
    )


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{path} has no ending of a figure: end its name in .svg, .html or .png")
    return ending


def _resvg() -> ModuleType:
    if find_spec("resvg_py") is None:
        raise InputError(
            "a figure as .png needs a package that is not installed: "
            "pip install resvg-py, or end the name in .svg or .html"
        )
    import resvg_py

    module: ModuleType = resvg_py
    return module


@cache
def _font() -> str:
    """Choose the first of the fonts that is here: where none fits, resvg leaves text out without a word."""
    empty = _drawn_letter("")
    for name in _FONTS:
        if _drawn_letter(name) != empty:
            return name
    raise MachineError(
        "no font is installed to write the names of a picture with: install one "
        "(on Debian: apt-get install fonts-dejavu-core), or end the name in .svg or .html"
    )


def _drawn_letter(family: str) -> bytes:
    """Draw a letter in a font; an empty picture where the machine does not have the font."""
    letter = f'<text y="9" font-family="{family}">M</text>' if family else ""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="12" height="12">{letter}</svg>'
    return bytes(_resvg().svg_to_bytes(svg_string=svg, serif_family="no such font"))
