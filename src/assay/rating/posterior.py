"""From the raw ratings of all methods to the probability of each Elo.

The raw ratings r of a player of Elo E are normal around a line, with a covariance that was learned
(assay.rating.spread). So the posterior over E weighs each method by what it adds to the others: their errors
are correlated, and the inverse of the covariance takes care of that. One method alone is the same with one
entry.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from assay.answers.ratings import Rating
from assay.decisions.arrays import Floats, Ints
from assay.models.bayes import Posterior
from assay.rating.spread import Spread

GRID = np.arange(600.0, 3801.0, 4.0)
"""Elo at which the posterior is held."""

REACH = 0.3
"""How far the outermost mileposts reach, in steps between mileposts."""

BORROWED = 1.5
"""The mapping at one milepost rests on its own games and on its neighbours', through one curve and one line
for all: on as many as so many mileposts have. On games kept out, in six splits, 1
to 2 had intervals of 30 games that contain the rating as often as they should; 3 were too narrow."""

OWN_GAMES = 30.0
"""So many games of a player say as much about how their games vary as all of the calibration does."""


class Prior(Protocol):
    """What is taken to be known of a player before any move: a density over Elo."""

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant."""


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
    squares: float | None = None
    """Sum of the squares of each game's decisions; None where games are of the usual length."""

    def amount(self, spread: Spread) -> float:
        """How many decisions of games of the usual length say as much (Spread.amount)."""
        if self.squares is None:
            return self.size
        return float(spread.amount(np.asarray(self.size), np.asarray(self.squares)))


def covariance(raw: RawRatings, spread: Spread, elo: float, methods: Sequence[int]) -> Floats:
    """Covariance of the raw ratings of a player of this Elo by some methods: games, form, and the mapping.

    The mapping errs with the games of its mileposts, and with those of a bridge where one carried it over.

    How games vary is learned in calibration; the more games there are of the player, the more counts how
    that player's own vary. Which method varies with which is left as learned: a few games would not tell.
    """
    games, _, slope, unit = spread.at(raw.amount(spread))
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
    mapping = whole / (BORROWED * spread.milepost_games)
    if spread.bridge is not None:
        deviation = np.sqrt(np.diag(whole))
        mapping += np.outer(deviation, deviation) * spread.bridge.at(elo)[np.ix_(methods, methods)]
    return np.asarray(varying + common + mapping)


def _own_factor(own: Floats, learned: Floats, slope: Floats, games: int) -> float:
    """How much more a player's games vary than others' do, drawn to 1 where there are few of them.

    Compared are the variances of what the methods say together, weighed as a rating weighs them.
    """
    weights = np.linalg.solve(learned, slope)
    ratio = float((weights @ own @ weights) / (weights @ learned @ weights))
    share = (games - 1) / (games - 1 + OWN_GAMES)
    return 1 - share + share * ratio


def heard(raw: RawRatings, spread: Spread, methods: Sequence[int]) -> list[int]:
    """The methods that count: those with a raw rating whose weight beside the others is not negative.

    Where a method repeats the errors of a better one, the least variance takes what it says off. That gains
    little where players are as those of the calibration, and errs where they are not: engines that play
    badly on purpose came out below all that any method said.
    """
    used = [one for one in methods if np.isfinite(raw.values[one])]
    _, _, slope, _ = spread.at(raw.amount(spread))
    while len(used) > 1:
        weights = np.linalg.solve(covariance(raw, spread, spread.centre, used), slope[used])
        if weights.min() >= 0:
            break
        used.pop(int(weights.argmin()))
    return used


def elo_evidence(raw: RawRatings, spread: Spread, prior: Prior, methods: Sequence[int]) -> Floats | None:
    """Log-likelihood of each Elo of the grid by some of the methods; None where none has a raw rating.

    Games of strong players vary less. The covariance is taken at the Elo that a first posterior has as its
    mean, not along the whole scale: errors that happen to be small are no evidence of strength.
    """
    used = heard(raw, spread, methods)
    if not used:
        return None
    _, offset, slope, _ = spread.at(raw.amount(spread))
    errors = raw.values[used] - offset[used] - slope[used] * GRID[:, None]

    def with_covariance_at(elo: float) -> Floats:
        matrix = covariance(raw, spread, elo, used)
        return np.asarray(-0.5 * np.einsum("ij,ij->i", errors, np.linalg.solve(matrix, errors.T).T))

    first = Posterior.of(GRID, prior.log_density(GRID) + with_covariance_at(spread.centre))
    return with_covariance_at(first.mean)


