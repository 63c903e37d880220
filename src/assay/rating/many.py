"""Ratings of many players at once: what assay.rating.posterior says of one, on whole arrays.

The log-likelihood of an Elo is a parabola in it (raw ratings are normal around a line), so the evidence of a
player is two numbers, where it is highest and how sharp it is. All else is as for one player, and a test
holds the two together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.rating.posterior import BORROWED, GRID, OWN_GAMES, Prior, RawRatings
from assay.rating.spread import Spread


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
            *_at(spread, np.array([one.amount(spread) for one in several], dtype=np.float64)),
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


def _at(spread: Spread, size: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """`Spread.at` of many sizes."""
    games = np.maximum(size / spread.game_size, 1e-3)
    place = np.interp(np.log(games), np.log(spread.games), np.arange(len(spread.games)))
    low = np.clip(np.floor(place).astype(np.int64), 0, max(len(spread.games) - 2, 0))
    high, share = np.minimum(low + 1, len(spread.games) - 1), place - low

    def between(ladder: Floats) -> Floats:
        part = share.reshape(-1, *[1] * (ladder.ndim - 1))
        return np.asarray((1 - part) * ladder[low] + part * ladder[high])

    return games, between(spread.offset), between(spread.slope), between(spread.unit)


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
