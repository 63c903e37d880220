"""What is wrong with the evaluations in a game's comments, judged by the values themselves.

Comments give values from White's view. Some programs write the mover's instead: consecutive values then
change sign with every move. Some write a mate without its sign: one for White after values that are lost for
White, in a game that Black won, of a file in which no mate has a sign. And some write what is not a value in
pawns: a game whose first values are beyond ten pawns is not one that was played. The first two are put right,
the third is not read; all are counted and told to the user.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.pgn.comments import Annotations

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


def settle(annotations: Annotations, results: Floats, black_starts: Mask, judged: Mask) -> dict[int, str]:
    """Put the values of the judged games right in place. Returns what was wrong, by game.

    The even games of a file do not show their view: where more games are surely from the mover's view than
    from White's, they are taken for the former.
    """
    game, cp, mate, games = annotations.game, annotations.cp, annotations.mate, len(results)
    rows = judged[game] & (annotations.engine == None)  # noqa: E711

    def count(which: Mask) -> Ints:
        return np.bincount(game[rows & which], minlength=games)

    enough = count(np.isfinite(cp) | np.isfinite(mate)) >= _FEWEST
    opening = np.isfinite(cp) & (annotations.position < _OPENING)
    first = count(opening)
    absurd = enough & (first >= _FEWEST) & (2 * count(opening & (np.abs(cp) > _MOST_USUAL)) > first)
    for column in (cp, mate, annotations.depth):
        column[rows & absurd[game]] = np.nan
    white = np.where((annotations.position % 2 == 1) != black_starts[game], -1.0, 1.0)
    signed = bool((white * mate < 0)[rows].any())
    view = np.where(enough, _views(annotations, rows, games), 0)
    turned = view > 0
    if turned.sum() > (view < 0).sum():
        turned |= (view == 0) & (count(np.isfinite(cp) | np.isfinite(mate)) > 0)
    turn = rows & turned[game] & (white < 0)
    cp[turn] *= -1
    mate[turn] *= -1
    last = np.maximum.accumulate(np.where(np.isfinite(cp), np.arange(len(cp)), -1))
    before = np.where((last >= 0) & (game[last] == game), (white * cp)[last], 0.0)
    unsigned = rows & (enough & (results == 0.0))[game] & (white * mate > 0) & (before < _LOST)
    unsigned &= not signed
    mate[unsigned] *= -1
    doubts = dict.fromkeys(np.unique(game[unsigned]).tolist(), UNSIGNED_MATES)
    doubts |= dict.fromkeys(np.flatnonzero(turned).tolist(), MOVERS_VIEW)
    return doubts | dict.fromkeys(np.flatnonzero(absurd).tolist(), ABSURD)


def _views(annotations: Annotations, rows: Mask, games: int) -> Ints:
    """1 for games whose values are surely the mover's, -1 White's, 0 unsure.

    By the correlation of consecutive values: from the mover's view a value changes sign with every move, so
    that read as White's it does not.
    """
    game, cp = annotations.game, annotations.cp
    valued = np.isfinite(cp) & rows
    consecutive = (np.diff(game) == 0) & (np.diff(annotations.position) == 1)
    pairs = np.flatnonzero(consecutive & valued[1:] & valued[:-1])
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
