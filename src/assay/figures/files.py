"""A figure into the file that someone named: its ending says as what.

`.svg` is the figure alone, `.html` a page with nothing but it, `.png` a picture. Pictures are made by resvg
(3 MB, no libraries of the system), which the extra `png` installs.
"""

from __future__ import annotations

import html
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from assay.decisions.text import printable
from assay.errors import InputError, MachineError
from assay.figures.figure import Figure
from assay.files import check_writable, written_whole

ENDINGS = (".svg", ".html", ".png")

_ZOOM = 2.0
"""Pixels of a picture for each unit of the figure: sharp on the screens and in the print of today."""

_FONTS = (
    *("Arial", "Liberation Sans", "Helvetica", "Helvetica Neue", "Segoe UI", "Noto Sans", "Roboto"),
    *("DejaVu Sans", "Open Sans", "Ubuntu", "Cantarell", "FreeSans"),
)
"""Fonts without serifs, one of which nearly every machine has."""


def check_figure(path: Path | None) -> None:
    """Refuse a file that a figure cannot be written to before the work is done, not after it."""
    if path is None:
        return
    ending = _ending(path)
    check_writable(path)
    if ending == ".png":
        _resvg()


def write_figure(path: Path, figure: Figure) -> None:
    """Write the figure as the ending of the file says, whole or not at all."""
    content = rendered(figure, path)
    check_writable(path)
    with written_whole(path) as file:
        file.write(content)


def rendered(figure: Figure, path: Path) -> bytes:
    """What `write_figure` writes to a file of this name."""
    ending = _ending(path)
    if ending == ".png":
        return picture(figure)
    return (f"{figure.svg()}\n" if ending == ".svg" else page(figure)).encode("utf-8")


def page(figure: Figure) -> str:
    """One HTML file that needs no network and runs no script: the figure, and what made it."""
    title = html.escape(printable(figure.title))
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
        f"<title>{title}</title>\n"
        "<style>body { margin: 0; font-family: sans-serif; } pre { white-space: pre-wrap; }\n"
        "svg.figure { display: block; max-width: 100%; height: auto; margin: 0 auto; }\n"
        "details { margin: 1rem; }</style>\n"
        f"</head>\n<body>\n{figure.svg()}\n{about}</body>\n</html>\n"
    )


def picture(figure: Figure) -> bytes:
    """The figure as PNG, light, twice as large as its units."""
    found: bytes = bytes(
        _resvg().svg_to_bytes(svg_string=figure.light_svg(), zoom=_ZOOM, sans_serif_family=_font())
    )
    return found


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{path} does not say what to write: end its name in .svg, .html or .png")
    return ending


def _resvg() -> ModuleType:
    if find_spec("resvg_py") is None:
        raise InputError(
            "a figure as .png needs a package that is not installed: "
            "pip install 'assay-chess[png]', or end the name in .svg or .html"
        )
    import resvg_py

    module: ModuleType = resvg_py
    return module


@cache
def _font() -> str:
    """The first of the fonts that is here: where none fits, resvg leaves text out without a word."""
    blank = _drawn_letter("")
    for name in _FONTS:
        if _drawn_letter(name) != blank:
            return name
    raise MachineError(
        "no font is installed to write the names of a picture with: install one "
        "(on Debian: apt-get install fonts-dejavu-core), or end the name in .svg or .html"
    )


def _drawn_letter(family: str) -> bytes:
    """A letter in a font, as a picture; nothing where the machine does not have the font."""
    letter = f'<text y="9" font-family="{family}">M</text>' if family else ""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="12" height="12">{letter}</svg>'
    return bytes(_resvg().svg_to_bytes(svg_string=svg, serif_family="no such font"))
