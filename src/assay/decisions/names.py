"""Names of players as written, folded so that the same person compares equal.

"Kasparov, Garry", "Kasparov, G", "Garry Kasparov" and "Kasparov,G." differ in order, initials and
punctuation; diacritics, case and titles do not matter. A name with digits in it (an engine, a user name) is
not taken apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.decisions.decisions import Decisions


_TITLES = {
    *(
        "gm",
        "im",
        "fm",
        "cm",
        "nm",
        "wgm",
        "wim",
        "wfm",
        "wcm",
        "wnm",
        "hgm",
        "lm",
        "agm",
        "aim",
        "afm",
        "acm",
    ),
    *("dr", "prof", "mr", "mrs", "ms", "sir"),
}
# Letters that Unicode does not take apart into a base letter and a mark.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i"}
)
_BRACKETED = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_BETWEEN = re.compile(r"[\s.\-_'’`]+")


@dataclass(frozen=True)
class FoldedName:
    """A name taken apart: family names and given names (initials among them), folded.

    `ordered` tells that the comma said which is which.
    """

    family: tuple[str, ...]
    given: tuple[str, ...]
    ordered: bool

    @property
    def words(self) -> frozenset[str]:
        """All its words, whatever their order."""
        return frozenset(self.family + self.given)


def fold(text: str) -> str:
    """Text without case, diacritics and compatibility forms."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@lru_cache(maxsize=65_536)
def fold_name(name: str) -> FoldedName:
    """Take a name apart."""
    text = _BRACKETED.sub(" ", fold(name))
    if any(letter.isdigit() for letter in text):
        return FoldedName((" ".join(text.split()),), (), True)
    before, comma, after = text.partition(",")
    if comma and _words(before):
        return FoldedName(_words(before), _words(after.replace(",", " ")), True)
    words = _words(text.replace(",", " "))
    if not words:
        return FoldedName((" ".join(text.split()),), (), True)
    if len(words) > 1 and len(words[-1]) == 1:  # "Kasparov G."
        initials = next(i for i in range(len(words)) if all(len(word) == 1 for word in words[i:]))
        return FoldedName(words[: max(initials, 1)], words[max(initials, 1) :], True)
    return FoldedName(words[-1:], words[:-1], len(words) == 1)


def _words(text: str) -> tuple[str, ...]:
    words = [word for word in _BETWEEN.split(text.strip()) if word]
    while len(words) > 1 and words[0] in _TITLES:
        words.pop(0)
    return tuple(word for word in words if word != "jr" or len(words) == 1)


def given_names_agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether given names can be one person's: word by word equal, or one the other's initial."""
    return all(
        a == b or (min(len(a), len(b)) == 1 and a[0] == b[0]) for a, b in zip(one, other, strict=False)
    )


def same_person(one: str, other: str) -> bool:
    """Whether two names as written can be one person's, judged by themselves alone."""
    a, b = fold_name(one), fold_name(other)
    if a.family == b.family and given_names_agree(a.given, b.given):
        return True
    # "Hou Yifan" beside "Hou, Yifan": without a comma the order of the words is not known.
    return not (a.ordered and b.ordered) and a.words == b.words


