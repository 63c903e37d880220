"""Paired differences between forecasters, with intervals by resampling players.

A player's games have his strength in common, so that games are not independent but players nearly are.
Both forecasters are measured on the same resampled players.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.domain.results import Floats, Ints, ResultGames
from assay.validation.metrics import cross_entropy, month_errors
from assay.validation.slices import Forecasts
from assay.validation.splits import Split


@dataclass(frozen=True)
class Difference:
    """How much less the error of the first is than that of the second; below zero, the first is better."""

    first: str
    second: str
    metric: str
    difference: float
    low: float
    high: float


def differences(forecasts: Forecasts, splits: Sequence[Split], seed: int, resamples: int) -> list[Difference]:
    """The first forecaster against each other one, by log loss and by month-aggregated RMSE."""
    first, *others = forecasts
    random = np.random.default_rng(seed)
    size = max(len(split.validation.players) for split in splits)
    # The same resampled players for every pair and metric: differences can be compared.
    counts = random.multinomial(size, np.full(size, 1.0 / size), size=resamples).astype(float)
    found = []
    for second in others:
        for metric, terms in (("log_loss", _game_terms), ("month_rmse", _month_terms)):
            ours = [terms(split.validation, one) for split, one in zip(splits, forecasts[first], strict=True)]
            theirs = [
                terms(split.validation, one) for split, one in zip(splits, forecasts[second], strict=True)
            ]
            root = metric == "month_rmse"
            whole = _averages(ours, np.ones((1, size)), root) - _averages(theirs, np.ones((1, size)), root)
            drawn = _averages(ours, counts, root) - _averages(theirs, counts, root)
            low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
            found.append(Difference(first, second, metric, float(whole[0]), low, high))
    return found


def _game_terms(games: ResultGames, forecast: Floats) -> tuple[Ints, Floats]:
    """The cross entropy of each game, once for each of its players."""
    loss = cross_entropy(games.result, forecast)
    return np.concatenate([games.white, games.black]), np.concatenate([loss, loss])


def _month_terms(games: ResultGames, forecast: Floats) -> tuple[Ints, Floats]:
    player, error = month_errors(games, forecast)
    return player, error**2


def _averages(terms: Sequence[tuple[Ints, Floats]], counts: Floats, root: bool) -> Floats:
    """The average over splits of the mean term, for each row of counts of players."""
    values = []
    for player, term in terms:
        size = counts.shape[1]
        total = counts @ np.bincount(player, term, minlength=size)
        number = counts @ np.bincount(player, minlength=size).astype(float)
        mean = total / np.maximum(number, 1.0)
        values.append(np.sqrt(mean) if root else mean)
    return np.asarray(np.mean(values, axis=0))
