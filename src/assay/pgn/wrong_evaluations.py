"""What is wrong with the evaluations that a game brings along, seen from the values themselves.

Comments give values from White's view. Some programs write the mover's instead: consecutive values then
change sign with every move. Some write a mate without its sign: one for White after values that are lost for
White, in a game that Black won, of a file that knows no sign. And some write what is no value in pawns: a
game whose first values are beyond ten pawns is not one that was played. The first two are put right, the
third is not read; all are counted and said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.decisions.arrays import Ints, Mask
from assay.pgn.comments import Annotation, Commands

MOVERS_VIEW = "movers_view"
UNSIGNED_MATES = "unsigned_mates"
ABSURD = "absurd"

MEANINGS: Mapping[str, str] = {
    MOVERS_VIEW: "are from the mover's view, not White's: read so",
    UNSIGNED_MATES: "hold mates without a sign, against the values around them: taken as Black's",
    ABSURD: "are absurd (beyond ten pawns in the opening): not read",
}

FEWEST = 10
"""Values, one after another, that it takes to see anything."""

_CLIP = 500.0
_FLAT = 30.0
"""Where values are nearer to zero than this, in centipawns, their sign tells nothing."""
_SURE = 0.5
"""Correlation of consecutive values beyond which there is no doubt."""
_LOST = -200
_MOST_USUAL, _OPENING = 1000.0, 24


def settle(
    found: Sequence[Annotation],
    result: float | None,
    *,
    black_starts: bool = False,
    signed_mates: bool = False,
) -> str | None:
    """What is wrong with the annotations of a game, which are put right in place; None where nothing is.

    `signed_mates` says that some mate of the file is Black's: then those without a sign are White's.
    """
    own = [one for one in found if one.format == "lichess" and (one.cp is not None or one.mate is not None)]
    values = np.array([np.nan if one.cp is None else one.cp for one in own], dtype=np.float64)
    if len(own) < FEWEST:
        return None
    first = values[np.isfinite(values) & (np.array([one.position for one in own]) < _OPENING)]
    if len(first) >= FEWEST and np.median(np.abs(first)) > _MOST_USUAL:
        for one in own:
            one.cp = one.mate = one.depth = None
        return ABSURD
    doubt = None
    if _view(own) > 0:
        doubt = MOVERS_VIEW
        for one in own:
            if _is_black(one, black_starts):
                _negate(one)
    if result == 0.0 and not signed_mates and _sign_mates(own, black_starts):
        doubt = doubt or UNSIGNED_MATES
    return doubt


def in_doubt(commands: Commands, lost: Mask, *, signed_mates: bool = False) -> Mask:
    """Which games `settle` may find something wrong with, of many at once; White lost those in `lost`.

    A game too many costs a little time, one too few would be a wrong value.
    """
    known = np.isfinite(commands.cp)
    opening = known & (commands.position < _OPENING)
    first, large, mates = (
        np.bincount(commands.game[rows], minlength=len(lost))
        for rows in (opening, opening & (np.abs(commands.cp) > _MOST_USUAL), np.isfinite(commands.mate))
    )
    absurd = (first >= FEWEST) & (2 * large >= first)
    unsigned = lost & (mates > 0) & (not signed_mates)
    return np.asarray(absurd | unsigned | (views(commands, len(lost)) > 0), dtype=bool)


def views(commands: Commands, games: int) -> Ints:
    """`_view` of many games at once."""
    known = np.isfinite(commands.cp)
    pairs = np.flatnonzero(
        (np.diff(commands.game) == 0) & (np.diff(commands.position) == 1) & known[1:] & known[:-1]
    )
    clipped = np.clip(np.nan_to_num(commands.cp), -_CLIP, _CLIP)
    one, other = clipped[pairs], clipped[pairs + 1]
    n, first, second, along = (
        np.bincount(commands.game[pairs], what, minlength=games)
        for what in (np.ones(len(pairs)), one * one, other * other, one * other)
    )
    size = np.sqrt(first * second)
    sure = (n >= FEWEST) & (size >= n * _FLAT**2)
    share = np.divide(along, size, out=np.zeros(games), where=size > 0)
    return np.asarray(np.where(sure, (share > _SURE) * 1 - (share < -_SURE) * 1, 0), dtype=np.int64)


def settle_even(games: Sequence[tuple[Sequence[Annotation], bool]], turned: int) -> list[int]:
    """Turn the games too even to be judged, where more were turned than are surely from White's view.

    Games come with whether Black starts, those that were turned not among them; the answer are the places of
    those that are turned now.
    """
    own = [[one for one in found if one.format == "lichess"] for found, _ in games]
    views = [_view(one) for one in own]
    if not turned or turned <= sum(view < 0 for view in views):
        return []
    even = [place for place, view in enumerate(views) if not view and own[place]]
    for place in even:
        for one in own[place]:
            if _is_black(one, games[place][1]):
                _negate(one)
    return even


def _view(own: Sequence[Annotation]) -> int:
    """1 where values, taken as if they had been White's, are surely the mover's; -1 White's; 0 unsure.

    From the mover's view a value changes sign with every move: taken as White's, it does not.
    """
    values = np.array([np.nan if one.cp is None else one.cp for one in own], dtype=np.float64)
    place = np.array([one.position for one in own])
    pairs = np.flatnonzero((np.diff(place) == 1) & np.isfinite(values[1:]) & np.isfinite(values[:-1]))
    clipped = np.clip(values, -_CLIP, _CLIP)
    first, second = clipped[pairs], clipped[pairs + 1]
    size = np.sqrt(np.square(first).sum() * np.square(second).sum())
    if len(pairs) < FEWEST or size < len(pairs) * _FLAT**2:
        return 0
    along = first @ second / size
    return int(along > _SURE) - int(along < -_SURE)


def _sign_mates(own: Sequence[Annotation], black_starts: bool) -> bool:
    """Give Black the mates that stand for White where White had lost; whether there were any."""
    changed, last = False, 0
    for one in own:
        sign = -1 if _is_black(one, black_starts) else 1
        if one.cp is not None:
            last = sign * one.cp
        elif one.mate is not None and sign * one.mate > 0 and last < _LOST:
            one.mate = -one.mate
            changed = True
    return changed


def _is_black(one: Annotation, black_starts: bool) -> bool:
    return (one.position % 2 == 1) != black_starts


def _negate(one: Annotation) -> None:
    one.cp = None if one.cp is None else -one.cp
    one.mate = None if one.mate is None else -one.mate


def in_words(doubts: Mapping[str, int]) -> list[str]:
    """What was found, a sentence each."""
    return [f"evaluations of {n:,} of the games {MEANINGS[one]}" for one, n in sorted(doubts.items()) if n]
