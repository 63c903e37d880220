"""How often 95% intervals of the methods' own measures hold the truth: what `rate` prints without a scale.

The truth is what the same method measures of the same player over many games.
"""

from __future__ import annotations

import numpy as np

from assay.models.appearances import Appearances
from assay.models.registry import make_model
from assay.rating.evidence import groups_of
from assay.rating.measures import measures
from research.evidence.coverage.forecasts import MANY, STRONG, few_games
from research.evidence.coverage.tally import Tally

METHODS = ("gain", "conformance", "covariance", "markov", "choice", "bayes")


def measured(method: str, players: int, games: int, seed: int = 31) -> Tally:
    """Measures of strong players by one method."""
    truth = np.mean([value for _, value, _ in _found(method, 1, MANY, seed + 100)])
    found = _found(method, players // 2, games, seed)
    return Tally.of(found, [float(truth)] * len(found))


def _found(method: str, pairs: int, games: int, seed: int) -> list[tuple[float, float, float]]:
    decisions = few_games(pairs, games, 0.0, seed)
    appearances = Appearances.of(decisions.select(player_elo=round(STRONG)))
    models = {method: make_model(method)}
    stacks = {method: appearances.stack(models[method])}
    rows = []
    for group in groups_of(appearances):
        found = measures(models, stacks, group).get(method)
        if found is not None:
            rows.append((found.low, found.value, found.high))
    return rows
