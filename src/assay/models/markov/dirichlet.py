"""Rows of transition counts with a Dirichlet prior towards the pooled rows of all players.

A row of one player's matrix is multinomial. Players are alike, so their rows are taken as drawn from a
Dirichlet distribution about the pooled row; its strength, in moves, is the one under which the counts of all
players are most likely. The posterior of a row is Dirichlet again and gives intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

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
        known = [row for row in self.telling if row[0].size]
        logs = np.array([sum(log_marginal(np.log(s), *row) for row in known) for s in grid])
        logs = logs - np.log(grid) / 2
        weights = np.exp(logs - logs.max())
        return grid, weights / weights.sum()

    def posterior(self, counts: Floats) -> Floats:
        """Counts with what the prior adds to them."""
        return counts + self.pseudo_counts

    def draw(self, players: Sequence[Floats], draws: int, generator: np.random.Generator) -> list[Floats]:
        """Matrices of each player from the posterior, of the strength too: shapes (draws, ..., n, n)."""
        # The strength is of all players: drawn once, the same for each of them.
        added = self._drawn_pseudo_counts(draws, generator)
        return [draw_each(counts + added, generator) for counts in players]

    def _drawn_pseudo_counts(self, draws: int, generator: np.random.Generator) -> Floats:
        """What the prior adds, by strengths from their posterior; as found where each row has its own."""
        if not self.telling:
            return np.broadcast_to(self.pseudo_counts, (draws, *self.rows.shape))
        grid, weights = self.strength_posterior
        strengths = generator.choice(grid, size=draws, p=weights)
        return np.asarray(strengths.reshape(-1, *[1] * self.rows.ndim) * self.rows)


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
    found = minimize_scalar(
        lambda log_strength: -sum(log_marginal(log_strength, *row) for row in telling),
        bounds=(np.log(WEAKEST), np.log(STRONGEST)),
        method="bounded",
        options={"xatol": 1e-4},
    )
    if not found.success:
        raise FitError(f"the strength of the prior was not found: {found.message}")
    return float(np.exp(found.x))


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


def draw_rows(counts: Floats, draws: int, generator: np.random.Generator) -> Floats:
    """Draws from the posterior of every row of one matrix of counts, shape (draws, ..., n, n)."""
    return draw_each(np.broadcast_to(counts, (draws, *counts.shape)), generator)


def draw_each(counts: Floats, generator: np.random.Generator) -> Floats:
    """One draw from the posterior of every row of every matrix; rows without counts stay put."""
    gamma = generator.standard_gamma(counts)
    empty = (gamma.sum(axis=-1, keepdims=True) <= 0) & (counts.sum(axis=-1, keepdims=True) > 0)
    # All gammas of a row with tiny counts can underflow: such a draw is the mean.
    return np.where(empty, shares(counts), shares(gamma))
