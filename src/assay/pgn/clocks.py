"""How fast a game was played: by its tags, else by the clocks in the comments on its first moves.

`[%clk 0:05:03]` is what the player who moved has left, the increment added. The first clock of each side is
hardly below the base time; a clock that goes up between two moves of one side shows an increment, of that
much at least.
"""

import math
import re
from itertools import pairwise

from assay.decisions.clocks import FIRST_CLOCKS, MOST_INCREMENT
from assay.decisions.time_control import class_of_control, class_of_seconds, class_of_words
from assay.pgn.comments import read_duration

_STEP = 30.0
"""Seconds: base times are multiples of it, and the first move has taken some of it."""

_COMMENT = re.compile(r"\{[^}]*+\}")
_CLOCK = re.compile(r"\[%clk\s+([^\]\s]+)\s*\]")
_VARIATION = re.compile(r"\([^()]*+\)")


def time_class_of(tags: dict[str, str], movetext: str = "") -> str:
    """One of TIME_CLASSES.

    The tag TimeControl decides, then words of the tags EventType and TimeClass, then the clocks in the
    comments on the first moves, then words of the event's name.
    """
    by_tag = class_of_control(tags.get("TimeControl", "")) or class_of_words(
        " ".join((tags.get("EventType", ""), tags.get("TimeClass", "")))
    )
    if by_tag is None and (seconds := time_control_of(movetext)) is not None:
        return class_of_seconds(seconds)
    return by_tag or class_of_words(tags.get("Event", "")) or "unknown"


def time_control_of(movetext: str) -> float | None:
    """Seconds of base time plus sixty increments by the clocks; None where there are none."""
    clocks = first_clocks(movetext)
    sides = [side for side in (clocks[0::2], clocks[1::2]) if side]
    if not sides or min(side[0] for side in sides) <= 0:
        return None
    rises = [later - earlier for side in sides for earlier, later in pairwise(side)]
    increment = max((rise for rise in rises if 0 < rise <= MOST_INCREMENT), default=0.0)
    first = max(side[0] for side in sides)
    return _STEP * math.ceil(max(first - increment, 1.0) / _STEP) + 60 * increment


def first_clocks(movetext: str) -> list[float]:
    """The clocks of the first moves of the main line, White's and Black's in turn."""
    if "[%clk" not in movetext:
        return []
    clocks: list[float] = []
    for place, text in enumerate(_CLOCK.findall(_without_variations(movetext[:20_000]))[:FIRST_CLOCKS]):
        seconds = read_duration(text)
        if seconds is None:
            return clocks[: place - place % 2]
        clocks.append(seconds)
    return clocks


def _without_variations(text: str) -> str:
    """Movetext without variations, whose clocks are not of this game."""
    if "(" not in _COMMENT.sub("", text):
        return text
    # Comments may contain brackets: only the clock of each stays.
    text = _COMMENT.sub(lambda comment: " ".join(m[0] for m in _CLOCK.finditer(comment[0])), text)
    while (shorter := _VARIATION.sub("", text)) != text:
        text = shorter
    return text
