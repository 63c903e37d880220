"""How far players are from what their rating lets expect, by every statistic, in standard deviations.

More is better play than expected. `elo` is the rating by moves without a prior: it is normal around the
published
rating with a learned standard deviation (assay.rating.spread), so their difference over it is standard.
Games with one value per position have `elo`, and `error` from the method of losses alone in the same way.

Many players are tested at once. `field` is how many were tested in all, where only some of the tests are
given: those whom a first look named, and who are tested again, were still picked out of everyone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from assay.answers.screening import ABOVE, BELOW, SHARES
from assay.decisions.arrays import Floats, Ints, Mask
from assay.rating.group_ratings import Rater, channels_by_moves, reading
from assay.rating.priors import RATING_ERROR
from assay.rating.spread import RawRatings
from assay.screening.norms import Norms
from assay.screening.statistics import ALL_METHODS, BY_METHOD, CENTRE, NAMES, UNIT, Evidence

ELO = NAMES.index("elo")


def elo_z(
    rater: Rater,
    groups: Sequence[Ints],
    reference: Floats,
    *,
    error: float | Sequence[float] = RATING_ERROR,
    players: Sequence[float] | None = None,
    raw: RawRatings | None = None,
) -> Floats:
    """Return z by the rating by moves, before norms; NaN where there is none.

    `raw` are the raw ratings of the groups, where they were computed before.
    """
    raw = rater.raw(groups, players) if raw is None else raw
    centre = rater.calibration.spread.centre
    channels = channels_by_moves(rater.calibration, rater.methods)
    peak, deviation = reading(
        rater.calibration, raw, channels, np.where(np.isfinite(reference), reference, centre)
    )
    # What the calibration has learned of form is for ratings with the usual error.
    more = np.maximum(np.square(np.asarray(error, np.float64)) - RATING_ERROR**2, 0.0)
    return np.asarray((peak - reference) / np.sqrt(np.square(deviation) + more))


def _each(error: float | Sequence[float], groups: Sequence[Ints]) -> Sequence[float]:
    return [error] * len(groups) if isinstance(error, int | float) else error


def z_by_methods(
    rater: Rater, groups: Sequence[Ints], reference: Floats, *, error: float | Sequence[float] = RATING_ERROR
) -> Floats:
    """Return z of games with one value per position, before norms: shape (groups, BY_METHOD)."""
    raw = rater.raw(groups)
    columns = []
    for statistic in BY_METHOD:
        chosen = rater
        if statistic.method is not None and statistic.method != ALL_METHODS:
            if statistic.method not in rater.calibration.mappings:
                columns.append(np.full(len(groups), np.nan))
                continue
            chosen = Rater(
                rater.appearances, rater.calibration, methods=[statistic.method], stacks=rater.stacks
            )
        columns.append(elo_z(chosen, groups, reference, error=error, raw=raw))
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
