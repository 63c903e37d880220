"""Rows of transition counts, shrunk towards the pooled rows of all players.

A row of one player's matrix is multinomial. Players are alike, so their rows are taken as drawn from a
Dirichlet distribution about the pooled row; its strength, in moves, is the one under which the counts of all
players are most likely. The posterior of a row is Dirichlet again and gives intervals.

A player who errs more errs more in every class: rows of one player are not independent. `LevelPrior` tilts
the pooled rows first: all steps down are e^theta times as likely against staying. theta, one number a player,
is normal about zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import gammaln, logsumexp

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError

WEAKEST, STRONGEST = 0.1, 1e5
"""Bounds of a row's strength in moves: beyond the upper one, the players cannot be told apart."""


@dataclass(frozen=True, eq=False)
class RowPrior:
    """Pooled rows (each sums to one) and the strength of each in moves; shapes (..., n, n) and (..., n)."""

    rows: Floats
    strength: Floats
    telling: tuple[tuple[Floats, Floats], ...] = ()
    """The rows that one strength for all was found from; empty where each row has its own."""

    @property
    def pseudo_counts(self) -> Floats:
        """What the prior adds to a player's counts."""
        return self.rows * self.strength[..., None]

    @cached_property
    def strength_posterior(self) -> tuple[Floats, Floats]:
        """Strengths and their probabilities: few players leave much open, and intervals must say so.

        The spread of players, 1 / sqrt(strength), is uniform beforehand.
        """
        grid = np.geomspace(WEAKEST, STRONGEST, 160)
        rows = [row for row in self.telling if row[0].size]
        logs = np.array([sum(log_marginal(np.log(s), *row) for row in rows) for s in grid])
        logs = logs - np.log(grid) / 2
        weights = np.exp(logs - logs.max())
        return grid, weights / weights.sum()

    def posterior(self, counts: Floats) -> Floats:
        """Counts with what the prior adds to them."""
        return counts + self.pseudo_counts

    def draw(self, players: Sequence[Floats], draws: int, generator: np.random.Generator) -> list[Floats]:
        """Matrices of each player from the posterior, of the strength too: shapes (draws, ..., n, n)."""
        # The strength is of all players: drawn once, the same for each of them.
        added = np.broadcast_to(self.pseudo_counts, (draws, *self.rows.shape))
        if self.telling:
            grid, weights = self.strength_posterior
            strengths = generator.choice(grid, size=draws, p=weights)
            added = strengths.reshape(-1, *[1] * self.rows.ndim) * self.rows
        return [draw_each(counts + added, generator) for counts in players]


def shares(counts: Floats) -> Floats:
    """Rows of counts as probabilities; a row that was never seen stays where it is."""
    totals = counts.sum(axis=-1, keepdims=True)
    stay = np.broadcast_to(np.eye(counts.shape[-1]), counts.shape)
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), stay)


def fit_prior(counts: npt.ArrayLike, *, per_row: bool = False, floor: Floats | None = None) -> RowPrior:
    """Prior from the counts of several players, shape (players, ..., n, n): strength by marginal likelihood.

    One strength for all rows, or one for each with `per_row`. `floor` is added to the pooled counts, so that
    what no player did stays possible.
    """
    many = np.asarray(counts, dtype=np.float64)
    if many.ndim < 3 or not len(many):
        raise InputError("a prior needs the counts of at least one player")
    pooled = shares(many.sum(axis=0) + (0.0 if floor is None else floor))
    by_row = np.moveaxis(many, 0, -2).reshape(-1, len(many), many.shape[-1])
    rows = [_informative(*row) for row in zip(by_row, pooled.reshape(-1, many.shape[-1]), strict=True)]
    if per_row:
        strength = np.array([most_likely_strength([row]) for row in rows])
    else:
        strength = np.full(len(rows), most_likely_strength(rows))
    return RowPrior(pooled, strength.reshape(pooled.shape[:-1]), () if per_row else tuple(rows))


def log_marginal(log_strength: float, counts: Floats, pooled: Floats) -> float:
    """Log Dirichlet-multinomial probability of players' rows, but for what strength cannot change."""
    strength = np.exp(log_strength)
    expected = strength * pooled
    within = (gammaln(expected + counts) - gammaln(expected)).sum(axis=-1)
    return float(np.sum(within + gammaln(strength) - gammaln(strength + counts.sum(axis=-1))))


def most_likely_strength(rows: Sequence[tuple[Floats, Floats]]) -> float:
    """Strength in moves from rows: pairs of the counts of several players and their pooled row."""
    telling = [(counts, pooled) for counts, pooled in rows if counts.size]
    if not telling:
        return STRONGEST

    def shortfall(log_strength: float) -> float:
        return -sum(log_marginal(log_strength, *row) for row in telling)

    return float(np.exp(_least(shortfall, WEAKEST, STRONGEST, 1e-4)))


def _informative(counts: Floats, pooled: Floats) -> tuple[Floats, Floats]:
    """The part of a row in which players could differ; empty if there is none, or nobody to differ from."""
    possible, seen = pooled > 0, counts.sum(axis=-1) > 0
    if possible.sum() < 2 or seen.sum() < 2:
        return np.empty((0, 0)), np.empty(0)
    return counts[seen][:, possible], pooled[possible]


def one_move_per_row(size: int) -> Floats:
    """One move in every row of a triangular matrix: half of it stays, half falls anywhere."""
    anywhere = np.tril(np.ones((size, size))) / np.arange(1, size + 1)[:, None]
    return (np.eye(size) + anywhere) / 2


def draw_each(counts: Floats, generator: np.random.Generator) -> Floats:
    """One draw from the posterior of every row of every matrix; rows without counts stay put."""
    gamma = generator.standard_gamma(counts)
    empty = (gamma.sum(axis=-1, keepdims=True) <= 0) & (counts.sum(axis=-1, keepdims=True) > 0)
    # All gammas of a row with tiny counts can underflow: such a draw is the mean.
    return np.where(empty, shares(counts), shares(gamma))


# Pooled rows at the player's own level -------------------------------------------------------------------

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
        drawn = []
        for counts in players:
            theta = generator.choice(GRID, size=draws, p=self.levels(counts))
            drawn.append(draw_each(counts + self.strength * tilted(self.rows, theta), generator))
        return drawn


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


def _least(function: Callable[[float], float], low: float, high: float, within: float = 1e-2) -> float:
    """Where a function of a logarithm is least."""
    from scipy.optimize import minimize_scalar

    bounds = (np.log(low), np.log(high))
    fit = minimize_scalar(function, bounds=bounds, method="bounded", options={"xatol": within})
    if not fit.success:
        raise FitError(f"the prior was not found: {fit.message}")
    return float(fit.x)
