"""The tags of one game, from its text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.clocks import FIRST_CLOCKS, MOST_INCREMENT
from assay.decisions.time_control import class_of_control, class_of_seconds, class_of_words
from assay.errors import printable
from assay.pgn.comments import brace_comments

MAX_TAG_CHARACTERS = 255
"""The PGN standard's own limit; longer values are cut."""

_HEADER = re.compile(r"(?:[ \t]*(?:[\[%;][^\n]*)?\r?\n)*(?:[ \t]*[\[%;][^\n]*\Z)?")
_STRICT = re.compile(r'\[\s*(\w+)\s*"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"\s*\]')
_UNCLEAN = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f\\]|\r[^\n]")
_NAME = re.compile(r"\[[ \t]*+(\w++)[ \t]*+\"")
_ECO = re.compile(r"[A-E][0-9]{2}")
_LINK = re.compile(r"https?://[\w.:-]+/[\w./?=&%#:~-]*")
_DATE = re.compile(r"(\d{4})[./-]?")


@dataclass(frozen=True)
class TaggedText:
    """Tags by name, the first of each name, and the movetext behind them."""

    tags: dict[str, str]
    movetext: str

    @cached_property
    def opened(self) -> int:
        """How many comments the movetext opens."""
        return self.movetext.count("{")


def split_tags(text: str) -> TaggedText:
    """Tags and movetext of one game."""
    match = _HEADER.match(text)
    end = match.end() if match else 0
    header = text[:end]
    pairs = _STRICT.findall(header)
    if len(pairs) < header.count("\n[") + header.startswith("["):  # unescaped quotes, missing brackets
        pairs = _read_lines(header)
    tags = dict(pairs)
    if (
        len(tags) < len(pairs)
        or not header.isascii()
        or max(map(len, tags.values()), default=0) > MAX_TAG_CHARACTERS
        or _is_unclean(header)
    ):
        tags = {}
        for name, value in pairs:
            if "\\" in value:
                value = value.replace('\\"', '"').replace("\\\\", "\\")
            tags.setdefault(name, printable(value[:1000]).strip()[:MAX_TAG_CHARACTERS])
    return TaggedText(tags, brace_comments(text[end:]))


def _is_unclean(header: str) -> bool:
    """Whether some value of a header in ASCII needs cleaning: most have none, which is seen at one look."""
    if "\\" in header or '" ' in header or ' "]' in header:
        return True
    return not header.replace("\n", "").isprintable() and _UNCLEAN.search(header) is not None


def _read_lines(header: str) -> list[tuple[str, str]]:
    """Tags line by line, from the first quote to the last: for quotes and brackets out of order."""
    pairs = []
    for line in header.splitlines():
        text = line.strip()
        name = _NAME.match(text)
        if name is not None:
            closing = text.rfind('"')
            value = text[name.end() : closing] if closing >= name.end() else text[name.end() :].rstrip("]")
            pairs.append((name[1], value))
    return pairs


def text_tag(tags: dict[str, str], name: str) -> str | None:
    """A tag's text; None where it is missing or `?`."""
    value = tags.get(name, "")
    return value if value and value.strip("?-. ") else None


def year_of(date: str | None) -> int | None:
    """Year of a date as written; None if there is none in 1000 to 2999."""
    match = _DATE.match(date or "")
    year = int(match[1]) if match else 0
    return year if 1000 <= year <= 2999 else None


def elo_of(value: str | None) -> int | None:
    """A rating as written; None where it is missing or no rating at all."""
    if not value:
        return None
    digits = value.strip().rstrip("?")
    rating = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 4 else 0
    return rating if 100 <= rating <= 4000 else None


def fide_id_of(value: str | None) -> int | None:
    """A FIDE id as written; None where it is missing, zero or no number."""
    digits = (value or "").strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
        return None
    number = int(digits)
    return number if 0 < number < 2**31 else None


