"""Whom a user means: a player, in some years or at some event.

Fischer              all games of the player whose name has this part
Fischer@1972         the games of one year
Tal@1958-1960        of several years, the first and the last among them
Anand@London 2011    of one event, by a part of its name; the year may be that of the games
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.decisions.names import find_player, fold
from assay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.decisions.decisions import Decisions

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
