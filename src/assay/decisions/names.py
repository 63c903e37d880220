"""Names of players as written, folded so that the same person compares equal.

"Kasparov, Garry", "Kasparov, G", "Garry Kasparov" and "Kasparov,G." differ in order, initials and
punctuation; diacritics, case and titles do not matter. A name with digits in it (an engine, a user name) is
not taken apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.decisions.decisions import Decisions


_TITLE = re.compile(r"w?(gm|im|fm|cm|nm)|a(gm|im|fm|cm)|hgm|lm|dr|prof|mrs?|ms|sir")
# Letters that Unicode does not take apart into a base letter and a mark.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i"}
)
_BRACKETED = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_BETWEEN = re.compile(r"[\s.\-_'’`]+")


@dataclass(frozen=True)
class FoldedName:
    """A name taken apart: family names and given names (initials among them), folded.

    `ordered`: the comma shows which is which.
    """

    family: tuple[str, ...]
    given: tuple[str, ...]
    ordered: bool

    @property
    def words(self) -> frozenset[str]:
        """All its words, whatever their order."""
        return frozenset(self.family + self.given)


NAMELESS = "?"


def name_of_side(name: str, colour: str, game_id: str) -> str:
    """The name of a side of a game; whoever is not named is somebody else in every game."""
    return f"{NAMELESS} ({colour} of game {game_id[:6]})" if name == NAMELESS else name


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
    while len(words) > 1 and _TITLE.fullmatch(words[0]):
        words.pop(0)
    return tuple(word for word in words if word != "jr" or len(words) == 1)


def given_names_agree(given: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether given names can be one person's: word by word equal, or one the other's initial."""
    return all(
        a == b or (min(len(a), len(b)) == 1 and a[0] == b[0]) for a, b in zip(given, other, strict=False)
    )


def same_person(name: str, other: str) -> bool:
    """Whether two names as written can be one person's, judged by themselves alone."""
    a, b = fold_name(name), fold_name(other)
    if a.family == b.family and given_names_agree(a.given, b.given):
        return True
    # "Hou Yifan" beside "Hou, Yifan": without a comma the order of the words is not known.
    return not (a.ordered and b.ordered) and a.words == b.words


