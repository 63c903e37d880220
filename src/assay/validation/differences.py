"""Paired differences between forecasters, with intervals by resampling players.

A game has two players, and all games of a player share what is wrong about their strength. So players are
resampled, not games, and a game counts c_white + c_black - 1 times when its players were drawn c_white and
c_black times. Both players' shares in the variance are then counted in full (with the mean of the two
counts, only half of each would be); where games are independent after all, the interval is too wide, by at
most the root of two.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.decisions.arrays import Floats
from assay.models.intervals import resample_weights
from assay.results.games import ResultGames, Split
from assay.results.metrics import cross_entropy, month_errors
from assay.validation.slices import Forecasts


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The error of the first less that of the second; below zero, the first is better."""

    first: str
    second: str
    metric: str
    difference: float
    low: float
    high: float


class Shares(NamedTuple):
    """A mean over terms (of games, of players in months) as what each player adds to it."""

    total: Floats  # per player: the terms they take part in
    number: Floats  # per player: how many
    sum_total: float  # over all terms, each once
    sum_number: float

    def means(self, counts: Floats) -> Floats:
        """The mean for each row of counts of players; a row of ones gives that of all terms."""
        total = counts @ self.total - self.sum_total
        number = counts @ self.number - self.sum_number
        # So few players drawn that nothing is left: as good as the whole.
        return np.where(number > 0.0, total / np.where(number > 0.0, number, 1.0), np.nan)


def game_shares(games: ResultGames, forecast: Floats) -> Shares:
    """The log loss: a term per game, in which both players take part."""
    loss = cross_entropy(games.result, forecast)
    size = len(games.players)
    player = np.concatenate([games.white, games.black])
    total = np.bincount(player, np.concatenate([loss, loss]), minlength=size)
    number = np.bincount(player, minlength=size)
    return Shares(_floats(total), _floats(number), float(loss.sum()), float(len(loss)))


def month_shares(games: ResultGames, forecast: Floats) -> Shares:
    """The month-aggregated mean square error: a term per player and month.

    The opponents of the month take part in it too, each by their share of the games.
    """
    found = month_errors(games, forecast)
    term, size = found.error**2, len(games.players)
    opponent = np.concatenate([games.black, games.white])
    share = 1.0 / found.games[found.place]
    player = np.concatenate([found.player, opponent])
    total = np.bincount(player, np.concatenate([term, share * term[found.place]]), minlength=size)
    number = np.bincount(player, np.concatenate([np.ones(len(term)), share]), minlength=size)
    return Shares(_floats(total), _floats(number), float(term.sum()), float(len(term)))


def _floats(column: NDArray[Any]) -> Floats:
    return np.asarray(column, dtype=float)


_SHARES: dict[str, tuple[Callable[[ResultGames, Floats], Shares], Callable[[Floats], Floats]]] = {
    "log_loss": (game_shares, lambda mean: mean),
    "month_rmse": (month_shares, lambda mean: np.sqrt(np.maximum(mean, 0.0))),
}


def differences(forecasts: Forecasts, splits: Sequence[Split], seed: int, resamples: int) -> list[Difference]:
    """The first forecaster against each other one, by log loss and by month-aggregated RMSE."""
    first, *others = forecasts
    size = len(splits[0].validation.players)
    # Row 0 is every player once. The same draws for every pair and metric: differences can be compared.
    counts = np.concatenate([np.ones((1, size)), resample_weights(size, resamples, seed)])
    found = []
    for metric in _SHARES:
        ours = _averages(metric, splits, forecasts[first], counts)
        for second in others:
            whole, *resampled = ours - _averages(metric, splits, forecasts[second], counts)
            low, high = np.nanquantile(resampled, [0.025, 0.975]).tolist()
            found.append(
                Difference(
                    first=first, second=second, metric=metric, difference=float(whole), low=low, high=high
                )
            )
    return found


def _averages(metric: str, splits: Sequence[Split], given: Sequence[Floats], counts: Floats) -> Floats:
    """The metric averaged over splits, for each row of counts of players."""
    shares, finish = _SHARES[metric]
    values = [
        finish(shares(split.validation, forecast).means(counts))
        for split, forecast in zip(splits, given, strict=True)
    ]
    return np.asarray(np.mean(values, axis=0))
