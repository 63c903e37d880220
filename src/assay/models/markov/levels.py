"""Rows of transition counts with a prior towards the pooled rows at the player's own level.

A player who errs more errs more in every class: rows of one player are not independent, as a Dirichlet prior
towards the pooled rows takes them to be (models.dirichlet). Here the pooled rows are tilted first: all steps
down are e^theta times as likely against staying. theta, one number a player, is normal about zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array
from scipy.special import gammaln, logsumexp

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError
from assay.models.markov.dirichlet import STRONGEST, WEAKEST, draw_each, shares

GRID: Floats = np.linspace(-1.5, 1.5, 121)
"""Levels theta that are weighed: from a fifth to five times as many errors as usual."""

LEAST_SPREAD, WIDEST_SPREAD = 0.01, 1.0

MANY = 150
"""The prior is learned from at most so many players, those with most moves."""


def tilted(rows: Floats, theta: npt.ArrayLike) -> Floats:
    """Rows with steps down e^theta times as likely against staying; one matrix for each theta."""
    down = np.tril(np.ones(rows.shape[-2:]), -1)
    lead = np.asarray(theta, dtype=np.float64)
    return shares(rows * np.exp(lead.reshape(*lead.shape, *[1] * rows.ndim) * down))


def log_likelihoods(counts: Floats, expected: Floats, strength: float) -> Floats:
    """Log Dirichlet-multinomial probability of a player's rows for each matrix of pseudo-counts."""
    seen = counts > 0
    prior = expected[:, seen]
    within = (gammaln(prior + counts[seen]) - gammaln(prior)).sum(axis=1)
    return np.asarray(within + (gammaln(strength) - gammaln(strength + counts.sum(axis=-1))).sum())


def log_weights(spread: float) -> Floats:
    """Log probability of the levels of the grid, normal about zero."""
    logs = -0.5 * np.square(GRID / spread)
    return np.asarray(logs - logsumexp(logs))


@dataclass(frozen=True, eq=False)
class LevelPrior:
    """Pooled rows, the strength in moves with which they hold at a level, and the spread of levels."""

    rows: Floats
    strength: float
    spread: float

    def levels(self, counts: Floats) -> Floats:
        """Probabilities of the levels of the grid for players with these counts, shape (..., levels).

        Many players have the same number of moves in the same place of the matrix: what it says of the levels
        is worked out once. What does not depend on the level (`log_likelihoods`) is left out.
        """
        players = counts.reshape(-1, self.rows.size)
        player, cell = np.nonzero(players)
        amounts, amount = np.unique(players[player, cell], return_inverse=True)
        pairs, pair = np.unique(cell * len(amounts) + amount, return_inverse=True)
        cells, amount = np.divmod(pairs, max(len(amounts), 1))
        says = gammaln(self._expected[:, cells] + amounts[amount]) - self._gammas[:, cells]
        seen = csr_array((np.ones(len(pair)), (player, pair)), shape=(len(players), len(pairs)))
        logs = seen @ says.T + self._weights
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return np.asarray(weights.reshape(*counts.shape[: counts.ndim - self.rows.ndim], len(GRID)))

    @cached_property
    def _expected(self) -> Floats:
        """Pseudo-counts at every level of the grid, flat: the same for all players."""
        return self.strength * tilted(self.rows, GRID).reshape(len(GRID), -1)

    @cached_property
    def _weights(self) -> Floats:
        return log_weights(self.spread)

    @cached_property
    def _gammas(self) -> Floats:
        return np.asarray(gammaln(self._expected))

    def posterior(self, counts: Floats) -> Floats:
        """Counts, of one player or of many, with what the prior adds to them at each player's mean level."""
        return counts + self.strength * tilted(self.rows, self.levels(counts) @ GRID)

    def draw(self, players: Sequence[Floats], draws: int, generator: np.random.Generator) -> list[Floats]:
        """Matrices of each player from the posterior, of the level too: shapes (draws, ..., n, n)."""
        return [self._draw_one(counts, draws, generator) for counts in players]

    def _draw_one(self, counts: Floats, draws: int, generator: np.random.Generator) -> Floats:
        thetas = generator.choice(GRID, size=draws, p=self.levels(counts))
        return draw_each(counts + self.strength * tilted(self.rows, thetas), generator)


def fit_levels(counts: npt.ArrayLike, floor: Floats) -> LevelPrior:
    """Prior from the counts of several players, shape (players, ..., n, n).

    Strength and spread by marginal likelihood: the levels of the players are summed over.
    """
    many = np.asarray(counts, dtype=np.float64)
    if many.ndim < 3 or not len(many):
        raise InputError("a prior needs the counts of at least one player")
    rows = shares(many.sum(axis=0) + floor)
    most = np.argsort(-many.reshape(len(many), -1).sum(axis=1), kind="stable")[:MANY]
    log_strength = _least(
        lambda log: -_best_spread(many[most], rows, float(np.exp(log)))[1], WEAKEST, STRONGEST
    )
    strength = float(np.exp(log_strength))
    return LevelPrior(rows, strength, _best_spread(many[most], rows, strength)[0])


def _best_spread(counts: Floats, rows: Floats, strength: float) -> tuple[float, float]:
    """The most likely spread of levels at a strength, and the log marginal likelihood there."""
    expected = strength * tilted(rows, GRID)
    logs = np.stack([log_likelihoods(player, expected, strength) for player in counts])

    def shortfall(log: float) -> float:
        return -float(logsumexp(logs + log_weights(float(np.exp(log))), axis=1).sum())

    log_spread = _least(shortfall, LEAST_SPREAD, WIDEST_SPREAD)
    return float(np.exp(log_spread)), -shortfall(log_spread)


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function of a logarithm is least."""
    found = minimize_scalar(
        function, bounds=(np.log(low), np.log(high)), method="bounded", options={"xatol": 1e-2}
    )
    if not found.success:
        raise FitError(f"the prior of the levels was not found: {found.message}")
    return float(found.x)
