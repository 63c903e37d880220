"""How far a player departs from what the rating lets expect, by every statistic, in standard deviations.

More is better play than expected. `elo` is the Elo that all methods together read from the moves: their raw
ratings r are normal around a line over Elo with a learned covariance C (assay.rating.posterior), so under the
reference rating R the weighted sum w (r - offset - slope R), w = C^-1 slope, over its deviation is standard.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from assay.answers.screening import ABOVE, BELOW, SHARES
from assay.decisions.arrays import Floats, Ints
from assay.rating.posterior import RawRatings, covariance, heard
from assay.rating.priors import RATING_ERROR
from assay.rating.rater import Rater
from assay.screening.curves import CENTRE, UNIT
from assay.screening.evidence import Evidence
from assay.screening.norms import ALL, ELO, Norms

_AT_ONCE = 256
"""Groups whose evidence is weighed in one matrix product."""


def elo_departures(
    rater: Rater,
    groups: Sequence[Ints],
    reference: Floats,
    *,
    error: float | Sequence[float] = RATING_ERROR,
    players: Sequence[float] | None = None,
    raws: Sequence[RawRatings] | None = None,
) -> Floats:
    """The departure `elo` of groups of appearances, not recalibrated yet; NaN where no method rates.

    `raws` are their raw ratings by all methods, where they are known.
    """
    found = []
    spread = rater.calibration.spread
    known = raws or raw_of(rater, groups, players)
    for elo, own, raw in zip(reference, _each(error, groups), known, strict=True):
        used = heard(raw, spread, rater.places)
        if not used or not math.isfinite(elo):
            found.append(math.nan)
            continue
        _, offset, slope, _ = spread.at(raw.amount(spread))
        # What the calibration knows of form holds for ratings with the usual error.
        more = max(own**2 - RATING_ERROR**2, 0.0) * np.outer(slope[used], slope[used])
        matrix = covariance(raw, spread, float(elo), used) + more
        weights = np.linalg.solve(matrix, slope[used])
        off = raw.values[used] - offset[used] - slope[used] * elo
        found.append(float(weights @ off / np.sqrt(weights @ slope[used])))
    return np.array(found)


def _each(error: float | Sequence[float], groups: Sequence[Ints]) -> Sequence[float]:
    return [error] * len(groups) if isinstance(error, int | float) else error


def raw_of(rater: Rater, groups: Sequence[Ints], players: Sequence[float] | None = None) -> list[RawRatings]:
    """Raw ratings, how games vary taken from honest players and not from whoever is tested."""
    found = []
    for start in range(0, len(groups), _AT_ONCE):
        some = groups[start : start + _AT_ONCE]
        # Of many thousand appearances only those at hand are weighed.
        rows = np.unique(np.concatenate(some))
        stacks = {name: stack.only(rows.tolist()) for name, stack in rater.stacks.items()}
        weights = np.zeros((len(some), len(rows)))
        for place, one in enumerate(some):
            weights[place, np.searchsorted(rows, one)] = 1.0
        values = rater.calibration.raw(stacks, weights)
        for place, one in enumerate(some):
            size = rater.appearances.size[one]
            squares = float(np.square(size).sum())
            own = 1.0 if players is None else players[start + place]
            found.append(RawRatings(values[place], float(size.sum()), None, len(one), own, squares))
    return found


def departures(
    evidence: Evidence,
    groups: Sequence[Ints],
    norms: Norms,
    by_elo: Floats,
    reference: Floats,
    *,
    error: float | Sequence[float] = RATING_ERROR,
    alone: bool = True,
) -> Floats:
    """Departures of groups by ALL statistics: shape (groups, ALL). `by_elo` are those of `elo_departures`."""
    found = np.full((len(groups), len(ALL)), np.nan)
    for place, (rows, own) in enumerate(zip(groups, _each(error, groups), strict=True)):
        some = evidence.only(rows)
        if some.turns.sum():
            deviation = np.sqrt(norms.variance(some, error=own, alone=alone))
            skewness = some.third.sum(axis=0) / deviation**3
            found[place, :-1] = normalised(some.apart.sum(axis=0) / deviation, skewness)
    middle = norms.elo_mean[0] + norms.elo_mean[1] * (reference - CENTRE) / UNIT
    found[:, -1] = (by_elo - middle) / norms.elo_deviation
    games = np.array([len(rows) for rows in groups], np.float64)
    return with_light_tails(found / norms.scales(reference), norms.excess / games[:, None])


def with_light_tails(z: Floats, excess: Floats) -> Floats:
    """Standard departures with an excess of kurtosis, those of Student's t, as normal ones."""
    degrees = 4 + 6 / np.maximum(excess, 1e-4)
    t = z * np.sqrt(degrees / (degrees - 2))
    # From the side of the smaller probability, so that nothing is lost far out.
    bent = ndtri(stdtr(degrees, -np.abs(t)))
    return np.asarray(np.copysign(bent, z))


def normalised(z: Floats, skewness: Floats) -> Floats:
    """Standard departures with a skewness, as normal ones: Wilson and Hilferty's cube root (1931).

    Sums over the turns of one game are not symmetric yet. One of skewness g is taken as a gamma variable of
    shape k = 4 / g^2, whose cube root is very nearly normal; with g near zero nothing changes.
    """
    size = np.abs(skewness)
    side = np.where(skewness < 0, -1.0, 1.0)
    shape = 4 / np.square(np.maximum(size, 1e-3))
    gamma = np.maximum(1 + side * z / np.sqrt(shape), 0.0)
    bent = 3 * np.sqrt(shape) * (np.cbrt(gamma) - 1 + 1 / (9 * shape))
    return np.asarray(np.where(size < 1e-3, z, side * bent))


def together(z: Floats) -> Floats:
    """The departure that decides, from those by ALL statistics: shape (groups,).

    On each side some of them ask different questions: `hard`, whether first moves are found that such players
    miss; `critical`, whether they are found where much is at stake; below the rating `error` as well, what
    the moves cost. Each is given a share of the error of its side (SHARES): the p of a side is the smallest
    of p / share, which holds whatever their correlation, and p is twice that of the likelier side, at most 1.
    It is given as the standard departure that has this p, on that side. Where these statistics are missing,
    as of games with one value per position, `elo` decides alone.
    """
    above, below = _smallest(z, SHARES[ABOVE]), _smallest(-z, SHARES[BELOW])
    p = np.clip(np.minimum(above, below), 1e-300, 0.5)
    found = np.copysign(-ndtri(p), below - above)
    return np.asarray(np.where(np.isfinite(above), found, z[:, ALL.index(ELO)]))


def _smallest(z: Floats, shares: Mapping[str, float]) -> Floats:
    """The smallest one-sided p of some statistics, each over its share of the error."""
    some = z[:, [ALL.index(name) for name in shares]]
    return np.asarray((ndtr(-some) / np.array(list(shares.values()))).min(axis=1))
