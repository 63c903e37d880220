"""A cross-table: results, expectations, rating differences, perceived ratings (Ferreira 2012, Table 1)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.errors import InputError
from assay.models.gain import distribution
from assay.models.gain.perceived import PerceivedRatings, engine_strength


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossTable:
    """Players in order of their results, with a cell for each pair that is compared."""

    title: str
    by: str
    players: tuple[str, ...]
    elos: Floats
    """Reference rating of each player, the mean over the games; NaN if unknown."""
    games: Ints
    """Number of games between each two."""
    results: Floats
    """Sum of their results for the first; NaN where one is unknown."""
    expectations: Floats
    """Expectation of the first in one game against the second; NaN where they are not compared."""
    perceived: PerceivedRatings
    """Algorithm 2: perceived ratings of the players."""
    low: Floats
    high: Floats
    """95% interval of the perceived ratings, from resampled games; NaN where there is none."""
    against_engine: Floats
    """Expectation of each player against the engine."""
    notes: tuple[str, ...] = field(default=())

    @property
    def differences(self) -> Floats:
        """Rating difference of the first over the second; NaN where they are not compared."""
        return distribution.rating_difference(self.expectations)

    @property
    def total_results(self) -> Floats:
        """Points of each player; NaN where a result is unknown."""
        return np.asarray(np.where(self.games > 0, self.results, 0.0).sum(axis=1))

    @property
    def total_expectations(self) -> Floats:
        """Points that the distributions of gain let expect of each player, over the games they played."""
        return np.asarray(np.nansum(self.games * self.expectations, axis=1))

    @property
    def changes(self) -> Floats:
        """Perceived rating less the reference rating."""
        return self.perceived.ratings - self.elos

    def engine_strength(self) -> tuple[float, float]:
        """Algorithm 3: the engine's strength by reference ratings and by perceived ratings.

        NaN where no player has a rating, or none a finite difference.
        """
        rated = ~np.isnan(self.perceived.anchors[self.perceived.group])
        known = (self.elos, np.where(rated, self.perceived.ratings, np.nan))
        by_elo, by_estimate = (_mean_strength(self.against_engine, ratings) for ratings in known)
        return by_elo, by_estimate


def _mean_strength(expectations: Floats, ratings: Floats) -> float:
    try:
        return engine_strength(expectations, ratings)[1]
    except InputError:
        return float("nan")


def results_between(player: Ints, opponent: Ints, game: Ints, result: Floats, n: int) -> tuple[Ints, Floats]:
    """Number of games and sum of results of each of n players against each.

    One row or more for each game, from one side or both: player and opponent as 0 to n - 1, -1 for others.
    Results are NaN where two did not meet, or where one result is unknown.
    """
    games, results = np.zeros((n, n), dtype=np.int64), np.zeros((n, n))
    met = np.flatnonzero((player >= 0) & (opponent >= 0) & (player != opponent))
    # One row of each game: there may be rows of one of the two only.
    _, first = np.unique(game[met], return_index=True)
    one, other, points = player[met][first], opponent[met][first], result[met][first]
    for a, b, won in ((one, other, points), (other, one, 1 - points)):
        np.add.at(games, (a, b), 1)
        np.add.at(results, (a, b), won)
    results[games == 0] = np.nan
    return games, results


def ordered(table: CrossTable) -> CrossTable:
    """The players in order of their points, then of what was expected of them."""
    points = np.nan_to_num(table.total_results, nan=-1.0)
    order = np.lexsort((-table.total_expectations, -points))
    both = np.ix_(order, order)
    perceived = table.perceived
    return replace(
        table,
        players=tuple(table.players[place] for place in order),
        games=table.games[both],
        results=table.results[both],
        expectations=table.expectations[both],
        perceived=replace(perceived, ratings=perceived.ratings[order], group=perceived.group[order]),
        **{name: getattr(table, name)[order] for name in ("elos", "low", "high", "against_engine")},
    )
