"""What an agent projects beside what was played: mm, ad, M_i, Q_fit, each with its variance.

Regan and Haworth 2011, section 6, and the next task that section 8 names: variances. Under the model turns
are independent (principle (a)); over games they need not be. The ratio of the two variances shows how much
they are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.models.choice.curves import CURVES
from assay.models.choice.probabilities import CONVERSIONS, probabilities
from assay.models.choice.spreads import Spreads
from assay.models.intervals import FEWEST_GAMES, resample_weights, variance_correction

Q_FIT_SCALE = 1e4
"""Squares of percentages: the paper multiplies the squares of shares by this."""


@dataclass(frozen=True)
class Projection:
    """A quantity as the agent projects it and as it was, with standard deviations of their difference."""

    name: str
    projected: float
    actual: float
    model_deviation: float
    """Under the model: turns independent."""
    games_deviation: float
    """Over resampled games; NaN where they are too few."""

    @property
    def ratio(self) -> float:
        """Variance over games by variance under the model: 1 if turns are independent, as the model says."""
        if not self.model_deviation > 0:
            return float("nan")
        return float(np.square(self.games_deviation) / np.square(self.model_deviation))


@dataclass(frozen=True)
class Projections:
    """First-move agreement, average difference, frequency of each rank, and quality of fit."""

    mm: Projection
    ad: Projection
    ranks: tuple[Projection, ...]
    q_fit: Projection
    """`actual` is the paper's Q_fit; `projected` what it would be by chance if the agent were right."""


def project(
    spreads: Spreads,
    game: Ints,
    s: float,
    c: float,
    *,
    curve: str = CURVES[0],
    conversion: str = CONVERSIONS[0],
    resamples: int = 1000,
    seed: int = 0,
) -> Projections:
    """Projections of the agent (s, c) beside what was played; `game` tells the game of each turn."""
    p = probabilities(spreads, s, c, curve, conversion)
    ranked = _ranked(spreads, p)
    turns, widest = ranked.shape
    chosen = np.zeros_like(ranked)
    chosen[np.arange(turns), spreads.played] = 1.0
    expected, square = _expected_differences(spreads, p)
    covariance = (np.diag(ranked.sum(axis=0)) - ranked.T @ ranked) / turns**2
    off = np.column_stack((chosen - ranked, spreads.lost - expected))
    resampled = _resampled_means(off, game, resamples, seed)
    deviations = np.append(np.sqrt(np.diag(covariance)), np.sqrt((square - expected**2).sum()) / turns)
    projected = np.append(ranked.mean(axis=0), expected.mean())
    actual = np.append(chosen.mean(axis=0), spreads.lost.mean())
    names = [f"M_{i}" for i in range(widest)] + ["ad"]
    found = [
        Projection(*row)
        for row in zip(
            names, *(x.tolist() for x in (projected, actual, deviations, resampled.std(axis=0))), strict=True
        )
    ]
    mm = Projection("mm", *(getattr(found[0], name) for name in list(Projection.__annotations__)[1:]))
    q_fit = _q_fit(off[:, :-1].mean(axis=0), covariance, resampled[:, :-1])
    return Projections(mm, found[-1], tuple(found[:-1]), q_fit)


def _ranked(spreads: Spreads, p: Floats) -> Floats:
    """Probabilities as a matrix: turns by ranks."""
    lengths = np.diff(spreads.offsets)
    turn = np.repeat(np.arange(len(lengths)), lengths)
    matrix = np.zeros((len(lengths), spreads.widest))
    matrix[turn, np.arange(len(p)) - spreads.offsets[turn]] = p
    return matrix


def _expected_differences(spreads: Spreads, p: Floats) -> tuple[Floats, Floats]:
    """Expected scaled difference of each turn, and expected square."""
    starts = spreads.offsets[:-1]
    first = np.add.reduceat(p * spreads.delta, starts)
    return first, np.add.reduceat(p * np.square(spreads.delta), starts)


def _resampled_means(off: Floats, game: Ints, resamples: int, seed: int) -> Floats:
    """Mean of actual minus projected in each resample of the games, as far apart as new games would be.

    Shape (resamples, columns).
    """
    _, codes = np.unique(game, return_inverse=True)
    n_games = int(codes.max()) + 1
    if n_games < FEWEST_GAMES:
        return np.full((1, off.shape[1]), np.nan)
    sums = np.zeros((n_games, off.shape[1]))
    np.add.at(sums, codes, off)
    weights = resample_weights(n_games, resamples, seed)
    means: Floats = weights @ sums / (weights @ np.bincount(codes))[:, None]
    middle: Floats = means.mean(axis=0)
    return middle + math.sqrt(variance_correction(n_games)) * (means - middle)


def _q_fit(off: Floats, covariance: Floats, resampled: Floats) -> Projection:
    """Mean square of M_i - mm_a(i), in squared percent; by chance: the trace of the covariance.

    A sum of squares of correlated normal numbers has the variance 2 tr(C C).
    """
    scale = Q_FIT_SCALE / len(off)
    centred = resampled - resampled.mean(axis=0)
    return Projection(
        "Q_fit",
        scale * float(np.trace(covariance)),
        scale * float(np.square(off).sum()),
        scale * float(np.sqrt(2 * np.trace(covariance @ covariance))),
        scale * float(np.square(centred).sum(axis=1).std()),
    )
