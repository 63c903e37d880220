"""Text from untrusted files, made safe to show."""

import re
import unicodedata

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # category Cc, and the breaks of lines beyond it
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Text on one line, without what commands a terminal or turns the order in which it is read.

    Control characters (ESC, the C1 introducers, tabs and breaks of lines) become a blank, characters of
    format (overrides of direction, marks of no width) go, and halves of surrogate pairs, which cannot be
    written, are replaced.
    """
    if text.isprintable():
        return text
    line = _CONTROL.sub(" ", text)
    return "".join(letter if letter.isprintable() else _shown(letter) for letter in line)


def has_control(text: str) -> bool:
    """Whether a text holds what ends a line or commands a terminal: no name and no setting does."""
    return _CONTROL.search(text) is not None


def _shown(letter: str) -> str:
    category = unicodedata.category(letter)
    if category == "Cf":
        return ""
    return _REPLACEMENT if category == "Cs" else letter
