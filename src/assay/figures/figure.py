"""A whole figure with its title: what `files` writes, and what a page takes in."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from assay.figures.axes import line_look, place_mark
from assay.figures.style import FONT, alone_style, light_style
from assay.figures.svg import Element, Svg, element, markup, short, shortened, text_width, titled

EDGE = 16.0
"""Room at the edges of a figure."""

LETTER = 12.0
"""Size of its letters."""

_HEADING = 17.0
_SAMPLE = 34.0
"""Length of the sample of a line in the legend."""


@dataclass(frozen=True)
class Figure:
    """A drawing with its title, and what those hear who do not see it."""

    title: str
    description: str
    root: Element
    """The drawing without a style sheet."""
    about: str = ""
    """What made it, for those who ask; may have several lines."""

    def svg(self) -> Svg:
        """The figure as a file of its own, light or dark as its reader's screen is."""
        return self._alone(alone_style())

    def light_svg(self) -> Svg:
        """The figure as a file that has one look: for paper, and for programs that make pictures of it."""
        return self._alone(light_style())

    def __html__(self) -> str:
        """The figure within a page that has the style sheet of figures."""
        return str(markup(self.root))

    def telling(self, about: str) -> Figure:
        """The figure with a note on what made it."""
        return replace(self, about=about)

    def _alone(self, style: str) -> Svg:
        root = deepcopy(self.root)
        root.set("xmlns", "http://www.w3.org/2000/svg")
        sheet = Element("style")
        sheet.text = style
        root.insert(2, sheet)  # behind title and description, which must come first
        return markup(root)


@dataclass(frozen=True)
class Entry:
    """What the legend says of one line: its name, the number of its look, and what is drawn of it."""

    name: str
    number: int
    line: bool = True
    marks: bool = True
    guide: bool = False
    hollow: bool = False


def blank(title: str, description: str, width: float, height: float) -> Element:
    """An empty figure: ground, title, and its description for those who do not see it."""
    root = element(
        None,
        "svg",
        viewBox=f"0 0 {short(width)} {short(height)}",
        width=short(width),
        height=short(height),
        role="img",
        aria_label=title,
        class_="figure drawn",
        font_family=FONT,
    )
    element(root, "title", title)
    element(root, "desc", description)
    element(root, "rect", width="100%", height="100%", class_="ground")
    heading = shortened(title, _HEADING, width - 2 * EDGE)
    titled(element(root, "text", heading, x=short(EDGE), y="30", class_="heading"), title)
    return root


def legend_height(entries: Sequence[Entry], width: float) -> float:
    """How much room the legend takes."""
    places = _legend_places(entries, width)
    return 20.0 * (places[-1][1] + 1) + 6.0 if places else 0.0


def legend(root: Element, entries: Sequence[Entry], top: float, width: float) -> None:
    """The legend from this height down: a sample of each line and its name, as many in a row as fit."""
    for entry, (left, row) in zip(entries, _legend_places(entries, width), strict=True):
        _entry(root, entry, left, top + 20.0 * row + 10.0, width - EDGE - left)


def _legend_places(entries: Sequence[Entry], width: float) -> list[tuple[float, int]]:
    """Where each entry begins, and in which row."""
    places: list[tuple[float, int]] = []
    left, row = EDGE, 0
    for entry in entries:
        room = _SAMPLE + 6.0 + text_width(entry.name, LETTER)
        if left > EDGE and left + room > width - EDGE:
            left, row = EDGE, row + 1
        places.append((left, row))
        left += room + 14.0
    return places


def _entry(root: Element, entry: Entry, left: float, middle: float, room: float) -> None:
    kind, dash = ("guide", "") if entry.guide else line_look(entry.number)
    if entry.line:
        ends = {"x1": short(left), "x2": short(left + _SAMPLE), "y1": short(middle), "y2": short(middle)}
        made = element(root, "line", class_=kind, **ends)
        if dash:
            made.set("stroke-dasharray", dash)
    if entry.marks and not entry.guide:
        place_mark(root, (left + _SAMPLE / 2, middle), entry.number, hollow=entry.hollow)
    start = left + _SAMPLE + 6
    name = shortened(entry.name, LETTER, room - _SAMPLE - 6)
    made = element(root, "text", name, x=short(start), y=short(middle + 4), class_="name")
    if name != entry.name:
        titled(made, entry.name)
