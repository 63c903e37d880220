"""The time of each move, from the clocks of a game: seconds before, spent and left.

A clock is what the player who moved has left, the increment added. So a move took the player's clock before
it, and the increment, less the clock after it. The increment is that of the tag TimeControl, which tells too
when more time comes (`40/5400+30:1800+30`); without one, it is the most that a clock of the game goes up
between two moves of one side, which is the increment or less. A clock that rises by more runs backwards, or
was set anew: nothing is known of that move, nor of what the player's next one took. A side that begins with
half the time or less gave the other half up (lichess's berserk), and its increment with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.time_control import periods_of

FIRST_CLOCKS = 40
"""So many clocks tell the increment: those of the first twenty turns, before any time is added at move 40."""

MOST_INCREMENT = 180.0
"""Seconds: a clock that goes up by more was set anew."""

MOST_SECONDS = 14 * 86_400.0
"""More than this on a clock, or for a move, cannot be: two weeks for one move of a correspondence game."""

ROUNDING = 1.0
"""Seconds by which a move may seem to have taken less than none: most files have clocks in whole seconds."""


@dataclass(frozen=True, eq=False)
class MoveTimes:
    """Seconds of each move, NaN where they are not known, and why some clocks are left out."""

    before: Floats
    spent: Floats
    left: Floats
    backwards: int = 0
    """Moves by which a clock gained more than the increment."""
    absurd: int = 0
    """Clocks and times of moves that cannot be."""


def move_times(
    clock: npt.ArrayLike, elapsed: npt.ArrayLike, lengths: Ints, controls: Sequence[str | None]
) -> MoveTimes:
    """Seconds of the moves of games, one game after another.

    `clock` and `elapsed` are what the comments behind each move say, NaN where nothing; `lengths` the number
    of moves of each game, `controls` their tags TimeControl.
    """
    game = np.repeat(np.arange(len(lengths)), lengths)
    ply = np.arange(len(game)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    (shown, bad_clocks), (told, bad_times) = _possible(clock), _possible(elapsed)
    before = np.full(len(shown), np.nan)
    before[2:] = shown[:-2]
    before[ply < 2] = np.nan
    base, increment, each_move, added_later = _by_tags(controls, lengths)
    halved = _halved(shown, ply, game, np.where(each_move, np.nan, base))
    added = np.where(halved, 0.0, _increments(shown - before, ply, game, increment)[game]) + added_later
    begins = np.where(halved, base[game] / 2, base[game])
    before = np.where(((ply < 2) & ~np.isnan(shown)) | each_move[game], begins, before)
    spent = np.where((ply < 2) & ~each_move[game], np.nan, before + added - shown)
    backwards = spent < -ROUNDING
    doubted = np.zeros(len(shown), dtype=bool)  # the clock that the move before showed
    doubted[2:] = backwards[:-2]
    doubted &= (ply >= 2) & ~each_move[game]
    before = np.where(doubted, np.nan, before)
    by_clock = np.where(backwards | doubted, np.nan, np.maximum(spent, 0.0))
    shown = np.where(backwards, np.nan, shown)
    return MoveTimes(
        before=before,
        spent=np.where(np.isnan(told), by_clock, told),
        left=shown,
        backwards=int(backwards.sum()),
        absurd=bad_clocks + bad_times,
    )


_WRONG = {
    "backwards": "gain more than the increment by a move",
    "absurd": "show a time that cannot be",
}


def wrong_in_words(counts: Mapping[str, int]) -> list[str]:
    """A sentence about clocks that show nothing, from how many there are of each kind."""
    kinds = [f"{counts[kind]:,} {words}" for kind, words in _WRONG.items() if counts.get(kind)]
    return [f"clocks that cannot be right are left out: {', '.join(kinds)}"] if kinds else []


def _possible(seconds: npt.ArrayLike) -> tuple[Floats, int]:
    """The seconds that can be, NaN for the others, and how many cannot."""
    values = np.array(seconds, dtype=np.float64)
    absurd = (values > MOST_SECONDS) | (values < 0)
    values[absurd] = np.nan
    return values, int(absurd.sum())


def _by_tags(controls: Sequence[str | None], lengths: Ints) -> tuple[Floats, Floats, Mask, Floats]:
    """Base time and increment of each game by its tag TimeControl; NaN where it gives none.

    Then whether the base time is for each move anew, as in correspondence games, and the seconds that each
    move of all games brings besides the increment, when a period ends.
    """
    first = np.full((len(controls), 3), np.nan)
    added = np.zeros(int(lengths.sum()))
    ends = np.cumsum(lengths)
    for game, control in enumerate(controls):
        periods = periods_of(control)
        if periods:
            first[game] = periods[0].base, periods[0].increment, periods[0].moves
        turn = 0
        for period, following in pairwise(periods):
            turn += period.moves
            place = ends[game] - lengths[game] + 2 * (turn - 1)
            if turn:
                added[place : min(place + 2, ends[game])] += following.base
    base, increment, moves = first.T
    return base, increment, moves == 1, added


def _increments(rise: Floats, ply: Ints, game: Ints, by_tag: Floats) -> Floats:
    """The increment of each game: what the tag tells, else the most that a clock rises in the beginning."""
    seen = np.zeros(len(by_tag))
    early = (ply < FIRST_CLOCKS) & (rise > 0) & (rise <= MOST_INCREMENT)
    np.maximum.at(seen, game[early], rise[early])
    return np.where(np.isnan(by_tag), seen, by_tag)


def _halved(shown: Floats, ply: Ints, game: Ints, base: Floats) -> Mask:
    """Whether each move is of a side that began with half the time or less."""
    first = np.full((len(base), 2), np.nan)
    begins = ply < 2
    first[game[begins], ply[begins]] = shown[begins]
    side: Mask = first <= base[:, None] / 2 + ROUNDING
    return side[game, ply % 2]
