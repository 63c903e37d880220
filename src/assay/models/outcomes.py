"""Games with both players' decisions, and how an indicator of the two goes with the result.

Alliot 2017, sections 4.2.1 and 4.3.1: results are +1, 0, -1 for White; indicators are White's less Black's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.errors import InputError


@dataclass(frozen=True, eq=False)
class PairedGames:
    """Decisions of games in which both players decided and the result is known.

    `side` is twice the game's index for White's decisions, and one more for Black's.
    """

    decisions: Decisions
    side: Ints
    result: Floats

    def __len__(self) -> int:
        return len(self.result)


def pair_games(decisions: Decisions) -> PairedGames:
    """The games that can be compared with their results."""
    game, colours, names = decisions.codes("game_id"), decisions.codes("colour"), decisions.names("colour")
    black = np.isin(colours, [code for code, name in enumerate(names) if name == "black"])
    result = decisions.numbers("result")
    usable = (colours >= 0) & ~np.isnan(result)
    both = np.intersect1d(game[usable & ~black], game[usable & black])
    if len(both) < 3:
        raise InputError("this needs three or more games with both players' decisions and a result")
    rows = np.flatnonzero(usable & np.isin(game, both))
    index = np.searchsorted(both, game[rows])
    white_result = np.where(black[rows], 1 - result[rows], result[rows])
    of_game = np.empty(len(both))
    of_game[index] = 2 * white_result - 1
    return PairedGames(decisions.take(rows), 2 * index + black[rows], of_game)


def correlation(indicator: npt.ArrayLike, result: npt.ArrayLike) -> float:
    """Pearson's rho; NaN where either does not vary."""
    x, y = np.asarray(indicator, dtype=np.float64), np.asarray(result, dtype=np.float64)
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def fit_line(indicator: npt.ArrayLike, result: npt.ArrayLike) -> tuple[float, float]:
    """Alpha and beta of result = beta * indicator + alpha, by least squares."""
    beta, alpha = np.polyfit(np.asarray(indicator, np.float64), np.asarray(result, np.float64), 1)
    return float(alpha), float(beta)


def expectation_on_line(difference: npt.ArrayLike, alpha: float, beta: float) -> Floats:
    """Expectation in 0..1 from a difference of indicators, through the line for results in -1..1."""
    return np.clip((1 + beta * np.asarray(difference, dtype=np.float64) + alpha) / 2, 0.0, 1.0)
