"""From the raw ratings of all methods to the probability of each Elo.

The raw ratings r of a player of Elo E are normal around a line, with a covariance that was learned
(assay.models.spread). So the posterior over E weighs each method by what it adds to the others: their errors
are correlated, and the inverse of the covariance takes care of that. One method alone is the same with one
entry.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.domain.rating import Rating
from assay.models.posterior import Posterior
from assay.models.spread import Spread

Floats = npt.NDArray[np.float64]

GRID = np.arange(600.0, 3801.0, 4.0)
"""Elo at which the posterior is held."""

REACH = 0.3
"""How far the outermost mileposts reach, in steps between mileposts."""

BORROWED = 1.5
"""The mapping at one milepost rests on its own games and on its neighbours', through one curve and one line
for all: on as many as so many mileposts have. On games kept out, in six splits, 1
to 2 had intervals of 30 games that hold; 3 were too narrow."""

OWN_GAMES = 30.0
"""So many games of a player say as much about how his games vary as all of the calibration does."""


@dataclass(frozen=True)
class Range:
    """The Elo that players may have before anything is known.

    Mileposts are spread evenly over the scale, so before any move all of it is as likely. Players beyond them
    are possible, but it takes evidence.
    """

    lowest: float
    highest: float
    beyond: float = 30.0
    """How far the outermost mileposts reach."""
    rarity: float = 0.05
    """Density just beyond that, as a share of the density within."""
    fading: float = 200.0
    """Deviation with which it fades from there."""

    @classmethod
    def of(cls, mileposts: Floats) -> Range:
        """The range of some mileposts.

        Each stands for the players up to half way to the next. An interval that leaves out a tail would
        never miss the outermost, so they are given a little less than their half.
        """
        lowest, highest = float(mileposts.min()), float(mileposts.max())
        return cls(lowest, highest, REACH * (highest - lowest) / (len(mileposts) - 1))

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant."""
        below = np.minimum(elo - self.lowest + self.beyond, 0)
        above = np.maximum(elo - self.highest - self.beyond, 0)
        outside = below + above
        rare = np.where(outside == 0, 0.0, math.log(self.rarity))
        return np.asarray(rare - 0.5 * np.square(outside / self.fading))


@dataclass(frozen=True, eq=False)
class RawRatings:
    """What the methods say of one player, before errors are weighed."""

    values: Floats
    """One raw rating per method of the spread; NaN where a method has none."""
    size: float
    """Decisions that they rest on."""
    own: Floats | None = None
    """Covariance of the values over this player's games, from resampling them."""
    games: int = 1
    """How many games were resampled for it."""
    players: float = 1.0
    """How many players the games are of: the form of each of them strays on its own."""


def covariance(raw: RawRatings, spread: Spread, elo: float, methods: Sequence[int]) -> Floats:
    """Covariance of the raw ratings of a player of this Elo by some methods: games, form, and the mapping.

    How games vary is learned in calibration; the more games there are of the player himself, the more counts
    how his own vary. Which method varies with which is left as learned: a few games would not tell.
    """
    games, _, slope, unit = spread.at(raw.size)
    scale = spread.deviations(elo)
    whole = (unit * np.outer(scale, scale))[np.ix_(methods, methods)]
    form = spread.form**2 * np.outer(slope[methods], slope[methods])
    varying = whole / games
    # Games of different players vary by the players' form too: so much of it is in `whole` already.
    common = max(1 / raw.players - 1 / games, 0.0) * form
    if raw.own is not None and raw.games > 1:
        varying *= _own_factor(
            raw.own[np.ix_(methods, methods)] + form / games, varying, slope[methods], raw.games
        )
    return np.asarray(varying + common + whole / (BORROWED * spread.milepost_games))


def _own_factor(own: Floats, learned: Floats, slope: Floats, games: int) -> float:
    """How much more a player's games vary than others' do, drawn to 1 where he has few of them.

    Compared are the variances of what the methods say together, weighed as a rating weighs them.
    """
    weights = np.linalg.solve(learned, slope)
    ratio = float((weights @ own @ weights) / (weights @ learned @ weights))
    share = (games - 1) / (games - 1 + OWN_GAMES)
    return 1 - share + share * ratio


def elo_posterior(raw: RawRatings, spread: Spread, prior: Range, methods: Sequence[int]) -> Posterior | None:
    """Posterior over Elo from some of the methods; None where none of them has a raw rating.

    Games of strong players vary less. The covariance is taken at the Elo that a first posterior has as its
    mean, not along the whole scale: errors that happen to be small are no evidence of strength.
    """
    used = [one for one in methods if np.isfinite(raw.values[one])]
    if not used:
        return None
    _, offset, slope, _ = spread.at(raw.size)
    errors = raw.values[used] - offset[used] - slope[used] * GRID[:, None]
    before = prior.log_density(GRID)

    def with_covariance_at(elo: float) -> Posterior:
        matrix = covariance(raw, spread, elo, used)
        distance = np.einsum("ij,ij->i", errors, np.linalg.solve(matrix, errors.T).T)
        return Posterior.of(GRID, before - 0.5 * distance)

    first = with_covariance_at(spread.centre)
    return with_covariance_at(first.mean)


def as_rating(method: str, posterior: Posterior, decisions: float, games: float, level: float) -> Rating:
    """Mean and equal-tailed interval of a posterior over Elo."""
    low, high = posterior.region(level)
    return Rating(method, posterior.mean, low, high, decisions, games, level)