def elo_posterior(raw: RawRatings, spread: Spread, prior: Prior, methods: Sequence[int]) -> Posterior | None:
    """Posterior over Elo from some of the methods; None where none of them has a raw rating."""
    evidence = elo_evidence(raw, spread, prior, methods)
    return None if evidence is None else Posterior.of(GRID, prior.log_density(GRID) + evidence)


def without_prior(raw: RawRatings, spread: Spread, methods: Sequence[int]) -> float:
    """The Elo that some of the methods say by themselves: a weighted mean; NaN where none says any.

    The covariance is taken in the middle of the scale, so that the answer is linear in what they say.
    """
    used = heard(raw, spread, methods)
    if not used:
        return math.nan
    _, offset, slope, _ = spread.at(raw.amount(spread))
    weights = np.linalg.solve(covariance(raw, spread, spread.centre, used), slope[used])
    return float(weights @ (raw.values[used] - offset[used]) / (weights @ slope[used]))


def as_rating(method: str, posterior: Posterior, decisions: float, games: float, level: float) -> Rating:
    """Mean and equal-tailed interval of a posterior over Elo."""
    low, high = posterior.region(level)
    return Rating(method, posterior.mean, low=low, high=high, decisions=decisions, games=games, level=level)


# Many players at once: the same on whole arrays -----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ManyRatings:
    """Mean and equal-tailed interval of the posterior of each player; NaN where no method says anything."""

    elo: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class ManyRaw:
    """Raw ratings of many players (assay.rating.posterior.RawRatings), and the spread at their sizes."""

    values: Floats
    """Shape (players, methods)."""
    own: Floats
    """Shape (players, methods, methods); NaN where nothing was resampled."""
    resampled: Ints
    """Games that were resampled; 1 where none were."""
    players: Floats
    amount: Floats
    """How many typical games the decisions amount to."""
    offset: Floats
    slope: Floats
    unit: Floats

    @classmethod
    def of(cls, several: Sequence[RawRatings], spread: Spread) -> Self:
        """From those of single players."""
        methods = len(spread.methods)
        nothing = np.full((methods, methods), np.nan)
        known = [one.own is not None and one.games > 1 for one in several]
        own = [nothing if one.own is None else one.own for one in several]
        games = [one.games if has else 1 for one, has in zip(several, known, strict=True)]
        return cls(
            np.stack([one.values for one in several]),
            np.stack(own),
            np.array(games, dtype=np.int64),
            np.array([one.players for one in several], dtype=np.float64),
            *spread.at_each(np.array([one.amount(spread) for one in several], dtype=np.float64)),
        )

    def only(self, rows: Ints) -> ManyRaw:
        """Some of the players."""
        return ManyRaw(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def many_posteriors(
    raw: ManyRaw, spread: Spread, prior: Prior, methods: Sequence[int], level: float
) -> ManyRatings:
    """Posterior of each player by some of the methods, as `elo_posterior` and `as_rating` have it."""
    before = prior.log_density(GRID)
    answer = np.full((3, len(raw.values)), np.nan)
    for used, rows in _heard(raw, spread, methods):
        own = raw.only(rows)
        middle = np.full(len(rows), spread.centre)
        first, _, _ = _summary(*_parabola(own, spread, middle, used), before, level)
        answer[:, rows] = _summary(*_parabola(own, spread, first, used), before, level)
    return ManyRatings(*answer)


def _heard(raw: ManyRaw, spread: Spread, methods: Sequence[int]) -> list[tuple[list[int], Ints]]:
    """Which methods count, and of which players: those of a weight below zero are passed over in turn."""
    finite = np.isfinite(raw.values[:, list(methods)])
    left = [
        ([method for method, is_used in zip(methods, used, strict=True) if is_used], rows)
        for used, rows in _alike(finite)
        if used.any()
    ]
    found = []
    while left:
        used, rows = left.pop()
        if len(used) == 1:
            found.append((used, rows))
            continue
        own = raw.only(rows)
        middle = np.full(len(rows), spread.centre)
        weights = _solved(_covariances(own, spread, middle, used), own.slope[:, used])
        worst = np.where(weights.min(axis=1) >= 0, -1, weights.argmin(axis=1))
        for one in np.unique(worst).tolist():
            fewer = used if one < 0 else used[:one] + used[one + 1 :]
            (found if one < 0 else left).append((fewer, rows[worst == one]))
    return found


def _alike(pattern: Floats) -> list[tuple[Floats, Ints]]:
    """The different rows of a pattern, each with where it stands."""
    kinds, place = np.unique(pattern, axis=0, return_inverse=True)
    return [(kind, np.flatnonzero(place.reshape(-1) == one)) for one, kind in enumerate(kinds)]


def _covariances(raw: ManyRaw, spread: Spread, elo: Floats, methods: list[int]) -> Floats:
    """`covariance` of each player at their Elo."""
    scale = np.exp(spread.tilt[methods] * (elo - spread.centre)[:, None])
    slope, games = raw.slope[:, methods], raw.amount[:, None, None]
    whole = raw.unit[:, methods][:, :, methods] * _outer(scale)
    form = spread.form**2 * _outer(slope)
    varying = whole / games
    common = np.maximum(1 / raw.players[:, None, None] - 1 / games, 0.0) * form
    varied = np.flatnonzero(raw.resampled > 1)
    if len(varied):
        own = raw.own[varied][:, methods][:, :, methods] + (form / games)[varied]
        factor = _own_factors(own, varying[varied], slope[varied], raw.resampled[varied])
        varying[varied] *= factor[:, None, None]
    mapping = whole / (BORROWED * spread.milepost_games)
    if spread.bridge is not None:
        error = np.stack([spread.bridge.at(one) for one in elo.tolist()])[:, methods][:, :, methods]
        mapping += _outer(np.sqrt(np.einsum("ijj->ij", whole))) * error
    return np.asarray(varying + common + mapping)


def _own_factors(own: Floats, learned: Floats, slope: Floats, games: Ints) -> Floats:
    """How much more each player's games vary than others' do."""
    weights = _solved(learned, slope)
    ratio = _form(weights, own) / _form(weights, learned)
    share = (games - 1) / (games - 1 + OWN_GAMES)
    return np.asarray(1 - share + share * ratio)


def _parabola(raw: ManyRaw, spread: Spread, elo: Floats, used: list[int]) -> tuple[Floats, Floats]:
    """Where the likelihood of each player is highest, and its precision, with the covariance at these Elo."""
    slope = raw.slope[:, used]
    weights = _solved(_covariances(raw, spread, elo, used), slope)
    precision = (weights * slope).sum(axis=1)
    return (weights * (raw.values - raw.offset)[:, used]).sum(axis=1) / precision, precision


def _summary(
    highest: Floats, precision: Floats, before: Floats, level: float
) -> tuple[Floats, Floats, Floats]:
    """Mean, and ends of the interval, of prior times likelihood on the grid (trapezoids)."""
    logs = before - 0.5 * precision[:, None] * np.square(GRID - highest[:, None])
    density = np.exp(logs - logs.max(axis=1, keepdims=True))
    mass = density.copy()
    mass[:, [0, -1]] /= 2
    mean = mass @ GRID / mass.sum(axis=1)
    cumulative = np.zeros_like(density)
    np.cumsum((density[:, 1:] + density[:, :-1]) / 2, axis=1, out=cumulative[:, 1:])
    return mean, _quantile(cumulative, (1 - level) / 2), _quantile(cumulative, (1 + level) / 2)


def _quantile(cumulative: Floats, probability: float) -> Floats:
    """Where each row of rising sums reaches a share of its last."""
    wanted = probability * cumulative[:, -1]
    rows = np.arange(len(cumulative))
    above = np.maximum((cumulative < wanted[:, None]).sum(axis=1), 1)
    low, high = cumulative[rows, above - 1], cumulative[rows, above]
    return np.asarray(GRID[above - 1] + (GRID[1] - GRID[0]) * (wanted - low) / (high - low))


def _solved(matrices: Floats, vectors: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrices, vectors[:, :, None])[:, :, 0])


def _outer(vectors: Floats) -> Floats:
    return np.asarray(vectors[:, :, None] * vectors[:, None, :])


def _form(vectors: Floats, matrices: Floats) -> Floats:
    """The quadratic form of each vector with its matrix."""
    return np.asarray(np.einsum("ij,ijk,ik->i", vectors, matrices, vectors))
