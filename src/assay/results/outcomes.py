"""Win, draw and loss at a difference of Elo: Elo's curve, White's advantage, and draws after Davidson 1970.

The expectation p is Elo's, so that results are on the same scale as published ratings. What of it is draws
follows Davidson's relation D^2 = nu^2 W L, with W + D/2 = p and W + D + L = 1:

    D = 4 nu p q / (nu + sqrt(nu^2 + 4 (4 - nu^2) p q)),   q = 1 - p

Between equals that is nu / (2 + nu), as in Davidson. (His model with strengths as exponentials has another
expectation at every nu: ratings would be stretched where there are many draws.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats
from assay.decisions.elo import expectation

WHITE_ADVANTAGE = 33.0
"""Points of Elo that the first move is worth: 54.7% between equals (560 milepost games: 54.5%)."""

USUAL_DRAWS, USUAL_GAMES = 0.35, 20.0
"""Share of draws before any result is seen, and how many games that counts for."""

_LEAST = 1e-12


def draw_parameter(results: Floats) -> float:
    """Davidson's nu from the share of draws in some results, drawn to the usual share where they are few.

    As if all had met equals: between others draws are rarer, so that it is rather too small.
    """
    share = (float((results == 0.5).sum()) + USUAL_DRAWS * USUAL_GAMES) / (len(results) + USUAL_GAMES)
    return 2 * share / (1 - share)


def outcome_probabilities(difference: npt.ArrayLike, nu: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities of win, draw and loss of a player who is so many points ahead, colour included."""
    p = expectation(difference)
    both = p * (1 - p)
    drawn = 4 * nu * both / (nu + np.sqrt(nu**2 + 4 * (4 - nu**2) * both)) if nu > 0 else np.zeros_like(p)
    return p - drawn / 2, drawn, 1 - p - drawn / 2


def log_likelihood(difference: npt.ArrayLike, result: npt.ArrayLike, nu: float) -> Floats:
    """Logarithm of the probability of results 1, 0.5 and 0 at differences of Elo."""
    win, drawn, loss = outcome_probabilities(difference, nu)
    result = np.asarray(result)
    chosen = np.where(result == 1, win, np.where(result == 0.5, drawn, loss))
    return np.asarray(np.log(np.maximum(chosen, _LEAST)))
