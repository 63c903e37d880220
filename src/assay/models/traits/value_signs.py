"""The signs that one value per ply tells: of games that bring their evaluations, and of nothing else.

Values before and after a move are of two searches (assay.decisions.measures): what the move lost, how the
value changed, how decided the game was. Ranks, smaller depths and other options are not known here. All of
it is plain arithmetic on two flat arrays, for games by the million.
"""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.measures import expectation, loss_between
from assay.models.traits.signs import BOUNDS, LIMIT, OF_LOSSES

CLIP = 1500
"""Values beyond fifteen pawns, mates included, count as these: the expectation is nearly one."""

UNCHANGED = 5.0
"""A value that changes by less, in centipawns, has not changed: searches differ by as much."""

STRETCHES = (0.02, 0.05, 0.1, 0.2, 0.35)
"""Bounds between stretches of how decided a game is, in expectation away from one half."""

OF_POSITIONS = ("decided", "expectation", "root of loss, by decided", "no loss, by decided")
OF_CHANGES = ("rise", "change", "unchanged", "even", "stays even")
OF_STRETCHES = tuple(
    f"{what} where decided by {_low:g} to {_high:g}"
    for _low, _high in zip((0.0, *STRETCHES), (*STRETCHES, 0.5), strict=True)
    for what in ("moves", "root of loss", "loss within 30 cp")
)

VALUE_SIGNS = (*OF_LOSSES, *OF_POSITIONS, *OF_CHANGES, *OF_STRETCHES)
"""Names of the signs, in the order of the columns of `value_signs`."""

OF_PHASES = ("root of loss", "logarithm of loss", "loss within 30 cp", "decided")
"""The signs that are read in each phase of the game by itself."""

_EXPECTATIONS = expectation(np.arange(-CLIP, CLIP + 1))


def value_signs(before: Floats, after: Floats) -> Floats:
    """Every sign of every move from the values around it, mover's view: shape (moves, signs)."""
    expected, reached = _expected(before), _expected(after)
    lost = np.maximum(expected - reached, 0.0)
    root = np.sqrt(lost)
    centipawns = loss_between(before, after, LIMIT)
    decided = np.abs(expected - 0.5)
    found = np.zeros((len(before), len(VALUE_SIGNS)))
    found[:, 0], found[:, 1], found[:, 2] = lost, root, np.log1p(centipawns)
    none, near = centipawns <= 0, centipawns <= 30
    found[:, 3] = none
    for column, bound in enumerate(BOUNDS, 4):
        found[:, column] = centipawns <= bound
    start = len(OF_LOSSES)
    columns = (decided, expected, root * decided, none * decided)
    changes = (
        np.maximum(reached - expected, 0.0),
        np.abs(reached - expected),
        np.abs(after - before) < UNCHANGED,
        before == 0,
        (before == 0) & (after == 0),
    )
    for column, one in enumerate((*columns, *changes), start):
        found[:, column] = one
    # Each move is in one stretch: three columns of it are written, the others stay zero.
    stretch = start + len(columns) + len(changes) + 3 * np.searchsorted(STRETCHES, decided, side="right")
    rows = np.arange(len(before))
    for place, one in enumerate((np.ones(len(rows)), root, near)):
        found[rows, stretch + place] = one
    return found


def _expected(value: Floats) -> Floats:
    return np.asarray(_EXPECTATIONS[np.clip(value, -CLIP, CLIP).astype(np.int64) + CLIP])
