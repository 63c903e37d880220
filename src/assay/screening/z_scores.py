"""How far players are from what their rating lets expect, by every statistic, in standard deviations.

More is better play than expected. Games with one value per position have one statistic, `elo`: the rating by
moves without a prior is normal around the published rating with a learned standard deviation
(assay.rating.spread), so their difference over it is standard, after norms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from assay.answers.screening import DECIDING, LEVEL
from assay.decisions.arrays import Floats, Ints, Mask
from assay.rating.group_ratings import Rater, channels_by_moves, reading
from assay.screening.norms import Groups, Norms
from assay.screening.statistics import NAMES, Evidence


def z_by_elo(
    rater: Rater,
    groups: Sequence[Ints],
    reference: Floats,
    norms: Norms | None = None,
    *,
    more: float | Sequence[float] = 0.0,
) -> Floats:
    """Return z of groups by their rating by moves: standard ones with norms; NaN where there is none.

    What the calibration has learned of form contains the error of ratings; `more` is added to it.
    """
    centre = rater.calibration.spread.centre
    channels = channels_by_moves(rater.calibration, rater.methods)
    rated = np.where(np.isfinite(reference), reference, centre)
    peak, deviation = reading(rater.calibration, rater.raw(groups), channels, rated)
    z = (peak - reference) / np.hypot(deviation, more)
    if norms is None or norms.shape is None:
        return np.asarray(z)
    known = Groups.of(rater.appearances.size, groups, reference)
    return norms.shape.standard(z, known.wide, known.narrow)


def z_by_turns(
    evidence: Evidence,
    groups: Sequence[Ints],
    norms: Norms,
    reference: Floats,
    error: Floats,
    *,
    alone: bool = True,
) -> Floats:
    """Return z of groups with turns, of one player each, or of many: shape (groups, STATISTICS)."""
    assert norms.turns is not None
    spread, games = norms.turns, np.array([len(rows) for rows in groups])
    rows, starts = np.concatenate(groups), np.cumsum(games) - games

    def summed(part: Floats) -> Floats:
        return np.asarray(np.add.reduceat(part[rows], starts, axis=0))

    squares = summed(np.square(evidence.slope))
    common = np.square(summed(evidence.slope)) if alone else squares
    deviation = np.sqrt(
        spread.dispersion * summed(evidence.variance)
        + np.square(spread.form) * squares
        + np.square(error)[:, None] * common
    )
    return np.asarray(summed(evidence.apart) / deviation / spread.scales(reference))


def combined_z(z: Floats) -> Floats:
    """Return the z that decides, from those by STATISTICS: shape (groups,).

    Some of them ask different questions: `hard`, whether moves that lose nothing are found where such players
    lose; `error`, what all moves lose; `critical`, whether the first move is found where much is at stake.
    The first two do not ask which engine a move is from. Each is given a share of the error (DECIDING): the p
    of a side is the smallest of p / share, which holds whatever their correlation, and p is twice that of the
    likelier side, at most 1. It is given as the z that has this p, on that side.
    """
    deciding = z[:, [NAMES.index(name) for name in DECIDING]]
    above, below = ((ndtr(-side) / list(DECIDING.values())).min(axis=1) for side in (deciding, -deciding))
    p = np.clip(np.minimum(above, below), 1e-300, 0.5)
    return np.asarray(np.copysign(-ndtri(p), below - above))


@dataclass(frozen=True, eq=False)
class Judged:
    """A field: how often honest players are as far from their rating, and who is unusual."""

    p: Floats
    q: Floats
    """Adjusted for everyone who was tested."""
    unusual: Mask
    shifted: bool
    """Whether the middle of the field is too far from its ratings: then nobody is unusual."""


def judge(z: Floats, games: Floats, norms: Norms, tested: int | None = None) -> Judged:
    """Judge the z of everyone in a field, NaN where there is none; `tested` if these were picked out of more.

    p is conformal, by honest groups of as many games. Holm (1979) makes q of it, whatever the dependence:
    players of one event deviate together, and two of them play each game. So in at most LEVEL of all events
    anybody who is honest is named.
    """
    readable = np.isfinite(z)
    p = np.where(readable, norms.p(z, games), np.nan)
    q = holm(p, max(tested or 0, int(readable.sum())))
    # Those who were picked are all to one side.
    shifted = tested is None and norms.shifted(z[readable], float(np.median(games)) if len(games) else 1)
    return Judged(p, q, (q <= LEVEL) & (games >= norms.naming) & (not shifted), shifted)


def holm(p: Floats, tests: int) -> Floats:
    """Return p adjusted for so many tests, of which those given may be some; NaN stays."""
    order = np.argsort(p)
    q = np.full(len(p), np.nan)
    q[order] = np.minimum(np.maximum.accumulate(p[order] * (tests - np.arange(len(p)))), 1.0)
    return q
