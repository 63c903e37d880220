"""How far players are from what their rating lets expect, by every statistic, in standard deviations.

More is better play than expected. `elo` is the Elo that all methods together read from the moves: their raw
ratings r are normal around a line over Elo with a learned covariance C (assay.rating.posterior), so under the
reference rating R the weighted sum w (r - offset - slope R), w = C^-1 slope, over its deviation is standard.
Games with one value per position have `elo`, and `error` from the method of losses alone in the same way.

Many players are tested at once. `field` is how many were tested in all, where only some of the tests are
given: those whom a first look named, and who are tested again, were still picked out of everyone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from assay.answers.screening import ABOVE, BELOW, SHARES
from assay.decisions.arrays import Floats, Ints, Mask
from assay.rating.group_ratings import Rater
from assay.rating.posterior import RawRatings, covariance, heard
from assay.rating.priors import RATING_ERROR
from assay.screening.norms import Norms
from assay.screening.statistics import ALL_METHODS, BY_METHOD, CENTRE, NAMES, UNIT, Evidence

ELO = NAMES.index("elo")

_AT_ONCE = 256
"""Groups whose evidence is weighed in one matrix product."""


def raw_of(rater: Rater, groups: Sequence[Ints], players: Sequence[float] | None = None) -> list[RawRatings]:
    """Compute raw ratings; how games vary is taken from honest players and not from whoever is tested."""
    raws = []
    for start in range(0, len(groups), _AT_ONCE):
        batch = groups[start : start + _AT_ONCE]
        # Of many thousand appearances only those at hand are weighed.
        rows = np.unique(np.concatenate(batch))
        stacks = {name: stack.only(rows.tolist()) for name, stack in rater.stacks.items()}
        weights = np.zeros((len(batch), len(rows)))
        for place, group in enumerate(batch):
            weights[place, np.searchsorted(rows, group)] = 1.0
        values = rater.calibration.raw(stacks, weights)
        for place, group in enumerate(batch):
            size = rater.appearances.size[group]
            squares = float(np.square(size).sum())
            many = 1.0 if players is None else players[start + place]
            raws.append(RawRatings(values[place], float(size.sum()), None, len(group), many, squares))
    return raws


def elo_z(
    rater: Rater,
    groups: Sequence[Ints],
    reference: Floats,
    *,
    error: float | Sequence[float] = RATING_ERROR,
    players: Sequence[float] | None = None,
    raws: Sequence[RawRatings] | None = None,
) -> Floats:
    """Return z by the rating of all methods, before norms; NaN where no method rates.

    `raws` are the raw ratings of the groups by all methods, where they were computed before.
    """
    spread = rater.calibration.spread
    z = []
    for elo, rating_error, raw in zip(
        reference, _each(error, groups), raws or raw_of(rater, groups, players), strict=True
    ):
        used = heard(raw, spread, rater.places)
        if not used or not math.isfinite(elo):
            z.append(math.nan)
            continue
        _, offset, slope, _ = spread.at(raw.amount(spread))
        # What the calibration knows of form holds for ratings with the usual error.
        more = max(rating_error**2 - RATING_ERROR**2, 0.0) * np.outer(slope[used], slope[used])
        matrix = covariance(raw, spread, float(elo), used) + more
        weights = np.linalg.solve(matrix, slope[used])
        off = raw.values[used] - offset[used] - slope[used] * elo
        z.append(float(weights @ off / np.sqrt(weights @ slope[used])))
    return np.array(z)


def _each(error: float | Sequence[float], groups: Sequence[Ints]) -> Sequence[float]:
    return [error] * len(groups) if isinstance(error, int | float) else error


def z_by_methods(
    rater: Rater, groups: Sequence[Ints], reference: Floats, *, error: float | Sequence[float] = RATING_ERROR
) -> Floats:
    """Return z of games with one value per position, before norms: shape (groups, BY_METHOD)."""
    raws = raw_of(rater, groups)
    columns = []
    for statistic in BY_METHOD:
        chosen = rater
        if statistic.method != ALL_METHODS:
            methods = [name for name in rater.calibration.spread.methods if name == statistic.method]
            if not methods:
                columns.append(np.full(len(groups), np.nan))
                continue
            chosen = Rater(rater.appearances, rater.calibration, methods=methods, stacks=rater.stacks)
        columns.append(elo_z(chosen, groups, reference, error=error, raws=raws))
    return np.stack(columns, axis=1)


def z_by_turns(
    evidence: Evidence,
    groups: Sequence[Ints],
    norms: Norms,
    by_elo: Floats,
    reference: Floats,
    *,
    error: float | Sequence[float] = RATING_ERROR,
    alone: bool = True,
) -> Floats:
    """Return standard z of groups: shape (groups, STATISTICS). `by_elo` are those of `elo_z`."""
    assert norms.turns is not None
    spread = norms.turns
    z = np.full((len(groups), len(NAMES)), np.nan)
    for place, (rows, rating_error) in enumerate(zip(groups, _each(error, groups), strict=True)):
        sums = evidence.only(rows)
        if sums.turns.sum():
            deviation = np.sqrt(spread.variance(sums, error=rating_error, alone=alone))
            skewness = sums.third.sum(axis=0) / deviation**3
            z[place, :-1] = normalised(sums.apart.sum(axis=0) / deviation, skewness)
    middle = spread.elo_mean[0] + spread.elo_mean[1] * (reference - CENTRE) / UNIT
    z[:, ELO] = (by_elo - middle) / spread.elo_deviation
    games = np.array([len(rows) for rows in groups], np.float64)
    return with_light_tails(z / spread.scales(reference), spread.excess / games[:, None])


def with_light_tails(z: Floats, excess: Floats) -> Floats:
    """Return z with an excess of kurtosis, those of Student's t, as normal ones."""
    degrees = 4 + 6 / np.maximum(excess, 1e-4)
    t = z * np.sqrt(degrees / (degrees - 2))
    # From the side of the smaller probability, so that nothing is lost far out.
    bent = ndtri(stdtr(degrees, -np.abs(t)))
    return np.asarray(np.copysign(bent, z))


