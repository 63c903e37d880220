"""Why a game or a decision is left out, and what follows from each reason: the one table of them.

Rows are marked with a reason, never dropped. A game carries the first reason that applies, in the order of
`Exclusion`. How a reason is recognised is a matter of whoever reads games (`assay.pgn.exclusions`); what
follows from it is said here.

Reasons that depend on a choice (`Facts.by_choice`) are not stored: they are worked out when games are read,
by the `Choice` of whoever asks. Workspaces of an earlier assay hold such reasons; they are worked out anew.

A workspace of a later assay may hold reasons that are not in this table: such a game is not rated, and
nothing else is known of it. So code that reads stored reasons asks whether they are in one of the sets below.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from assay.errors import InputError


@dataclass(frozen=True)
class Facts:
    """What is to be known of a reason."""

    meaning: str
    """What it means, as said to the user."""
    carrier: str = "game"
    """What carries it: a `game`; a `decision` of a game that may be rated; a `result`, where strength is
    learned from results alone."""
    by_choice: bool = False
    """Whether another user could sensibly draw the line elsewhere; all others are plain facts of a game."""
    replayable: bool = True
    """Whether the moves can be replayed by the usual rules, so that there are positions and decisions."""
    followable: bool = True
    """Whether the game can be followed while it is played."""
    result_counts: bool = False
    """Whether the reason is about the moves alone: the result of the game is a result all the same."""
    counts_in_event: bool = False
    """Whether the game counts in the table of its event: short draws and tie-breaks are part of one, as in
    Ferreira 2012."""


class Exclusion(StrEnum):
    """Every reason, first reason first; a member is the text that is stored."""

    facts: Facts

    def __new__(cls, text: str, facts: Facts) -> "Exclusion":
        """A member: its text with what follows from it."""
        member = str.__new__(cls, text)
        member._value_ = text
        member.facts = facts
        return member

    TOO_LARGE = (
        "too_large",
        Facts(
            "longer than 4 MB of text; its moves were not read",
            replayable=False,
            followable=False,
            result_counts=True,
        ),
    )
    VARIANT = (
        "variant",
        Facts("not played by the usual rules (tag Variant)", replayable=False, followable=False),
    )
    NONSTANDARD_START = "nonstandard_start", Facts("begins from a set-up position")
    ILLEGAL_MOVE = (
        "illegal_move",
        Facts("holds a move that is not legal, or a null move; read up to it", result_counts=True),
    )
    BROKEN_MOVES = (
        "broken_moves",
        Facts(
            "a variation is not closed, or the game was cut in a comment that quotes another: moves are lost"
        ),
    )
    NO_MOVES = "no_moves", Facts("has no moves", replayable=False, result_counts=True)
    DUPLICATE = "duplicate", Facts("the same players, year and moves as another game")
    TOO_SHORT = (
        "too_short",
        Facts(
            "under 20 turns, or what --min-turns says",
            by_choice=True,
            result_counts=True,
            counts_in_event=True,
        ),
    )
    ODDS_OR_SIMUL = "odds_or_simul", Facts("odds, simultaneous, blindfold or consultation")
    FAST_TIME_CONTROL = (
        "fast_time_control",
        Facts("blitz or bullet, not asked for with --time", by_choice=True, counts_in_event=True),
    )
    OTHER_TIME_CONTROL = (
        "other_time_control",
        Facts(
            "rapid, correspondence or another time class, not asked for with --time",
            by_choice=True,
            result_counts=True,
            counts_in_event=True,
        ),
    )
    RESULT_CONFLICT = "result_conflict", Facts("the tag Result and the end of the moves disagree")
    NO_RESULT = "no_result", Facts("no result")
    NOT_ANALYSED = (
        "not_analysed",
        Facts("the position has no analysis (or comment) of that recipe", carrier="decision"),
    )
    OTHER_SCALE = (
        "other_scale",
        Facts("evaluated or rated elsewhere than most of these games: rate them apart", carrier="decision"),
    )
    NO_DATE = "no_date", Facts("neither year nor month are known", carrier="result")
    NO_TWO_PLAYERS = (
        "no_two_players",
        Facts("a player is not named, or both are the same", carrier="result"),
    )

    @property
    def meaning(self) -> str:
        """What the reason means, as said to the user."""
        return self.facts.meaning

    def comes_before(self, other: "Exclusion") -> bool:
        """Whether this reason is the one told where both apply."""
        return _ORDER[self] < _ORDER[other]


TIME_CLASSES = ("classical", "rapid", "blitz", "bullet", "correspondence", "unknown")
"""How fast a game was played: what the column time_class holds."""

FAST = frozenset({"bullet", "blitz"})
"""The time classes of which `FAST_TIME_CONTROL` speaks."""

CLASSICAL = frozenset({"classical", "unknown"})
"""The time classes that are rated where nobody chooses: Regan and Alliot use games at classical controls."""

MIN_TURNS = 20
"""A game of fewer turns is too short, where nobody chooses."""


@dataclass(frozen=True)
class Choice:
    """Where a user draws the lines that another could sensibly draw elsewhere."""

    times: frozenset[str] = CLASSICAL
    """The time classes that are rated."""
    min_turns: int = MIN_TURNS
    """The turns that a game must have."""

    @classmethod
    def parse(cls, times: str | Iterable[str] | None = None, min_turns: int | None = None) -> "Choice":
        """The choice in words: `classical,rapid`, or `all`; what is not chosen stays as it is."""
        chosen = CLASSICAL
        if times is not None:
            words = times.split(",") if isinstance(times, str) else list(times)
            named = [word.strip().lower() for word in words if word.strip()]
            chosen = frozenset(TIME_CLASSES if named == ["all"] else named)
            unknown = sorted(chosen - set(TIME_CLASSES))
            if unknown or not chosen:
                said = f", not '{unknown[0]}'" if unknown else ""
                raise InputError(f"--time takes {', '.join(TIME_CLASSES)}, or all{said}")
        if min_turns is not None and min_turns < 0:
            raise InputError(f"the least number of turns must not be negative: {min_turns}")
        return cls(chosen, MIN_TURNS if min_turns is None else min_turns)

    @property
    def min_plies(self) -> int:
        """The plies that a game must have."""
        return 2 * self.min_turns

    def reason(self, stored: str | None, n_plies: int, time_class: str) -> str | None:
        """The first reason of a game that carries this plain one, or none (`assay.workspace.marks`)."""
        if stored in AFTER_LENGTH and n_plies < self.min_plies:
            return Exclusion.TOO_SHORT.value
        if stored in AFTER_TIME and time_class not in self.times:
            fast = time_class in FAST
            return (Exclusion.FAST_TIME_CONTROL if fast else Exclusion.OTHER_TIME_CONTROL).value
        return None if stored is None else str(stored)


_ORDER = {reason: place for place, reason in enumerate(Exclusion)}

BY_CHOICE = frozenset(reason.value for reason in Exclusion if reason.facts.by_choice)
"""Reasons that depend on a choice of the user, and are worked out on reading."""

AFTER_LENGTH: frozenset[str | None] = (
    frozenset({None})
    | {reason.value for reason in Exclusion if Exclusion.TOO_SHORT.comes_before(reason)} - BY_CHOICE
)
"""What `TOO_SHORT` comes before; None is a game without a reason."""

AFTER_TIME: frozenset[str | None] = (
    frozenset({None})
    | {reason.value for reason in Exclusion if Exclusion.OTHER_TIME_CONTROL.comes_before(reason)} - BY_CHOICE
)
"""What the reasons of time come before."""

OF_GAMES = tuple(reason for reason in Exclusion if reason.facts.carrier == "game")
"""The reasons that the table games holds, first reason first."""

MEANINGS = {reason.value: reason.meaning for reason in Exclusion}
"""What each reason means, by the text that is stored."""

UNPLAYABLE = frozenset(reason for reason in OF_GAMES if not reason.facts.replayable)
"""Reasons of games whose moves cannot be replayed by the usual rules, or that have none."""

UNFOLLOWABLE = frozenset(reason for reason in OF_GAMES if not reason.facts.followable)
"""Reasons of games that cannot be followed while they are played."""

ONLY_ABOUT_MOVES = frozenset(reason for reason in OF_GAMES if reason.facts.result_counts)
"""Reasons for which moves cannot be rated, but results count."""

PART_OF_EVENT = tuple(reason.value for reason in OF_GAMES if reason.facts.counts_in_event)
"""Reasons of games that count in the table of their event all the same."""
