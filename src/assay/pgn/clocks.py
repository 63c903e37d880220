"""The time control of a game from the clocks in the comments on its first moves.

`[%clk 0:05:03]` is what the player who moved has left, the increment added. The first clock of each side is
hardly below the base time; a clock that goes up between two moves of one side shows an increment, of that
much at least.
"""

import math
import re
from itertools import pairwise

from assay.decisions.clocks import FIRST_CLOCKS, MOST_INCREMENT
from assay.pgn.comments import read_duration

_STEP = 30.0
"""Seconds: base times are multiples of it, and the first move has taken some of it."""

_COMMENT = re.compile(r"\{[^}]*+\}")
_CLOCK = re.compile(r"\[%clk\s+([^\]\s]+)\s*\]")
_VARIATION = re.compile(r"\([^()]*+\)")


def time_control_of(movetext: str) -> float | None:
    """Seconds of base time plus sixty increments, as far as the clocks show; None where they show nothing."""
    clocks = first_clocks(movetext)
    sides = [side for side in (clocks[0::2], clocks[1::2]) if side]
    if not sides or min(side[0] for side in sides) <= 0:
        return None
    gains = [later - before for side in sides for before, later in pairwise(side)]
    increment = max((gain for gain in gains if 0 < gain <= MOST_INCREMENT), default=0.0)
    first = max(side[0] for side in sides)
    base = _STEP * math.ceil(max(first - increment, 1.0) / _STEP)
    return base + 60 * increment


def first_clocks(movetext: str) -> list[float]:
    """The clocks of the first moves of the main line, White's and Black's in turn."""
    if "[%clk" not in movetext:
        return []
    found: list[float] = []
    for place, comment in enumerate(_CLOCK.findall(_plain(movetext))[:FIRST_CLOCKS]):
        seconds = read_duration(comment)
        if seconds is None:
            return found[: place - place % 2]
        found.append(seconds)
    return found


def _plain(movetext: str) -> str:
    """The beginning of the movetext without variations, whose clocks are not of this game."""
    text = movetext[:20_000]
    if "(" not in _COMMENT.sub("", text):
        return text
    # Comments may hold brackets of their own: only the clock is kept of each.
    text = _COMMENT.sub(lambda comment: " ".join(m[0] for m in _CLOCK.finditer(comment[0])), text)
    while (shorter := _VARIATION.sub("", text)) != text:
        text = shorter
    return text