def evaluator_of(tags: dict[str, str]) -> str | None:
    """Who evaluated the positions, as the tags say: `Stockfish 11, depth 20`; None if they do not."""
    if "Annotator" not in tags and "EngineName" not in tags and "EvalDepth" not in tags:
        return None  # most games
    named = text_tag(tags, "Annotator") or text_tag(tags, "EngineName")
    depth = tags.get("EvalDepth", "")
    parts = (named, f"depth {depth}" if depth.isascii() and depth.isdigit() and len(depth) <= 3 else None)
    return ", ".join(part for part in parts if part) or None


def eco_of(value: str | None) -> str | None:
    """The code of an opening, A00 to E99; None where it is missing or no such code. Letters behind it go."""
    match = _ECO.match((value or "").strip().upper())
    return match[0] if match else None


def link_of(tags: dict[str, str]) -> str | None:
    """Where the game can be seen, if the tags Link or Site are an address of the web."""
    for name in ("Link", "Site"):
        if _LINK.fullmatch(address := tags.get(name, "").strip()):
            return address
    return None


_RESULTS = {
    "1-0": 1.0,
    "0-1": 0.0,
    "1/2-1/2": 0.5,
    "1/2": 0.5,
    "½-½": 0.5,
    "0.5-0.5": 0.5,
    "+/-": 1.0,
    "-/+": 0.0,
}


def result_of(tag: str | None) -> float | None:
    """White's result from the tag Result."""
    return _RESULTS.get((tag or "").replace(" ", ""))


_STANDARD_VARIANTS = {"", "standard", "chess", "normal", "from position", "?", "-", "classical"}
_SIMUL = re.compile(r"\b(simul\w*|blindfold|odds|handicap|consult\w*|bf)\b", re.I)


def is_variant(tags: dict[str, str]) -> bool:
    """Whether the tag Variant names other rules."""
    return "Variant" in tags and tags["Variant"].strip().lower() not in _STANDARD_VARIANTS


@lru_cache(4096)
def is_odds_or_simul(words: str) -> bool:
    """Whether the words of an event name odds, a simultaneous, blindfold or consultation game."""
    return _SIMUL.search(words) is not None


# How fast a game was played: by its tags, else by the clocks in the comments on its first moves. `[%clk
# 0:05:03]` is what the player who moved has left, the increment added. The first clock of each side is hardly
# below the base time; a clock that goes up between two moves of one side shows an increment, of that much at
# least.


_NO_CLOCKS: Floats = np.zeros(0)
_STEP = 30.0
"""Seconds: base times are multiples of it, and the first move has taken some of it."""


def time_class_of(tags: dict[str, str], clocks: Floats = _NO_CLOCKS) -> str:
    """One of TIME_CLASSES.

    The tag TimeControl decides, then words of the tags EventType and TimeClass, then the clocks behind the
    first moves (`first_seconds`), then words of the event's name.
    """
    by_tag = class_of_control(tags.get("TimeControl", "")) or class_of_words(
        " ".join((tags.get("EventType", ""), tags.get("TimeClass", "")))
    )
    if by_tag is None and (seconds := first_seconds(clocks)) is not None:
        return class_of_seconds(seconds)
    return by_tag or class_of_words(tags.get("Event", "")) or "unknown"


def first_seconds(clocks: Floats) -> float | None:
    """Base time plus sixty increments by the clocks behind the first moves, NaN where there is none."""
    both = (clocks[0:FIRST_CLOCKS:2], clocks[1:FIRST_CLOCKS:2])
    sides = [side for side in (of_side[~np.isnan(of_side)] for of_side in both) if len(side)]
    if not sides or min(side[0] for side in sides) <= 0:
        return None
    rises = np.concatenate([np.diff(side) for side in sides])
    increment = float(max(rises[(rises > 0) & (rises <= MOST_INCREMENT)], default=0.0))
    first = float(max(side[0] for side in sides))
    return _STEP * math.ceil(max(first - increment, 1.0) / _STEP) + 60 * increment
