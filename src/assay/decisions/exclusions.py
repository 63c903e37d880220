"""Why a game or a decision is left out, and what follows from each reason: the one table of them.

Rows are marked with a reason, never dropped. A game carries the first reason that applies, in the order of
`Exclusion`. `assay.pgn.reader` finds the reason of a game.

Reasons that depend on a choice are not stored: they are worked out when games are read, by the `Choice` of
whoever asks. Workspaces of an earlier assay hold such reasons; they are worked out again.

A workspace of a later assay may hold reasons that are not in this table: such a game is not rated. So code
that reads stored reasons asks whether they are in one of the sets below.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from assay.decisions.time_control import CLASSICAL, FAST, TIME_CLASSES
from assay.errors import InputError


class Exclusion(StrEnum):
    """Every reason, first reason first: the text that is stored, and its meaning."""

    meaning: str

    def __new__(cls, text: str, meaning: str) -> "Exclusion":
        """Make a member of its text, with what it means."""
        member = str.__new__(cls, text)
        member._value_ = text
        member.meaning = meaning
        return member

    TOO_LARGE = "too_large", "longer than 4 MB of text; its moves were not read"
    VARIANT = "variant", "not played by the usual rules (tag Variant)"
    NONSTANDARD_START = "nonstandard_start", "begins from a set-up position"
    ILLEGAL_MOVE = "illegal_move", "contains a move that is not legal, or a null move; read up to it"
    BROKEN_MOVES = (
        "broken_moves",
        "a variation is not closed, or the game was cut in a comment that quotes another: moves are lost",
    )
    NO_MOVES = "no_moves", "has no moves"
    DUPLICATE = "duplicate", "the same players, year and moves as another game"
    OTHER_DATE = "other_date", "not played in the days asked for"
    TOO_SHORT = "too_short", "fewer than 20 moves, or than --min-turns"
    ODDS_OR_SIMUL = "odds_or_simul", "odds, simultaneous, blindfold or consultation"
    FAST_TIME_CONTROL = "fast_time_control", "blitz or bullet, not asked for with --time"
    OTHER_TIME_CONTROL = (
        "other_time_control",
        "rapid, correspondence or another time class, not asked for with --time",
    )
    RESULT_CONFLICT = "result_conflict", "the tag Result and the end of the moves disagree"
    NO_RESULT = "no_result", "no result"
    # Of decisions of a game that may be rated.
    NOT_ANALYSED = "not_analysed", "the position has no analysis (or comment) of that recipe"
    OTHER_SCALE = "other_scale", "evaluated or rated elsewhere than most of these games: rate them apart"
    MALFORMED = "malformed", "its list of moves names a move twice, or is not best first"
    # Where strength is learned from results alone.
    NO_DATE = "no_date", "neither year nor month are known"
    NO_TWO_PLAYERS = "no_two_players", "a player is not named, or both are the same"

    def comes_before(self, other: "Exclusion") -> bool:
        """Whether this reason is the one told where both apply."""
        return _ORDER.index(self) < _ORDER.index(other)


_ORDER = list(Exclusion)

MEANINGS = {reason.value: reason.meaning for reason in Exclusion}
"""What each reason means, by the text that is stored."""

OF_GAMES = tuple(_ORDER[: _ORDER.index(Exclusion.NOT_ANALYSED)])
"""The reasons that the table games holds, first reason first."""

UNFOLLOWABLE = frozenset({Exclusion.TOO_LARGE, Exclusion.VARIANT})
"""Reasons of games that cannot be followed while they are played."""

UNPLAYABLE = UNFOLLOWABLE | {Exclusion.NO_MOVES}
"""Reasons of games whose moves cannot be replayed by the usual rules, or that have none."""

ONLY_ABOUT_MOVES = frozenset(
    {
        Exclusion.TOO_LARGE,
        Exclusion.ILLEGAL_MOVE,
        Exclusion.NO_MOVES,
        Exclusion.TOO_SHORT,
        Exclusion.OTHER_TIME_CONTROL,
    }
)
"""Reasons for which moves cannot be rated, but results count."""

PART_OF_EVENT = (
    Exclusion.TOO_SHORT.value,
    Exclusion.FAST_TIME_CONTROL.value,
    Exclusion.OTHER_TIME_CONTROL.value,
)
"""Reasons of games that count in the table of their event all the same: short draws and tie-breaks do
(Ferreira 2012)."""

BY_CHOICE = frozenset({Exclusion.OTHER_DATE.value, *PART_OF_EVENT})
"""Reasons that depend on a choice of the user, and are worked out on reading."""


def _hidden_by(reason: Exclusion) -> frozenset[str | None]:
    later = {other.value for other in Exclusion if reason.comes_before(other)} - BY_CHOICE
    return frozenset({None, *later})


AFTER_DATE = _hidden_by(Exclusion.OTHER_DATE)
"""What `OTHER_DATE` comes before; None is a game without a reason."""

AFTER_LENGTH = _hidden_by(Exclusion.TOO_SHORT)
"""What `TOO_SHORT` comes before."""

AFTER_TIME = _hidden_by(Exclusion.OTHER_TIME_CONTROL)
"""What the reasons of time come before."""

_DATE = re.compile(r"\d{4}(?:\.\d\d){0,2}")

MIN_TURNS = 20
"""A game of fewer turns is too short by default."""


@dataclass(frozen=True)
class Choice:
    """What a user may choose: the time classes that are rated, the turns that a game must have, its date."""

    times: frozenset[str] = CLASSICAL
    min_turns: int = MIN_TURNS
    since: str | None = None
    """The first day of games that are rated, 2024.05.31; None for all."""
    until: str | None = None
    """The last day."""

    @classmethod
    def parse(cls, times: str | Iterable[str] | None = None, min_turns: int | None = None) -> "Choice":
        """The choice in words: `classical,rapid`, or `all`; None is the default."""
        chosen = CLASSICAL
        if times is not None:
            words = times.split(",") if isinstance(times, str) else list(times)
            named = [word.strip().lower() for word in words if word.strip()]
            chosen = frozenset(TIME_CLASSES if named == ["all"] else named)
            unknown = sorted(chosen - set(TIME_CLASSES))
            if unknown or not chosen:
                wrong = f", not '{unknown[0]}'" if unknown else ""
                raise InputError(f"--time takes {', '.join(TIME_CLASSES)}, or all{wrong}")
        if min_turns is not None and min_turns < 0:
            raise InputError(f"the least number of turns must not be negative: {min_turns}")
        return cls(chosen, MIN_TURNS if min_turns is None else min_turns)

    @property
    def min_plies(self) -> int:
        """The plies that a game must have."""
        return 2 * self.min_turns

    def includes(self, date: str | None) -> bool:
        """Whether a game of this date, as far as it is known, can be of the days in question."""
        if self.since is None and self.until is None:
            return True
        day = _DATE.match((date or "").replace("-", ".").replace("/", "."))
        if day is None:
            return False
        length = len(day[0])
        return (self.since or "0")[:length] <= day[0] <= (self.until or "9")[:length]

    def reason(
        self, stored: str | None, n_plies: int, time_class: str, date: str | None = None
    ) -> str | None:
        """The first reason of a game that carries this plain one, or none (`assay.workspace.games`)."""
        if stored in AFTER_DATE and not self.includes(date):
            return Exclusion.OTHER_DATE.value
        if stored in AFTER_LENGTH and n_plies < self.min_plies:
            return Exclusion.TOO_SHORT.value
        if stored in AFTER_TIME and time_class not in self.times:
            fast = time_class in FAST
            return (Exclusion.FAST_TIME_CONTROL if fast else Exclusion.OTHER_TIME_CONTROL).value
        return None if stored is None else str(stored)
