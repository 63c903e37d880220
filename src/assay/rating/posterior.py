"""From a peak and a standard deviation in Elo to a rating with its interval: posteriors on one grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints

GRID = np.arange(600.0, 3801.0, 4.0)
"""Elo at which posteriors are computed."""

REACH = 0.3
"""How far the outermost mileposts reach, in steps between mileposts."""

_CHUNK = 2000
"""Players whose posteriors are computed together, for the sake of memory."""


class Prior:
    """What is assumed of a player before any move: a density over Elo."""

    shared = 0.0
    """Standard deviation of the part of a player's form that `posterior` accounts for, not the likelihood."""

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant."""
        raise NotImplementedError

    def posterior(self, log_likelihood: Floats) -> Floats:
        """Logarithm of the posterior over GRID, up to a constant: the last axis is GRID."""
        return np.asarray(self.log_density(GRID) + log_likelihood)


@dataclass(frozen=True)
class Range(Prior):
    """Every Elo of the mileposts is as likely; beyond them players are rarer the further they are."""

    lowest: float
    highest: float
    beyond: float = 30.0
    """How far the outermost mileposts reach."""
    fading: float = 60.0
    """Standard deviation with which the density fades from there. A steep end pulls all who are near it to
    the middle: it rated years of champions of 2800 by 136 points too low and covered 76%. With 60 it is 106
    and 100%, at the same width. Chosen on halves of the milepost games, where one game's intervals widen by
    4% (with 100 by 8%)."""

    @classmethod
    def of(cls, mileposts: Floats) -> Range:
        """The range of some mileposts.

        Each stands for the players up to half way to the next. An interval that leaves out a tail would never
        miss the outermost, so they are given a little less than their half.
        """
        lowest, highest = float(mileposts.min()), float(mileposts.max())
        return cls(lowest, highest, REACH * (highest - lowest) / (len(mileposts) - 1))

    @property
    def words(self) -> str:
        """How the output names it."""
        return f"flat over {self.lowest:.0f} to {self.highest:.0f}"

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant."""
        below = np.minimum(elo - self.lowest + self.beyond, 0)
        above = np.maximum(elo - self.highest - self.beyond, 0)
        return np.asarray(-0.5 * np.square((below + above) / self.fading))


@dataclass(frozen=True)
class Normal(Prior):
    """A normal prior."""

    mean: float
    deviation: float

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant."""
        return np.asarray(-0.5 * np.square((elo - self.mean) / self.deviation))


def summaries(logs: Floats, level: float) -> tuple[Floats, Floats, Floats]:
    """Mean and ends of the equal-tailed interval of posteriors, by trapezoids; the last axis is GRID."""
    shape = logs.shape[:-1]
    logs = logs.reshape(-1, len(GRID))
    parts = [_summaries(logs[start : start + _CHUNK], level) for start in range(0, max(len(logs), 1), _CHUNK)]
    mean, low, high = (np.concatenate(columns).reshape(shape) for columns in zip(*parts, strict=True))
    return mean, low, high


def _summaries(logs: Floats, level: float) -> tuple[Floats, Floats, Floats]:
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
    rows: Ints = np.arange(len(cumulative))
    above = np.maximum((cumulative < wanted[:, None]).sum(axis=1), 1)
    low, high = cumulative[rows, above - 1], cumulative[rows, above]
    return np.asarray(GRID[above - 1] + (GRID[1] - GRID[0]) * (wanted - low) / (high - low))
