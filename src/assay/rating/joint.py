"""One posterior for all who met: what moves say of each, and what results say of pairs.

The density of all Elos together is the product of each player's own density (prior times the likelihood of
their moves, on the grid) and of the probability of every result, which hangs on the difference of two of them
(assay.results.metrics). It is approximated by expectation propagation (Minka 2001): every factor is replaced
by a normal one that has the same effect on mean and variance where all the others put the players. Own
densities and differences are of one dimension each, so these moments are plain sums; what players have to do
with each other stays in the covariance of all of them. Against sums over all Elos of three players, means are
right to a twentieth of a deviation (tests). Laplace's method would be as quick, but own densities are no
normals: a flat prior has edges.

A player's answer is their own density times what the results say of them, on the grid: whoever has no result
has just their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from assay.decisions.arrays import Floats, Ints
from assay.errors import FitError, InputError
from assay.models.bayes.posterior import Posterior
from assay.rating.posterior import GRID
from assay.results.metrics import log_likelihood

MOST_PLAYERS = 2000
"""Who met each other, or others who did: their covariance is inverted some twenty times."""

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_TOLERANCE = 0.05
"""Points by which no mean moves any more at the end."""
_LIMIT = 500
_DAMPING = 0.7
_LEAST_PRECISION = 1e-9
"""Of a normal that stands for a factor: next to nothing, as it is not to be negative."""


@dataclass(frozen=True, eq=False)
class Meetings:
    """Results of games, by the places of the players."""

    player: Ints
    opponent: Ints
    ahead: Floats
    """Points of Elo that the player is ahead by colour, and by what else is known of the game."""
    result: Floats
    """Of the player: 1, 0.5 or 0."""
    draws: float
    """Davidson's nu."""
    shares: Floats
    """How much of the Elo of player and opponent counts, shape (meetings, 2): one, where nothing else is
    known of the game."""

    def __len__(self) -> int:
        return len(self.player)

    def log_likelihood(self, difference: Floats) -> Floats:
        """Of the results where what counts of the Elos differs by so much, shape (meetings, points)."""
        return log_likelihood(difference + self.ahead[:, None], self.result[:, None], self.draws)

    def among(self, places: Ints) -> Meetings:
        """Those of some players, who are then counted from zero."""
        kept = np.isin(self.player, places)
        player, opponent = (np.searchsorted(places, side[kept]) for side in (self.player, self.opponent))
        return Meetings(player, opponent, self.ahead[kept], self.result[kept], self.draws, self.shares[kept])


def joint_posteriors(own: Sequence[Floats], meetings: Meetings) -> list[Posterior]:
    """The posterior of each player, from logarithms of their own densities on the grid and the results."""
    answer = [Posterior.of(GRID, one) for one in own]
    n = len(own)
    graph = coo_array((np.ones(len(meetings)), (meetings.player, meetings.opponent)), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    met = np.unique(np.concatenate((meetings.player, meetings.opponent)))
    for one in np.unique(component[met]):
        places: Ints = np.flatnonzero(component == one)
        if len(places) > MOST_PLAYERS:
            raise InputError(
                f"results link {len(places):,} players, and {MOST_PLAYERS:,} at most have a joint posterior: "
                "choose fewer games, or leave --with results"
            )
        log = np.stack([own[place] for place in places.tolist()])
        both = log + _said_by_results(log, meetings.among(places))
        for place, density in zip(places.tolist(), both, strict=True):
            answer[place] = Posterior.of(GRID, density)
    return answer


class _Factors:
    """Normals that stand for factors, by precision and by precision times mean."""

    def __init__(self, mean: Floats, variance: Floats) -> None:
        self.precision = 1 / variance
        self.shift = mean / variance

    def without(self, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """Precision and shift of all the others, where all together have this mean and variance."""
        return np.maximum(1 / variance - self.precision, 0.0), mean / variance - self.shift

    def renew(self, mean: Floats, variance: Floats, precision: Floats, shift: Floats) -> None:
        """Move to what makes this mean and variance of the others' precision and shift."""
        new = np.maximum(1 / variance - precision, _LEAST_PRECISION)
        self.shift += _DAMPING * (mean * (precision + new) - shift - self.shift)
        self.precision += _DAMPING * (new - self.precision)


def _said_by_results(own: Floats, meetings: Meetings) -> Floats:
    """What results say of each player: logarithms of normals on the grid, shape (players, grid)."""
    each = _moments(own)
    players = _Factors(*each)
    games = _Factors(np.zeros(len(meetings)), np.full(len(meetings), 1 / _LEAST_PRECISION))
    before = np.full(len(own), np.inf)
    for _ in range(_LIMIT):
        mean, covariance = _together(players, games, meetings)
        if np.abs(mean - before).max() < _TOLERANCE:
            precision, shift = players.without(mean, np.diag(covariance))
            return np.asarray(shift[:, None] * GRID - 0.5 * precision[:, None] * GRID**2)
        before = mean
        variance = np.diag(covariance)
        precision, shift = players.without(mean, variance)
        tilted = _moments(own + shift[:, None] * GRID - 0.5 * precision[:, None] * GRID**2)
        players.renew(*tilted, precision, shift)
        _renew_games(games, mean, covariance, meetings)
    raise FitError(f"the joint posterior of moves and results did not converge in {_LIMIT} rounds")


def _together(players: _Factors, games: _Factors, meetings: Meetings) -> tuple[Floats, Floats]:
    """Mean and covariance of the product of all normals."""
    precision, shift = np.diag(players.precision), players.shift.copy()
    one, other, (first, second) = meetings.player, meetings.opponent, meetings.shares.T
    for side, share in ((one, first), (other, -second)):
        np.add.at(precision, (side, side), share**2 * games.precision)
        np.add.at(shift, side, share * games.shift)
    for pair in ((one, other), (other, one)):
        np.add.at(precision, pair, -first * second * games.precision)
    covariance = np.asarray(np.linalg.inv(precision), np.float64)
    return covariance @ shift, covariance


def _renew_games(games: _Factors, mean: Floats, covariance: Floats, meetings: Meetings) -> None:
    one, other, (first, second) = meetings.player, meetings.opponent, meetings.shares.T
    variance = first**2 * covariance[one, one] + second**2 * covariance[other, other]
    variance -= 2 * first * second * covariance[one, other]
    difference = first * mean[one] - second * mean[other]
    precision, shift = games.without(difference, variance)
    centre, width = shift / precision, 1 / np.sqrt(precision)
    points = centre[:, None] + width[:, None] * _NODES
    weight = _WEIGHTS * np.exp(meetings.log_likelihood(points))
    weight /= weight.sum(axis=1, keepdims=True)
    tilted = (weight * points).sum(axis=1)
    spread = (weight * np.square(points - tilted[:, None])).sum(axis=1)
    games.renew(tilted, spread, precision, shift)


def _moments(log_density: Floats) -> tuple[Floats, Floats]:
    """Means and variances of densities on the grid."""
    weight = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    mean = weight @ GRID
    return mean, np.einsum("ij,ij->i", weight, np.square(GRID - mean[:, None]))