def find_player(wanted: str, players: Iterable[str]) -> str:
    """The player whom a user means: by their name, or words of it ("fischer", "Bobby Fischer")."""
    names = sorted(set(players))
    if wanted in names:
        return wanted
    meant = fold_name(wanted)
    matches = [name for name in names if same_person(wanted, name)]
    matches = matches or [name for name in names if meant.words <= fold_name(name).words]
    matches = matches or [name for name in names if set(meant.family) <= set(fold_name(name).family)]
    matches = matches or [name for name in names if wanted.strip() and fold(wanted) in fold(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InputError(f"'{wanted}' may be {'; '.join(matches[:8])}: write more of the name")
    if close := _alike(wanted, names):
        raise InputError(f"there is no player '{wanted}' in these games: did you mean {' or '.join(close)}?")
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    shown = f"{'; '.join(names[:8])}{more}" if names else "none"
    raise InputError(f"there is no player '{wanted}' in these games: there are {shown}")


_MOST_LOOKED_AT = 20_000
"""Names among which like ones are looked for: more take seconds."""


def _alike(wanted: str, names: Sequence[str]) -> list[str]:
    """Names that are spelt much as this one, as a whole or by the family name; the likest first."""
    from difflib import get_close_matches

    spelt: dict[str, str] = {}
    for name in names[:_MOST_LOOKED_AT]:
        spelt.setdefault(fold(name), name)
        spelt.setdefault(" ".join(fold_name(name).family), name)
    return list(dict.fromkeys(spelt[text] for text in get_close_matches(fold(wanted), spelt, 3, 0.7)))


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

    def resolve(self, players: Iterable[str], events: Iterable[str] = ()) -> Who:
        """The same with the full names of the player and the event among these."""
        named = replace(self, player=find_player(self.player, players))
        if self.event is None:
            return named
        event, year = find_event_and_year(self.event, events)
        return replace(named, event=event, year=self.year if year is None else year)

    def choose(self, decisions: Decisions) -> tuple[Who, Decisions]:
        """Who it is, by full name, and their decisions."""
        player = find_player(self.player, decisions.players)
        chosen = decisions.select(player=player)
        who = self.resolve([player], (name for name in set(chosen.text("event")) if name is not None))
        if who.event is not None:
            chosen = chosen.select(event=who.event)
        if who.years is not None:
            years = [year for year in chosen.numbers("year").tolist() if year == year]  # not unknown
            chosen = chosen.select(year=who.years)
            if not len(chosen):
                known = f" ({min(years):.0f}-{max(years):.0f})" if years else ""
                raise InputError(f"no decisions of {player} in {who.when}: choose other years{known}")
        return who, chosen

    @property
    def when(self) -> str:
        """The years or the event, as text; nothing where all games are meant."""
        return str(self)[len(self.player) + 1 :]


def choose_players(decisions: Decisions, names: Sequence[str]) -> tuple[list[Who], Decisions]:
    """Whom a user means, and all decisions but theirs in other years or at other events."""
    chosen = [Who.parse(name).choose(decisions) for name in names]
    whom = [who for who, _ in chosen]
    if not any(who.when for who in whom):
        return whom, decisions
    games = {who.player: set[str | None]() for who in whom}
    for who, part in chosen:
        games[who.player] |= set(part.text("game_id"))
    player, game = decisions.text("player"), decisions.text("game_id")
    keep = [name not in games or of in games[name] for name, of in zip(player, game, strict=True)]
    return whom, decisions.take(np.flatnonzero(keep))


def find_event(wanted: str, events: Iterable[str]) -> str:
    """The event that a user means: by its name, or by the words of a part of it."""
    names = sorted(set(events))
    matches = [name for name in names if name == wanted]
    matches = matches or [name for name in names if fold(name) == fold(wanted)]
    matches = matches or [name for name in names if _has_words(name, wanted)]
    if len(matches) == 1:
        return matches[0]
    shown = "; ".join((matches or names)[:8])
    if matches:
        raise InputError(f"the event '{wanted}' may be {shown}: give more of its name")
    raise InputError(f"there is no event '{wanted}' in these games: there are {shown or 'none with a name'}")


def find_event_and_year(wanted: str, events: Iterable[str]) -> tuple[str, int | None]:
    """The event that a user means, and the year where that is not part of its name: `London Classic 2011`."""
    names = sorted(set(events))
    apart = _EVENT_AND_YEAR.fullmatch(wanted.strip())
    if apart is not None and not any(_has_words(name, wanted) for name in names):
        with suppress(InputError):  # the sentence below names what was asked for
            return find_event(apart[1], names), int(apart[2])
    return find_event(wanted, names), None


def _has_words(name: str, wanted: str) -> bool:
    return all(word in fold(name) for word in fold(wanted).split())


def parse_years(text: str | None) -> list[int] | None:
    """Years from text: 1971, or 1960-1972, or 1960,1971; None for all."""
    if text is None:
        return None
    years: list[int] = []
    for part in text.split(","):
        match = _YEARS.fullmatch(part.strip())
        if match is None:
            raise InputError(f"'{text}' are not years: write 1971, or 1960-1972, or 1960,1971")
        years += range(int(match[1]), int(match[2] or match[1]) + 1)
    if not years:
        raise InputError(f"'{text}': the first year comes before the last")
    return years


def spans(years: Sequence[int]) -> str:
    """Years as text, runs of them joined: 1955-1958, 1960."""
    runs: list[list[int]] = []
    for year in sorted(years):
        if runs and year == runs[-1][-1] + 1:
            runs[-1].append(year)
        else:
            runs.append([year])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs) or "no year"
