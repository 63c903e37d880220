"""Players at hand as one population: its mean and deviation, learned from their own moves.

Strengths of the players are normal around a mean with a deviation that nobody knows. Each player's moves
give the likelihood L_i(E) of every Elo; the marginal likelihood of mean m and deviation s is the product over
players of the integral of L_i(E) N(E; m, s). Empirical Bayes takes the m and s that make it largest; with few
players it would then believe a deviation near zero as often as not. So all pairs on a grid are kept, weighted
by that likelihood and by what is known beforehand: any mean within the range of the mileposts, and a
deviation that is rarely above some hundreds of points.

The prior of a player is the mixture of these normals, by the weights that the *others* give them: the product
with the player's own likelihood is then the exact posterior of the whole hierarchy, and no move counts twice.
A player alone has a prior that is nearly flat. What is left out: the error of the mapping is common to all,
and is taken as each player's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import logsumexp

from assay.decisions.arrays import Floats
from assay.rating.posterior import GRID, Prior, Range, RawRatings, elo_evidence
from assay.rating.spread import Spread

DEVIATIONS = np.geomspace(25.0, 600.0, 12)
"""Deviations of a population that are thought of: a field of equals to everybody there is."""

USUAL_DEVIATION = 300.0
"""Scale of the half-normal prior of the deviation. Set, not measured: it matters with few players only."""

_STEP = 25.0
"""Between the means that are thought of: as the smallest deviation, so that none falls between two."""

_REACH = 600.0
"""How far beyond the mileposts means are thought of: the prior fades there."""

_POINTS = GRID[::4]
"""Where likelihoods are integrated over: every 16 points of Elo, which resolves the smallest deviation."""

_CHUNK = 500
"""Players whose marginal likelihoods are computed together, for the sake of memory."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A prior as a table over Elo."""

    log: Floats

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant; between points by straight lines."""
        return np.asarray(np.interp(elo, _POINTS, self.log))


@dataclass(frozen=True, eq=False)
class Pool:
    """Normals that the population may be, how likely each is, and what each player says of them."""

    means: Floats
    deviations: Floats
    """One entry for each normal that is thought of."""
    densities: Floats
    """Theirs over Elo, shape (normals, points)."""
    before: Floats
    """Logarithm, up to a constant, of their probability before any move."""
    said: Floats
    """Logarithm of the marginal likelihood of each player's moves, shape (players, normals)."""

    @classmethod
    def learn(cls, evidence: Sequence[Floats], span: Range) -> Pool:
        """The pool from the log-likelihood over the grid of every player's moves."""
        means, deviations, normals = _normals(span)
        # Deviations are spaced by a factor: each stands for a stretch as long as itself.
        before = span.log_density(means) - 0.5 * np.square(deviations / USUAL_DEVIATION) + np.log(deviations)
        stack = np.stack(evidence)[:, ::4]
        said = [_marginal(stack[i : i + _CHUNK], normals) for i in range(0, len(stack), _CHUNK)]
        return cls(means, deviations, normals, before, np.concatenate(said))

    def weights(self, leaving_out: int | None = None) -> Floats:
        """Probability of each normal by the moves of all players, or of all but one."""
        log = self.before + self._sum
        if leaving_out is not None:
            log = log - self.said[leaving_out]
        return np.asarray(np.exp(log - logsumexp(log)))

    def without(self, leaving_out: int | None) -> Curve:
        """What the others let expect of a player; of somebody new, what all do."""
        density = self.weights(leaving_out) @ self.densities
        return Curve(np.log(np.maximum(density, 1e-300)))

    @property
    def mean(self) -> float:
        """The mean of the population, on average over what it may be."""
        return float(self.weights() @ self.means)

    @property
    def deviation(self) -> float:
        """The deviation of the population, on average over what it may be."""
        return float(self.weights() @ self.deviations)

    @cached_property
    def _sum(self) -> Floats:
        return np.asarray(self.said.sum(axis=0))


def pool_of(
    raws: Sequence[RawRatings], spread: Spread, span: Range, methods: Sequence[int]
) -> tuple[Pool | None, list[Prior]]:
    """The pool of some players, and the prior that it has for each; no pool where no moves say anything.

    Which covariance a likelihood has hangs on the rating, and that on the prior: so the pool is learned
    twice, from the flat prior and then from itself.
    """
    pool: Pool | None = None
    priors: list[Prior] = [span] * len(raws)
    for _ in range(2):
        found = [elo_evidence(raw, spread, prior, methods) for raw, prior in zip(raws, priors, strict=True)]
        said = [one for one in found if one is not None]
        if not said:
            return None, priors
        pool = Pool.learn(said, span)
        place = iter(range(len(said)))
        # Whose moves say nothing has the prior of somebody new.
        priors = [pool.without(None if one is None else next(place)) for one in found]
    return pool, priors


@lru_cache(maxsize=4)
def _normals(span: Range) -> tuple[Floats, Floats, Floats]:
    """Means, deviations and densities of the normals that are thought of."""
    centres = np.arange(span.lowest - _REACH, span.highest + _REACH + 1, _STEP)
    means, deviations = (axis.ravel() for axis in np.meshgrid(centres, DEVIATIONS, indexing="ij"))
    apart = np.minimum(np.abs(_POINTS - means[:, None]) / deviations[:, None], 12.0)  # exp(-72) is nothing
    densities = np.exp(-0.5 * apart**2) / (deviations[:, None] * np.sqrt(2 * np.pi))
    return means, deviations, densities


def _marginal(evidence: Floats, normals: Floats) -> Floats:
    """Logarithm of the integral of likelihood times density, shape (players, normals)."""
    top = evidence.max(axis=1, keepdims=True)
    step = float(_POINTS[1] - _POINTS[0])
    return np.asarray(np.log(np.exp(evidence - top) @ normals.T * step + 1e-300) + top)