def normalised(z: Floats, skewness: Floats) -> Floats:
    """Return z with a skewness as normal ones: Wilson and Hilferty's cube root (1931).

    Sums over the turns of one game are not symmetric yet. One of skewness g is taken as a gamma variable of
    shape k = 4 / g^2, whose cube root is very nearly normal; with g near zero nothing changes.
    """
    size = np.abs(skewness)
    side = np.where(skewness < 0, -1.0, 1.0)
    shape = 4 / np.square(np.maximum(size, 1e-3))
    gamma = np.maximum(1 + side * z / np.sqrt(shape), 0.0)
    bent = 3 * np.sqrt(shape) * (np.cbrt(gamma) - 1 + 1 / (9 * shape))
    return np.asarray(np.where(size < 1e-3, z, side * bent))


def combined_z(z: Floats) -> Floats:
    """Return the z that decides, from those by STATISTICS: shape (groups,).

    On each side some of them ask different questions: `hard`, whether first moves are found that such players
    miss; `critical`, whether they are found where much is at stake; below the rating `error` as well, what
    the moves cost. Each is given a share of the error of its side (SHARES): the p of a side is the smallest
    of p / share, which holds whatever their correlation, and p is twice that of the likelier side, at most 1.
    It is given as the z that has this p, on that side. Where these statistics are missing, as of games with
    one value per position, `elo` decides alone.
    """
    above, below = _smallest(z, SHARES[ABOVE]), _smallest(-z, SHARES[BELOW])
    p = np.clip(np.minimum(above, below), 1e-300, 0.5)
    return np.asarray(np.where(np.isfinite(above), np.copysign(-ndtri(p), below - above), z[:, ELO]))


def _smallest(z: Floats, shares: Mapping[str, float]) -> Floats:
    """Return the smallest one-sided p of these statistics, each over its share of the error."""
    deciding = z[:, [NAMES.index(name) for name in shares]]
    return np.asarray((ndtr(-deciding) / np.array(list(shares.values()))).min(axis=1))


# Many tests at once ------------------------------------------------------------------------------------


def two_sided(z: Floats) -> Floats:
    """Return the probability that an honest player has a z so far from zero."""
    return np.asarray(2 * ndtr(-np.abs(z)))


def bounds(share: float) -> float:
    """Return how far from zero a z is that a share of honest players exceeds, either way."""
    return float(-ndtri(share / 2))


def named_by_evidence(evidence: Floats, level: float, field: int | None = None) -> Mask:
    """Tell which tests are named by their e-values (Wang and Ramdas 2022): any dependence is allowed.

    The k largest are named where the k-th is at least n / (k level), for the largest such k.
    """
    n = len(evidence)
    order = np.argsort(-evidence)
    enough = evidence[order] >= (field or n) / (np.arange(1, n + 1) * level)
    named = np.zeros(n, dtype=bool)
    if enough.any():
        named[order[: np.flatnonzero(enough)[-1] + 1]] = True
    return named
