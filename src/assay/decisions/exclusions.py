"""Why a game or a decision is left out, and what follows from each reason: the one table of them.

Rows are marked with a reason, never dropped. A game carries the first reason that applies, in the order of
`Exclusion`. `assay.pgn.excluded_games` finds the reason of a game.

Reasons that depend on a choice are not stored: they are worked out when games are read, by the `Choice` of
whoever asks. Workspaces of an earlier assay hold such reasons; they are worked out again.

A workspace of a later assay may hold reasons that are not in this table: such a game is not rated. So code
that reads stored reasons asks whether they are in one of the sets below.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Flag, StrEnum, auto

from assay.decisions.time_control import CLASSICAL, FAST, TIME_CLASSES
from assay.errors import InputError


class Effect(Flag):
    """What follows from a reason."""

    NONE = 0
    ON_DECISION = auto()
    """A decision of a game that may be rated carries it."""
    ON_RESULT = auto()
    """It matters only where strength is learned from results alone."""
    BY_CHOICE = auto()
    """Another user could sensibly draw the line elsewhere."""
    NOT_REPLAYABLE = auto()
    """The moves cannot be replayed by the usual rules, so there are no decisions."""
    NOT_FOLLOWABLE = auto()
    """The game cannot be followed while it is played."""
    RESULT_COUNTS = auto()
    """The reason is about the moves alone: the result of the game counts."""
    COUNTS_IN_EVENT = auto()
    """The game counts in the table of its event: short draws and tie-breaks do (Ferreira 2012)."""


class Exclusion(StrEnum):
    """Every reason, first reason first: the text that is stored, its meaning, its effects."""

    meaning: str
    effects: Effect

    def __new__(cls, text: str, meaning: str, effects: Effect = Effect.NONE) -> "Exclusion":
        """Make a member of its text, with what it means and what follows from it."""
        member = str.__new__(cls, text)
        member._value_ = text
        member.meaning, member.effects = meaning, effects
        return member

    TOO_LARGE = (
        "too_large",
        "longer than 4 MB of text; its moves were not read",
        Effect.NOT_REPLAYABLE | Effect.NOT_FOLLOWABLE | Effect.RESULT_COUNTS,
    )
    VARIANT = (
        "variant",
        "not played by the usual rules (tag Variant)",
        Effect.NOT_REPLAYABLE | Effect.NOT_FOLLOWABLE,
    )
    NONSTANDARD_START = "nonstandard_start", "begins from a set-up position"
    ILLEGAL_MOVE = (
        "illegal_move",
        "holds a move that is not legal, or a null move; read up to it",
        Effect.RESULT_COUNTS,
    )
    BROKEN_MOVES = (
        "broken_moves",
        "a variation is not closed, or the game was cut in a comment that quotes another: moves are lost",
    )
    NO_MOVES = "no_moves", "has no moves", Effect.NOT_REPLAYABLE | Effect.RESULT_COUNTS
    DUPLICATE = "duplicate", "the same players, year and moves as another game"
    TOO_SHORT = (
        "too_short",
        "under 20 turns, or what --min-turns says",
        Effect.BY_CHOICE | Effect.RESULT_COUNTS | Effect.COUNTS_IN_EVENT,
    )
    ODDS_OR_SIMUL = "odds_or_simul", "odds, simultaneous, blindfold or consultation"
    FAST_TIME_CONTROL = (
        "fast_time_control",
        "blitz or bullet, not asked for with --time",
        Effect.BY_CHOICE | Effect.COUNTS_IN_EVENT,
    )
    OTHER_TIME_CONTROL = (
        "other_time_control",
        "rapid, correspondence or another time class, not asked for with --time",
        Effect.BY_CHOICE | Effect.RESULT_COUNTS | Effect.COUNTS_IN_EVENT,
    )
    RESULT_CONFLICT = "result_conflict", "the tag Result and the end of the moves disagree"
    NO_RESULT = "no_result", "no result"
    NOT_ANALYSED = (
        "not_analysed",
        "the position has no analysis (or comment) of that recipe",
        Effect.ON_DECISION,
    )
    OTHER_SCALE = (
        "other_scale",
        "evaluated or rated elsewhere than most of these games: rate them apart",
        Effect.ON_DECISION,
    )
    MALFORMED = (
        "malformed",
        "its list of moves names a move twice, or is not best first",
        Effect.ON_DECISION,
    )
    NO_DATE = "no_date", "neither year nor month are known", Effect.ON_RESULT
    NO_TWO_PLAYERS = "no_two_players", "a player is not named, or both are the same", Effect.ON_RESULT

    def comes_before(self, other: "Exclusion") -> bool:
        """Whether this reason is the one told where both apply."""
        return _ORDER.index(self) < _ORDER.index(other)


_ORDER = list(Exclusion)

MEANINGS = {reason.value: reason.meaning for reason in Exclusion}
"""What each reason means, by the text that is stored."""

OF_GAMES = tuple(r for r in Exclusion if not r.effects & (Effect.ON_DECISION | Effect.ON_RESULT))
"""The reasons that the table games holds, first reason first."""

UNPLAYABLE = frozenset(reason for reason in OF_GAMES if Effect.NOT_REPLAYABLE in reason.effects)
"""Reasons of games whose moves cannot be replayed by the usual rules, or that have none."""

UNFOLLOWABLE = frozenset(reason for reason in OF_GAMES if Effect.NOT_FOLLOWABLE in reason.effects)
"""Reasons of games that cannot be followed while they are played."""

ONLY_ABOUT_MOVES = frozenset(reason for reason in OF_GAMES if Effect.RESULT_COUNTS in reason.effects)
"""Reasons for which moves cannot be rated, but results count."""

PART_OF_EVENT = tuple(reason.value for reason in OF_GAMES if Effect.COUNTS_IN_EVENT in reason.effects)
"""Reasons of games that count in the table of their event all the same."""

BY_CHOICE = frozenset(reason.value for reason in Exclusion if Effect.BY_CHOICE in reason.effects)
"""Reasons that depend on a choice of the user, and are worked out on reading."""


def _hidden_by(reason: Exclusion) -> frozenset[str | None]:
    later = {other.value for other in Exclusion if reason.comes_before(other)} - BY_CHOICE
    return frozenset({None, *later})


AFTER_LENGTH = _hidden_by(Exclusion.TOO_SHORT)
"""What `TOO_SHORT` comes before; None is a game without a reason."""

AFTER_TIME = _hidden_by(Exclusion.OTHER_TIME_CONTROL)
"""What the reasons of time come before."""

MIN_TURNS = 20
"""A game of fewer turns is too short by default."""


@dataclass(frozen=True)
class Choice:
    """What a user may choose: the time classes that are rated, the turns that a game must have."""

    times: frozenset[str] = CLASSICAL
    min_turns: int = MIN_TURNS

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

    def reason(self, stored: str | None, n_plies: int, time_class: str) -> str | None:
        """The first reason of a game that carries this plain one, or none (`assay.workspace.games`)."""
        if stored in AFTER_LENGTH and n_plies < self.min_plies:
            return Exclusion.TOO_SHORT.value
        if stored in AFTER_TIME and time_class not in self.times:
            fast = time_class in FAST
            return (Exclusion.FAST_TIME_CONTROL if fast else Exclusion.OTHER_TIME_CONTROL).value
        return None if stored is None else str(stored)
