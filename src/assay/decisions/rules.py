"""Named rules that keep or leave out decisions; each method names those it applies.

A rule is a function from decisions to a mask, with a name that is printed beside results. Rules combine:
`after_turn(8) & within(300)`, `~repeated`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Mask
from assay.decisions.decisions import Decisions


@dataclass(frozen=True)
class Rule:
    """A named rule."""

    name: str
    mask: Callable[[Decisions], Mask]
    remedy: str = ""
    """What to do where no decision passes, if other games do not help."""

    def __call__(self, decisions: Decisions) -> Mask:
        """Which rows the rule keeps."""
        return self.mask(decisions)

    def __and__(self, other: Rule) -> Rule:
        return Rule(f"{self.name} and {other.name}", lambda d: self(d) & other(d))

    def __or__(self, other: Rule) -> Rule:
        return Rule(f"({self.name} or {other.name})", lambda d: self(d) | other(d))

    def __invert__(self) -> Rule:
        return Rule(f"not ({self.name})", lambda d: ~self(d))

    def __str__(self) -> str:
        return self.name


def after_turn(turn: int) -> Rule:
    """Leave out turns 1 to `turn`: the opening. Decisions without turns have no opening."""
    return Rule(f"after turn {turn}", lambda d: ~(d.numbers("ply") < 2 * turn))


def not_forced() -> Rule:
    """Leave out decisions with one legal move only."""
    return Rule("not forced", lambda d: ~(d.numbers("n_legal") <= 1))


def not_repeated() -> Rule:
    """Leave out positions that had occurred before in the game."""
    return Rule("not repeated", lambda d: d.numbers("repetition") == 0)


def within(centipawns: int) -> Rule:
    """Leave out positions decided by more than `centipawns`, either way."""
    return Rule(f"within {centipawns} cp", lambda d: np.abs(d.numbers("before")) <= centipawns)


FEWEST_LINES = 4
"""With fewer options listed, and more that are legal, what else could have been chosen is a guess."""

MORE_LINES = f"analyse with {FEWEST_LINES} lines or more, such as --recipe standard"


def evaluated() -> Rule:
    """Leave out decisions whose played move has no value of its own."""
    return Rule("played move evaluated", lambda d: d.played_index >= 0, MORE_LINES)


def among_lines() -> Rule:
    """Leave out decisions whose played move was outside the lines (searched alone, or not at all)."""
    return Rule(
        "played move among the lines",
        lambda d: (d.played_index >= 0) & (d.played_index < d.numbers("n_lines")),
    )


def loss_known() -> Rule:
    """Leave out decisions whose only evaluated option is the played move, though others were legal.

    Two searches, of the position and of the next one, tell the loss as well (assay.decisions.measures).
    """
    return Rule(
        "other options evaluated",
        lambda d: (d.n_options > 1) | (d.numbers("n_legal") == 1) | d.two_searches,
        MORE_LINES,
    )


def has_gain() -> Rule:
    """Leave out decisions without a value before or after the move."""
    return Rule(
        "gain known",
        lambda d: ~np.isnan(d.numbers("before")) & ~np.isnan(d.numbers("after")),
        "analyse the moves of both sides, without --own-moves",
    )


def timed() -> Rule:
    """Leave out moves without a clock before them, or of which nobody knows how long they took."""
    return Rule(
        "clock known",
        lambda d: ~np.isnan(d.numbers("seconds_spent")) & ~np.isnan(d.numbers("seconds_before")),
    )


def choice_of_two() -> Rule:
    """Leave out decisions with fewer than two evaluated options."""
    return Rule("two options or more", lambda d: d.n_options >= 2, MORE_LINES)


def enough_lines() -> Rule:
    """Leave out decisions with fewer than FEWEST_LINES lines, unless all legal moves have one.

    Where that is most of them, none is kept: two lines cannot carry a method that reads all options, and the
    few positions with two legal moves are no sample of anybody's play.
    """

    def mask(decisions: Decisions) -> Mask:
        lines, legal = decisions.numbers("n_lines"), decisions.numbers("n_legal")
        enough: Mask = (lines >= FEWEST_LINES) | (lines >= legal)
        return enough if 2 * enough.sum() >= len(enough) else np.zeros(len(decisions), dtype=bool)

    return Rule(f"{FEWEST_LINES} lines or all legal moves", mask, MORE_LINES)


def traced() -> Rule:
    """Leave out decisions without the lines of every depth; all of them where no trace was read."""
    return Rule("searched with a trace", lambda d: d.traced)


def rated(include: Iterable[str] = ()) -> Rule:
    """Leave out what carries a reason, but for the reasons in `include`."""
    allowed = set(include)

    def mask(decisions: Decisions) -> Mask:
        names = decisions.names("exclusion")
        codes = [-1, *(code for code, name in enumerate(names) if name in allowed)]
        return np.isin(decisions.codes("exclusion"), codes)

    return Rule("rated" + (f" or {', '.join(sorted(allowed))}" if allowed else ""), mask)
