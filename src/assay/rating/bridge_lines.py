"""How raw ratings by another source of values stray, from the same games valued by both sources.

How native raw ratings x lie around their lines is known from many games. Of the games of a bridge both are
known, and the raw ratings y by the other source err largely as x does. So where x came out too high in these
games y did too, and is set right by a regression on it: the estimator of two-phase sampling (Cochran 1977,
chapter 12), with x as the variable that is known for all. It needs the ratings of the players. Without these,
every other decision of each player stands in: one half by one source is an instrument for the other half by
the other, since their errors are made apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.errors import InputError
from assay.rating.spread import BridgeError, Spread, deal

FEWEST_GROUPS = 24
"""Groups of one size that a line is learned from, at least; longer ones stand to native ones as these do."""

_REPLICATIONS = 4

NEAR_ONE = 0.3
"""Deviation from one of the ratio of slopes, before the halves of games say anything: the curves of the other
source were made so that pools of these games come out alike by both. Halves of few games say little."""

Raw = Callable[[Floats], Floats]
"""Raw ratings, shape (groups, methods), for weights of the appearances (groups, appearances)."""


@dataclass(frozen=True, eq=False)
class Halves:
    """Raw ratings by every other decision, and by those between: shape (2, appearances, methods) each."""

    native: Floats
    other: Floats


@dataclass(frozen=True, eq=False)
class Paired:
    """The appearances of a bridge: raw ratings by both sources, and whose they are."""

    native: Raw
    other: Raw
    elo: Floats | None
    """Reference ratings; None where they are not used."""
    pool: Ints
    """Appearances that are near each other in strength, and may be one group."""
    cluster: Ints
    """Appearances whose errors may go together: those of one game."""
    halves: Halves | None = None
    """Needed where there are no reference ratings."""


@dataclass(frozen=True, eq=False)
class _Lines:
    """Of one number of games: lines by Elo (offset, slope) and deviations against the native ones."""

    offset: Floats
    slope: Floats
    wider: Floats
    """Deviation of each method as a multiple of the native one."""


def bridge_spread(native: Spread, paired: Paired, seed: int = 0) -> Spread:
    """The spread of the other source: the native one with other lines, deviations, and the bridge's error."""
    if paired.elo is None:
        assert paired.halves is not None
        found, error = _split(native, paired, paired.halves)
    else:
        found, error = _regressed(native, paired, paired.elo, np.random.default_rng(seed))
    last = len(found) - 1
    lines = [found[min(rung, last)] for rung in range(len(native.games))]
    # Of more games than were measured: as the native lines, seen through the last measured one.
    beyond = lines[-1].slope / native.slope[last]
    shift = lines[-1].offset - beyond * native.offset[last]
    offset = [
        one.offset if rung <= last else shift + beyond * native.offset[rung] for rung, one in enumerate(lines)
    ]
    slope = [one.slope if rung <= last else beyond * native.slope[rung] for rung, one in enumerate(lines)]
    unit = [
        native.unit[rung] * np.outer(lines[rung].wider, lines[rung].wider)
        for rung in range(len(native.games))
    ]
    return replace(native, offset=np.stack(offset), slope=np.stack(slope), unit=np.stack(unit), bridge=error)


def _regressed(
    native: Spread, paired: Paired, elo: Floats, rng: np.random.Generator
) -> tuple[list[_Lines], BridgeError]:
    """Lines by the regression on reference ratings and the errors of native raw ratings."""
    smallest = int(np.bincount(paired.pool).min())
    found: list[_Lines] = []
    error = None
    for rung, games in enumerate(native.games.astype(int).tolist()):
        if games > 1 and (2 * games > smallest or len(elo) < FEWEST_GROUPS * games):
            break
        weights = deal(paired.pool, games, 1 if games == 1 else _REPLICATIONS, rng)
        x, y, known = _raw(paired, weights)
        weights = weights[known]
        lines, left, middle, width = _rung(native, rung, weights @ elo / games, x, y)
        found.append(lines)
        if error is None:
            error = _error(native, lines, left, weights @ paired.cluster, middle, width)
    assert error is not None
    return found, error


def _rung(
    native: Spread, rung: int, elo: Floats, x: Floats, y: Floats
) -> tuple[_Lines, Floats, float, float]:
    """Lines and deviations of groups of one size; what is left of y, and where and how wide the Elo is."""
    middle, width = float(elo.mean()), float(elo.std())
    plain = np.column_stack((np.ones(len(elo)), elo - middle))
    errors = x - native.offset[rung] - native.slope[rung] * elo[:, None]
    offset, slope, left = np.zeros(y.shape[1]), np.zeros(y.shape[1]), np.zeros_like(y)
    for k in range(y.shape[1]):
        design = np.column_stack((plain, errors[:, k]))
        fitted = np.linalg.lstsq(design, y[:, k], rcond=None)[0]
        left[:, k] = (y[:, k] - design @ fitted) * np.sqrt(len(elo) / (len(elo) - 3))
        # Raw ratings that do not rise with Elo say nothing: a slope near zero makes them weigh so.
        slope[k] = max(fitted[1], 1e-6)
        offset[k] = fitted[0] - slope[k] * middle
    scale = np.exp(native.tilt * (elo[:, None] - native.centre))
    around = [(one - plain @ np.linalg.lstsq(plain, one, rcond=None)[0]) / scale for one in (x, y)]
    own, other = (np.sqrt(np.square(one).sum(axis=0) / (len(elo) - 2)) for one in around)
    together = np.sum(around[0] * around[1], axis=0) / np.sqrt(
        np.square(around[0]).sum(axis=0) * np.square(around[1]).sum(axis=0)
    )
    known = np.sqrt(np.diag(native.unit[rung]) / native.games[rung])
    # Where native deviations came out too small in these games, so did the others, by their correlation.
    deviation = np.exp(np.log(other) + together**2 * (np.log(known) - np.log(own)))
    return _Lines(offset, slope, deviation / known), left, middle, width


