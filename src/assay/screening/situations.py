"""Who can be screened, and how far their rating is to be trusted: one rule for each situation.

| situation | rule |
|---|---|
| unrated | not screened, and named as such; there is nothing to hold the moves against |
| a rating that is plainly wrong | not screened: below 1000 or above 3000 |
| a rating beyond the mileposts | screened, and said: the agents there are drawn on along straight lines |
| ratings of one player that differ by more than 100 | the error of the rating is 150 instead of 60 |
| juniors, comebacks, stale ratings | games do not tell: `unsure` names them, the error is 150 then |
| fewer than 20 turns | not screened |
| fast games | not screened unless asked for (`--time`), and said: there are no norms for them |
| preparation | left out: turns 1 to 8, and positions that three players or more had |
| decided positions, repetitions | left out |
| endgames | screened; more is expected of everyone there (assay.screening.curves) |
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.time_control import CLASSICAL
from assay.rating.priors import RATING_ERROR

LEAST_TURNS = 20
"""Fewer turns than this are not screened unless asked for."""

LOWEST, HIGHEST = 1000.0, 3000.0
"""Ratings beyond these are plainly wrong."""

UNSURE = 150.0
"""Error of the rating of somebody whose strength may have moved on since."""

MOVED = 100.0
"""Where the ratings of one player in these games differ by more, strength is moving."""

BEYOND = 50.0
"""Points beyond the outermost milepost at which it is said that the scale is drawn on."""


def not_screened(elo: Floats, turns: int, least: int) -> str | None:
    """Why appearances with these ratings cannot be screened, in words; None where they can."""
    known = elo[np.isfinite(elo)]
    if not len(known):
        return "no rating in these games"
    wrong = known[(known < LOWEST) | (known > HIGHEST)]
    if len(wrong):
        return f"a rating of {wrong[0]:.0f} is plainly wrong: correct it in the games"
    if turns < least:
        return f"{turns} turns, fewer than {least}"
    return None


def rating_error(elo: Floats, unsure: bool, usual: float = RATING_ERROR) -> float:
    """How far the strength may be from the rating, as a standard deviation."""
    known = elo[np.isfinite(elo)]
    moving = len(known) > 0 and float(known.max() - known.min()) > MOVED
    return max(usual, UNSURE) if unsure or moving else usual


def situation_notes(
    references: Sequence[float], mileposts: Floats, time_classes: Sequence[str], moving: Sequence[str]
) -> tuple[str, ...]:
    """What must be said of the players and games at hand."""
    notes = []
    low, high = mileposts.min() - BEYOND, mileposts.max() + BEYOND
    beyond = sum(not low <= one <= high for one in references)
    if beyond:
        notes.append(
            f"{beyond:,} of them are rated beyond {mileposts.min():.0f} to {mileposts.max():.0f}, where the "
            "norms were measured: what is expected there is drawn on along straight lines."
        )
    fast = sorted(set(time_classes) - CLASSICAL)
    if fast:
        notes.append(
            f"Games of other time classes ({', '.join(fast)}) are held against classical play: moves made in "
            "less time are worse, so play below rating means nothing there, and play above it is missed."
        )
    if moving:
        shown = ", ".join(moving[:3]) + (f" and {len(moving) - 3:,} more" if len(moving) > 3 else "")
        notes.append(
            f"Ratings that are not sure any more, or not yet (error {UNSURE:.0f} instead of "
            f"{RATING_ERROR:.0f}): {shown}."
        )
    return tuple(notes)
