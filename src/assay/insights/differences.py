"""A slice of a player's decisions against the rest of them, in points of Elo, and against the whole.

Slice and whole share decisions, so their difference is not taken between two ratings: the slice is compared
with the rest, which is the same question, and shrunk by the rest's share of the information, for

    whole = w slice + (1 - w) rest,      slice - whole = (1 - w) (slice - rest).

Of two parts of one player's decisions the slopes (assay.models.depth.scores) say by how many points each was
played above the player's rating; from both is taken what players of that rating show there.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from assay.answers.insights import Difference
from assay.decisions.arrays import Floats, Mask
from assay.rating.posterior import OWN_GAMES
from assay.rating.references import SliceReference, SliceSums, against_rest, independent

GROWTH = 0.001
"""How the variance of a slice's slopes grows for each point that it is weaker: who plays worse plays less
evenly. In endgames of milepost games it is 1.19 and 1.45 times that of players 200 and 400 points above."""

_WEAKEST = 800.0
_ROUNDS = 30


def differences(
    sums: SliceSums,
    elo: float,
    reference: SliceReference | None,
    dispersion: float,
    level: float = 0.95,
) -> list[Difference | None]:
    """Each slice of one player's appearances against the rest; None where there is no rest, or no slice.

    Without a `reference` slices are taken to be alike for everyone, and `dispersion` stands for that of the
    mileposts.
    """
    n_slices = sums.slope.shape[1]
    own = sums.information.sum(axis=0)
    bias, stretch = np.zeros(n_slices), np.ones(n_slices)
    learned = np.full(n_slices, dispersion)
    if reference is not None:
        bias, stretch, learned = reference.bias(elo), reference.stretch, reference.dispersion
    left = sums.slope - sums.information * bias
    total = left.sum(axis=0) * stretch
    variance = independent(sums.information, stretch) * _dispersion(sums, left, stretch, learned)
    found: list[Difference | None] = []
    for k in range(n_slices):
        rest = own.sum() - own[k]
        if own[k] <= 0 or rest <= 0:
            found.append(None)
            continue
        apart = total[k] / own[k] - (total.sum() - total[k]) / rest
        whole = variance[k] + (0.0 if reference is None else _of_reference(reference, elo, own, stretch, k))
        weighed = np.square(stretch) * own
        slice_part = weighed[k] / own[k] ** 2
        rest_part = (weighed.sum() - weighed[k]) / rest**2
        found.append(
            _difference(
                float(apart),
                float(np.sqrt(whole)),
                float(rest / own.sum()),
                float(slice_part / (slice_part + rest_part)),
                level,
            )
        )
    return found


def _difference(apart: float, deviation: float, share: float, of_slice: float, level: float) -> Difference:
    """From the slice less the rest and its deviation, of whose variance a share is the slice's own."""
    reach = float(ndtri((1 + level) / 2)) * deviation
    return Difference(
        elo=apart * share,
        low=_end(apart, -reach, of_slice) * share,
        high=_end(apart, reach, of_slice) * share,
        against_rest=apart,
        p=float(2 * ndtr(-abs(apart) / deviation)),
        deviation=deviation * share,
    )


def _end(apart: float, reach: float, of_slice: float) -> float:
    """An end of the interval: the difference that lies just so many of its own deviations from `apart`."""
    end = apart + reach
    for _ in range(_ROUNDS):
        weaker = min(max(-end, 0.0), _WEAKEST)
        end = apart + reach * float(np.sqrt(1 + of_slice * np.expm1(GROWTH * weaker)))
    return end


def _dispersion(sums: SliceSums, left: Floats, stretch: Floats, learned: Floats) -> Floats:
    """The mileposts' dispersion; the more games there are of the player, the more counts their own."""
    apart = left - sums.information * _means(left, sums.information)
    in_slice: Mask = sums.decisions > 0
    outside: Mask = sums.decisions.sum(axis=1, keepdims=True) > sums.decisions
    games = np.minimum(in_slice.sum(axis=0), outside.sum(axis=0))
    # The means were taken from the player's own games.
    own = against_rest(apart, sums.information, stretch) * games / np.maximum(games - 1, 1)
    more = np.maximum(games - 1, 0)
    share = np.where(np.isnan(own), 0.0, more / (more + OWN_GAMES))
    return np.asarray((1 - share) * learned + share * np.nan_to_num(own))


def _means(left: Floats, information: Floats) -> Floats:
    own = information.sum(axis=0)
    return np.asarray(left.sum(axis=0) / np.where(own > 0, own, 1.0))


def _of_reference(reference: SliceReference, elo: float, own: Floats, stretch: Floats, k: int) -> float:
    """Variance of the difference for want of milepost games."""
    weights = -own / (own.sum() - own[k])
    weights[k] = 1.0
    weights = weights * stretch
    return float(weights @ reference.bias_covariance(elo) @ weights)