def find_player(wanted: str, players: Iterable[str]) -> str:
    """The one player whom a user means: by their name, or words of it ("fischer", "Bobby Fischer")."""
    known = sorted(set(players))
    if wanted in known:
        return wanted
    meant = fold_name(wanted)
    found = [name for name in known if same_person(wanted, name)]
    found = found or [name for name in known if meant.words <= fold_name(name).words]
    found = found or [name for name in known if set(meant.family) <= set(fold_name(name).family)]
    found = found or [name for name in known if wanted.strip() and fold(wanted) in fold(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        more = f" and {len(known) - 8} more" if len(known) > 8 else ""
        shown = f"{'; '.join(known[:8])}{more}" if known else "none"
        raise InputError(f"there is no player '{wanted}' in these games: there are {shown}")
    raise InputError(f"'{wanted}' may be {'; '.join(found[:8])}: write more of the name")


# Whom a user means: a player, in some years or at some event.

_YEARS = re.compile(r"(\d{1,4})(?:\s*-\s*(\d{1,4}))?")
_EVENT_AND_YEAR = re.compile(r"(.+?)\s+(\d{4})")


@dataclass(frozen=True, order=True)
class Who:
    """A player in a year, in several, at an event, or in all games."""

    player: str
    year: int | None = None
    """The year, or the first of several."""
    last: int | None = None
    """The last of several years; None where it is one."""
    event: str | None = None

    def __str__(self) -> str:
        if self.event is not None:
            return f"{self.player}@{self.event}" + ("" if self.year is None else f" {self.year}")
        if self.year is None:
            return self.player
        return f"{self.player}@{self.year}" + (f"-{self.last}" if self.last is not None else "")

    @classmethod
    def parse(cls, text: str) -> Who:
        """What a user wrote; the name of the player and the event are as written."""
        name, at, rest = (part.strip() for part in text.rpartition("@"))
        if not at or not name:
            return cls(text.strip())
        years = _YEARS.fullmatch(rest)
        if years is None:
            if not rest:
                raise InputError(f"'{text}' ends with @: write {name}@1972, {name}@1970-1972 or {name}@EVENT")
            return cls(name, event=rest)
        first, last = int(years[1]), int(years[2] or years[1])
        if last < first:
            raise InputError(f"'{text}': the first year comes before the last")
        return cls(name, first, None if last == first else last)

    @property
    def years(self) -> range | None:
        """The years meant; None for all."""
        return None if self.year is None else range(self.year, (self.last or self.year) + 1)

    def found(self, players: Iterable[str], events: Iterable[str] = ()) -> Who:
        """The same with the full names of the player and the event, found among these."""
        known = replace(self, player=find_player(self.player, players))
        if self.event is None:
            return known
        name, year = find_event_and_year(self.event, events)
        return replace(known, event=name, year=self.year if year is None else year)

    def choose(self, decisions: Decisions) -> tuple[Who, Decisions]:
        """Who it is, by full name, and their decisions."""
        player = find_player(self.player, decisions.players)
        chosen = decisions.select(player=player)
        known = replace(self, player=player)
        if self.event is not None:
            known = known.found([player], (name for name in set(chosen.text("event")) if name is not None))
            chosen = chosen.select(event=known.event)
        if (years := known.years) is not None:
            chosen = chosen.select(year=years)
            if not len(chosen):
                raise InputError(
                    f"no decisions of {player} in {str(known).partition('@')[2]}: choose other years"
                )
        return known, chosen


def find_event(wanted: str, events: Iterable[str]) -> str:
    """The event that a user means: by its name, or by the words of a part of it."""
    known = sorted(set(events))
    words = fold(wanted).split()
    found = [name for name in known if fold(name) == fold(wanted)]
    found = found or [name for name in known if all(word in fold(name) for word in words)]
    if len(found) == 1:
        return found[0]
    shown = "; ".join((found or known)[:8])
    if found:
        raise InputError(f"the event '{wanted}' may be {shown}: give more of its name")
    raise InputError(f"there is no event '{wanted}' in these games: there are {shown or 'none with a name'}")


def find_event_and_year(wanted: str, events: Iterable[str]) -> tuple[str, int | None]:
    """The event that a user means, and the year where that is not part of its name: `London Classic 2011`."""
    known = sorted(set(events))
    apart = _EVENT_AND_YEAR.fullmatch(wanted.strip())
    words = fold(wanted).split()
    if apart is None or any(all(word in fold(name) for word in words) for name in known):
        return find_event(wanted, known), None
    try:
        return find_event(apart[1], known), int(apart[2])
    except InputError:
        return find_event(wanted, known), None  # its sentence names what was asked for


def parse_years(text: str | None) -> list[int] | None:
    """Years from text: 1971, or 1960-1972, or 1960,1971; None for all."""
    if text is None:
        return None
    years: list[int] = []
    for part in text.split(","):
        found = _YEARS.fullmatch(part.strip())
        if found is None:
            raise InputError(f"'{text}' are not years: write 1971, or 1960-1972, or 1960,1971")
        years += range(int(found[1]), int(found[2] or found[1]) + 1)
    if not years:
        raise InputError(f"'{text}': the first year comes before the last")
    return years
