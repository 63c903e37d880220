"""What the opponent's moves tell of a player, beyond the player's own: measured on players kept out.

Opponents are alike in strength, so moves of the one tell of the other. But both sides of a game err together
too: a quiet game flatters both, a wild one neither. What is left is measured by the best straight line from
what the moves of one side, or of both, say to the published rating, over folds of games.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints
from research.evidence.evaluated_accuracy import LEAST, Judge

FOLDS = 5
FEWEST = 200
"""Games with both sides known; of fewer nothing is said."""


@dataclass(frozen=True)
class Opponents:
    """How far opponents go together, and what the other side's moves add."""

    games: int
    levels: float
    """Correlation of the published ratings of the two."""
    errors: float
    """Correlation of what their moves stray by from these, in the same game."""
    own: float
    """Error by the player's own moves, as a share of the mean guess."""
    both: float
    """The same by the moves of both sides."""


def opponents_of(judge: Judge, rows: Ints, most: int, seed: int = 0) -> Opponents | None:
    """What opponents tell in the games of some rows; None where too few have both sides."""
    appearances = judge.appearances
    chosen = np.random.default_rng(seed).permutation(rows)[:most]
    usable = (appearances.size >= LEAST) & np.isfinite(appearances.elo)
    usable &= np.isin(appearances.game, appearances.game[chosen])
    places = np.flatnonzero(usable)
    # Appearances are in the order of games: the two sides of one stand together.
    first = np.flatnonzero(np.diff(appearances.game[places]) == 0)
    sides = np.stack((places[first], places[first + 1]), axis=1)
    if len(sides) < FEWEST:
        return None
    return measure_opponents(appearances.elo[sides], judge.rater.said_in_games(sides))


def measure_opponents(elo: Floats, said: Floats) -> Opponents:
    """From published ratings and what the moves say, shape (games, 2)."""
    apart = said - elo
    own, guess = _errors(elo, said, 1), np.abs(elo - elo.mean()).mean()
    return Opponents(
        len(elo),
        float(np.corrcoef(elo[:, 0], elo[:, 1])[0, 1]),
        float(np.corrcoef(apart[:, 0], apart[:, 1])[0, 1]),
        float(own / guess),
        float(_errors(elo, said, 2) / guess),
    )


def _errors(elo: Floats, said: Floats, sides: int) -> float:
    """Mean error of the line by one side's moves or by those of both, each fold by the others."""
    fold = np.repeat(np.arange(len(elo)) % FOLDS, 2)
    both = np.stack((said, said[:, ::-1]), axis=2).reshape(-1, 2)
    matrix = np.column_stack((np.ones(len(both)), both[:, :sides]))
    truth = elo.reshape(-1)
    found = np.zeros(len(truth))
    for one in range(FOLDS):
        line = np.linalg.lstsq(matrix[fold != one], truth[fold != one], rcond=None)[0]
        found[fold == one] = matrix[fold == one] @ line
    return float(np.abs(found - truth).mean())
