"""The tags of one game, from its text."""

import re
from dataclasses import dataclass
from functools import cached_property

from assay.decisions.text import printable

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
    return TaggedText(tags, text[end:])


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