def _error(
    native: Spread, lines: _Lines, left: Floats, cluster: Floats, middle: float, width: float
) -> BridgeError:
    """What the lines err by: what the regression leaves, over so many independent appearances."""
    deviation = np.sqrt(np.diag(native.unit[0])) * lines.wider
    scaled = left / deviation
    share = scaled.T @ scaled / len(scaled) / _independent(scaled, cluster)
    return BridgeError(middle, share, share / width**2)


def _independent(left: Floats, cluster: Floats) -> float:
    """How many appearances are worth as much as these, of which some err together: both sides of a game."""
    together = np.stack([left[cluster == one].sum(axis=0) for one in np.unique(cluster)])
    ratio = np.square(together).sum() / np.square(left).sum()
    return float(len(left) / max(ratio, 1.0))


def _split(native: Spread, paired: Paired, halves: Halves) -> tuple[list[_Lines], BridgeError]:
    """Lines without any reference rating; one for all numbers of games.

    What one half of the decisions says by one source errs apart from what the other half says by the other.
    So the ratio of covariances between halves is that of the slopes, however reliable either source is.
    """
    x, y, known = _raw(paired, np.eye(len(paired.pool)))
    cluster = paired.cluster[known]
    halved = _halved(halves)
    some = [one[halved] for one in (halves.native[0], halves.native[1], halves.other[0], halves.other[1])]
    whose = paired.cluster[halved]
    apart = np.stack([_ratio(*(part[whose != one] for part in some)) for one in np.unique(whose)])
    apart = np.sqrt((len(apart) - 1) / len(apart)) * (apart - apart.mean(axis=0))
    weight = NEAR_ONE**2 / (NEAR_ONE**2 + np.square(apart).sum(axis=0))
    ratio = np.maximum(1 + weight * (_ratio(*some) - 1), 1e-6)
    shift = y.mean(axis=0) - ratio * x.mean(axis=0)
    # Var(y) less the part of it that is not error: by native lines, Var(x) less the native error.
    own, game = np.diag(native.unit[0]), np.var(x, axis=0)
    square = np.maximum(np.var(y, axis=0) - ratio**2 * (game - own), ratio**2 * own / 2)
    wider = np.sqrt(square / own)
    found = [
        _Lines(shift + ratio * native.offset[rung], ratio * native.slope[rung], wider)
        for rung in range(len(native.games))
    ]
    left = y - shift - ratio * x
    middle = float(np.mean((x.mean(axis=0) - native.offset[0]) / native.slope[0]))
    error = _error(native, found[0], left, cluster.astype(float), middle, 1.0)
    # The posterior of the ratio has the weight's share of the variance that the halves leave it.
    apart *= np.sqrt(weight) * native.slope[0] / (np.sqrt(own) * wider)
    return found, replace(error, slope=apart.T @ apart)


def _halved(halves: Halves) -> Ints:
    """The appearances of which both halves say something by every method and either source.

    A short game may leave a method nothing in one of its halves, though the whole has enough.
    """
    known = np.isfinite(halves.native).all(axis=(0, 2)) & np.isfinite(halves.other).all(axis=(0, 2))
    rows = np.flatnonzero(known)
    if len(rows) < FEWEST_GROUPS:
        raise InputError(
            f"a bridge without ratings compares halves of games, and only {len(rows)} players in games have "
            f"decisions enough for it, where {FEWEST_GROUPS} are needed: give longer or more games"
        )
    return rows


def _ratio(first: Floats, second: Floats, other_first: Floats, other_second: Floats) -> Floats:
    """Slopes of the other source by those of the native one, from the halves of the same decisions."""
    across = _covariance(other_first, second) + _covariance(other_second, first)
    return np.asarray(across / np.maximum(2 * _covariance(first, second), 1e-9))


def _covariance(one: Floats, other: Floats) -> Floats:
    return np.asarray(((one - one.mean(axis=0)) * (other - other.mean(axis=0))).mean(axis=0))


def _raw(paired: Paired, weights: Floats) -> tuple[Floats, Floats, Ints]:
    """Raw ratings by both sources, and which groups have them by every method."""
    x, y = paired.native(weights), paired.other(weights)
    known = np.flatnonzero(np.isfinite(x).all(axis=1) & np.isfinite(y).all(axis=1))
    return x[known], y[known], known
