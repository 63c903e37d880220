"""Elements of SVG, and how wide a text will be.

Elements are built as a tree: the library escapes every text and attribute, none is pasted together here.
Names come from untrusted files, so what no XML may hold (control characters, halves of surrogate pairs) is
taken out on the way.
"""

from __future__ import annotations

import unicodedata
from xml.etree import ElementTree

from assay.decisions.text import printable

Element = ElementTree.Element
Point = tuple[float, float]

_NARROW = frozenset("iIjltfr.,:;'|!()[]{}-/ ")
_BROAD = frozenset("mwMW@%&—…")


class Svg(str):
    """Markup as text: templates that escape what they are given take it as it is, by `__html__`."""

    __slots__ = ()

    def __html__(self) -> str:
        """The text itself."""
        return str(self)


def short(number: float) -> str:
    """A coordinate: a tenth of a unit is finer than any screen."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def markup(element: Element) -> Svg:
    """An element as text."""
    return Svg(ElementTree.tostring(element, encoding="unicode"))


def element(parent: Element | None, tag: str, text: str | None = None, **attributes: str) -> Element:
    """A new element within its parent; `class_` and `text_anchor` stand for `class` and `text-anchor`."""
    named = {name.rstrip("_").replace("_", "-"): printable(value) for name, value in attributes.items()}
    made = Element(tag, named) if parent is None else ElementTree.SubElement(parent, tag, named)
    made.text = None if text is None else printable(text)
    return made


def titled(made: Element, title: str) -> Element:
    """The element with what is shown where the pointer rests on it; none where the title is empty."""
    if title:
        element(made, "title", title)
    return made


def text_width(text: str, size: float) -> float:
    """About how wide a text is at most in any common font without serifs: too wide rather than cut off."""
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
    """The text, or as much of its beginning as fits into the room with an ellipsis and its last letters."""
    text = printable(text)
    if text_width(text, size) <= room:
        return text
    last = "…" + text[len(text) - end :]
    kept = text[: len(text) - end]
    while kept and text_width(kept + last, size) > room:
        kept = kept[:-1]
    return kept.rstrip() + last
