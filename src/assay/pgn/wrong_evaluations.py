"""What is wrong with the evaluations in a game's comments, judged by the values themselves.

Comments give values from White's view. Some programs write the mover's instead: consecutive values then
change sign with every move. Some write a mate without its sign: one for White after values that are lost for
White, in a game that Black won, of a file in which no mate has a sign. And some write what is not a value in
pawns: a game whose first values are beyond ten pawns is not one that was played. The first two are put right,
the third is not read; all are counted and told to the user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.pgn.comments import Annotation, Commands

MOVERS_VIEW = "movers_view"
UNSIGNED_MATES = "unsigned_mates"
ABSURD = "absurd"

_MEANINGS = {
    MOVERS_VIEW: "are from the mover's view, not White's: read so",
    UNSIGNED_MATES: "hold mates without a sign, against the values around them: taken as Black's",
    ABSURD: "are absurd (beyond ten pawns in the opening): not read",
}

_FEWEST = 10
"""Consecutive values that a judgement needs."""
_CLIP = 500.0
_FLAT = 30.0
"""Where values are nearer to zero than this, in centipawns, their sign shows nothing."""
_SURE = 0.5
"""Correlation of consecutive values beyond which there is no doubt."""
_LOST = -200
_MOST_USUAL, _OPENING = 1000.0, 24


def settle(
    annotations: Sequence[Annotation],
    result: float | None,
    *,
    black_starts: bool = False,
    signed_mates: bool = False,
) -> str | None:
    """Put the annotations of a game right in place. Returns what was wrong, None where nothing was.

    `signed_mates`: some mate of the file is Black's, so those without a sign are White's.
    """
    valued = [a for a in annotations if a.format == "lichess" and (a.cp is not None or a.mate is not None)]
    if len(valued) < _FEWEST:
        return None
    position, cp = _columns(valued)
    first = cp[np.isfinite(cp) & (position < _OPENING)]
    if len(first) >= _FEWEST and np.median(np.abs(first)) > _MOST_USUAL:
        for annotation in valued:
            annotation.cp = annotation.mate = annotation.depth = None
        return ABSURD
    turned = _view(valued) > 0
    if turned:
        _turn(valued, black_starts)
    if result == 0.0 and not signed_mates and _sign_mates(valued, black_starts) and not turned:
        return UNSIGNED_MATES
    return MOVERS_VIEW if turned else None


def settle_even(games: Sequence[tuple[Sequence[Annotation], bool]], turned: int) -> list[int]:
    """Turn the games too even to be judged, where more were turned than are surely from White's view.

    Games come with whether Black starts, those that were turned not among them. Returns the places of those
    that are turned now.
    """
    lichess = [[a for a in annotations if a.format == "lichess"] for annotations, _ in games]
    view = [_view(annotations) for annotations in lichess]
    if not turned or turned <= view.count(-1):
        return []
    even = [place for place, annotations in enumerate(lichess) if annotations and not view[place]]
    for place in even:
        _turn(lichess[place], games[place][1])
    return even


def in_doubt(commands: Commands, lost: Mask, *, signed_mates: bool = False) -> Mask:
    """Which games `settle` may find something wrong with, of many at once; White lost those in `lost`.

    A game too many costs a little time, one too few would be a wrong value.
    """
    opening = np.isfinite(commands.cp) & (commands.position < _OPENING)
    first, large, mates = (
        np.bincount(commands.game[rows], minlength=len(lost))
        for rows in (opening, opening & (np.abs(commands.cp) > _MOST_USUAL), np.isfinite(commands.mate))
    )
    absurd = (first >= _FEWEST) & (2 * large >= first)
    unsigned = lost & (mates > 0) & (not signed_mates)
    return np.asarray(absurd | unsigned | (views(commands, len(lost)) > 0))


def views(commands: Commands, games: int) -> Ints:
    """The view of each game: 1 where its values are surely the mover's, -1 White's, 0 unsure."""
    return _views(commands.game, commands.position, commands.cp, games)


def _views(game: Ints, position: Ints, cp: Floats, games: int) -> Ints:
    """Judge the view of each game by the correlation of consecutive values, read as White's.

    From the mover's view a value changes sign with every move: read as White's, it does not.
    """
    has_value = np.isfinite(cp)
    pairs = np.flatnonzero((np.diff(game) == 0) & (np.diff(position) == 1) & has_value[1:] & has_value[:-1])
    clipped = np.clip(np.nan_to_num(cp), -_CLIP, _CLIP)
    first, second = clipped[pairs], clipped[pairs + 1]
    n, squares, next_squares, products = (
        np.bincount(game[pairs], weights, minlength=games)
        for weights in (np.ones(len(pairs)), first * first, second * second, first * second)
    )
    size = np.sqrt(squares * next_squares)
    sure = (n >= _FEWEST) & (size >= n * _FLAT**2)
    correlation = np.divide(products, size, out=np.zeros(games), where=size > 0)
    return np.asarray(np.where(sure, (correlation > _SURE) * 1 - (correlation < -_SURE) * 1, 0), np.int64)


def in_words(doubts: Mapping[str, int]) -> list[str]:
    """A sentence for each kind of wrong evaluations, from how many games have it."""
    return [f"evaluations of {n:,} of the games {_MEANINGS[kind]}" for kind, n in sorted(doubts.items()) if n]


def _columns(annotations: Sequence[Annotation]) -> tuple[Ints, Floats]:
    position = np.array([annotation.position for annotation in annotations], dtype=np.int64)
    return position, np.array([np.nan if a.cp is None else a.cp for a in annotations], dtype=np.float64)


def _view(annotations: Sequence[Annotation]) -> int:
    return int(_views(np.zeros(len(annotations), np.int64), *_columns(annotations), 1)[0])


def _turn(annotations: Sequence[Annotation], black_starts: bool) -> None:
    """Negate the values of the positions in which Black moves."""
    for annotation in annotations:
        if _is_black(annotation, black_starts):
            annotation.cp = None if annotation.cp is None else -annotation.cp
            annotation.mate = None if annotation.mate is None else -annotation.mate


def _sign_mates(annotations: Sequence[Annotation], black_starts: bool) -> bool:
    """Give Black the mates that stand for White where White had lost. Returns whether there were any."""
    changed, last = False, 0
    for annotation in annotations:
        sign = -1 if _is_black(annotation, black_starts) else 1
        if annotation.cp is not None:
            last = sign * annotation.cp
        elif annotation.mate is not None and sign * annotation.mate > 0 and last < _LOST:
            annotation.mate = -annotation.mate
            changed = True
    return changed


def _is_black(annotation: Annotation, black_starts: bool) -> bool:
    return (annotation.position % 2 == 1) != black_starts
