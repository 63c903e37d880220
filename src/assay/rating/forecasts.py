"""A match between two ratings: the expectation that their posteriors let expect, with its interval."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from assay.answers.ratings import Forecast, Rating, with_combined
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.names import Who
from assay.rating.calibration import Calibration
from assay.rating.rate import rate_decisions
from assay.rating.trust import caveats_of

BY_RATING = ("bayes", "choice", "depth", "traits", "combined")
"""Methods that forecast by the difference of ratings, and by no comparison of their own."""

_POINTS = 401
"""Points at which the distribution of the difference is held."""


def forecast_between(first: Rating, second: Rating) -> Forecast:
    """Expectation of the first, averaged over what both ratings may be, at the level of their intervals.

    Posteriors over Elo are near normal, and those of two players are taken as independent: the error of the
    mapping, which both share, would cancel in part, so the interval is rather too wide than too narrow.
    """
    difference = first.elo - second.elo
    deviation = math.hypot(_deviation(first), _deviation(second))
    quantiles = (np.arange(_POINTS) + 0.5) / _POINTS
    value = float(expectation(difference + deviation * ndtri(quantiles)).mean())
    reach = float(ndtri((1 + first.level) / 2)) * deviation
    low, high = expectation(np.array([difference - reach, difference + reach])).tolist()
    return Forecast(first.method, value, low=low, high=high)


def rated_forecasts(
    decisions: Decisions, first: Who, second: Who, calibration: Calibration | None
) -> dict[str, Forecast]:
    """Forecasts from the ratings of two by each method and by all together; none without a calibration.

    Each is rated by just the games that are meant: nothing of earlier years counts in it.
    """
    if calibration is None:
        return {}
    found = []
    for who in (first, second):
        players, _ = rate_decisions(who.choose(decisions)[1], calibration, least=1)
        found.append(with_combined(players[0]) if players else {})
    said = tuple(caveats_of(calibration))
    return {
        name: replace(forecast_between(found[0][name], found[1][name]), notes=said)
        for name in found[0]
        if name in found[1]
    }


def _deviation(rating: Rating) -> float:
    """Deviation of a rating, from its interval."""
    return (rating.high - rating.low) / (2 * float(ndtri((1 + rating.level) / 2)))
