"""Errors of forecasts, one function per measure, less is better; win, draw and loss at differences of Elo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.answers.results import CalibrationBin
from assay.decisions.arrays import Floats, Ints
from assay.decisions.elo import expectation
from assay.results.games import ResultGames

# The 2011 competition kept forecasts between 1% and 99%, so that one surprise could not decide it.
DEVIANCE_CLIP = 0.01
_NEVER_CERTAIN = 1e-6  # the logarithm of 0 is not a measure of anything


def log_loss(games: ResultGames, forecast: Floats) -> float:
    """Mean cross entropy in nats, a draw counting as half a win and half a loss."""
    return float(np.mean(cross_entropy(games.result, forecast)))


def binomial_deviance(games: ResultGames, forecast: Floats) -> float:
    """The measure of the 2011 competition: cross entropy to the base 10, forecasts kept in 0.01..0.99."""
    return float(np.mean(cross_entropy(games.result, forecast, DEVIANCE_CLIP))) / float(np.log(10.0))


def cross_entropy(result: Floats, forecast: Floats, clip: float = _NEVER_CERTAIN) -> Floats:
    """Return the cross entropy of each game in nats; forecasts are clipped to stay `clip` from 0 and 1."""
    clipped = np.clip(forecast, clip, 1.0 - clip)
    return np.asarray(-(result * np.log(clipped) + (1.0 - result) * np.log1p(-clipped)))


def brier(games: ResultGames, forecast: Floats) -> float:
    """Mean square error per game."""
    return float(np.mean((games.result - forecast) ** 2))


def rmse(games: ResultGames, forecast: Floats) -> float:
    """Root mean square error per game."""
    return float(np.sqrt(brier(games, forecast)))


def month_rmse(games: ResultGames, forecast: Floats) -> float:
    """The month-aggregated RMSE of the 2010 competition (Ferreira 2010, section 5).

    The error of a player in a month is the difference between the points they were expected to make and those
    they made; its square is averaged over all players and months.
    """
    return float(np.sqrt(np.mean(month_errors(games, forecast).error ** 2)))


class MonthErrors(NamedTuple):
    """Every pair of a player and a month in which they played."""

    player: Ints
    error: Floats  # points made less points expected
    games: Ints
    place: Ints  # the pair of White in each game, then that of Black


def month_errors(games: ResultGames, forecast: Floats) -> MonthErrors:
    """The errors that the month-aggregated RMSE averages."""
    excess = games.result - forecast
    month = games.month - games.month.min(initial=0)
    players = len(games.players)
    key = np.concatenate([month * players + games.white, month * players + games.black])
    pairs, place = np.unique(key, return_inverse=True)
    error = np.asarray(np.bincount(place, np.concatenate([excess, -excess])), dtype=float)
    return MonthErrors(pairs % players, error, np.bincount(place), place)


METRICS: Mapping[str, Callable[[ResultGames, Floats], float]] = {
    "log_loss": log_loss,
    "brier": brier,
    "rmse": rmse,
    "month_rmse": month_rmse,
    "binomial_deviance": binomial_deviance,
}


def calibration(games: ResultGames, forecast: Floats) -> list[CalibrationBin]:
    """Ten bins of equal width over 0..1; empty ones are left out."""
    bins = 10
    place = np.minimum((forecast * bins).astype(int), bins - 1)
    filled = []
    for index in np.unique(place):
        inside = place == index
        result = games.result[inside]
        error = float(result.std(ddof=1) / np.sqrt(result.size)) if result.size > 1 else 0.5
        filled.append(
            CalibrationBin(
                low=float(index / bins),
                high=float((index + 1) / bins),
                games=int(result.size),
                forecast=float(forecast[inside].mean()),
                result=float(result.mean()),
                error=error,
            )
        )
    return filled


WHITE_ADVANTAGE = 33.0
"""Points of Elo that the first move is worth: 54.7% between equals (560 milepost games: 54.5%)."""

USUAL_DRAWS, USUAL_GAMES = 0.35, 20.0
"""Share of draws before any result is seen, and how many games that counts for."""

_LEAST = 1e-12


def draw_parameter(results: Floats) -> float:
    """Estimate Davidson's nu from the share of draws in results, shrunk towards the usual share.

    As if all had met equals: between others draws are rarer, so that it is rather too small.
    """
    share = (float((results == 0.5).sum()) + USUAL_DRAWS * USUAL_GAMES) / (len(results) + USUAL_GAMES)
    return 2 * share / (1 - share)


def outcome_probabilities(difference: npt.ArrayLike, nu: float) -> tuple[Floats, Floats, Floats]:
    """Return the probabilities of win, draw and loss of a player so many points ahead, colour included.

    The expected score p is Elo's, so that results are on the scale of published ratings. What of it is draws
    follows Davidson's relation (1970) D^2 = nu^2 W L, with W + D/2 = p and W + D + L = 1:

        D = 4 nu p q / (nu + sqrt(nu^2 + 4 (4 - nu^2) p q)),   q = 1 - p

    Between equals that is nu / (2 + nu), as in Davidson. (His model with strengths as exponentials has
    another expected score at every nu: ratings would be stretched where there are many draws.)
    """
    p = expectation(difference)
    both = p * (1 - p)
    drawn = 4 * nu * both / (nu + np.sqrt(nu**2 + 4 * (4 - nu**2) * both)) if nu > 0 else np.zeros_like(p)
    return p - drawn / 2, drawn, 1 - p - drawn / 2


def log_likelihood(difference: npt.ArrayLike, result: npt.ArrayLike, nu: float) -> Floats:
    """Return the logarithm of the probability of results 1, 0.5 and 0 at differences of Elo."""
    win, drawn, loss = outcome_probabilities(difference, nu)
    result = np.asarray(result)
    chosen = np.where(result == 1, win, np.where(result == 0.5, drawn, loss))
    return np.asarray(np.log(np.maximum(chosen, _LEAST)))
