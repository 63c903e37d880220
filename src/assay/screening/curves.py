"""Recalibration: from what the agent of a rating projects to what players of that rating show.

The agent has three parameters and does not play quite as people do: it finds one of the first three moves
four times in a hundred less than they. So shares are bent on the scale of the logit, and errors on that of
the logarithm, by five numbers each, learned on games of players with known ratings:

    logit p' = a + b logit p + c (Elo - 2100) / 400 + d [endgame] + g [turns 9 to 14], and likewise ln e'

In endgames people find the best move far more often than the agent does (the tree is thin, and technique is
known), and so they do in the first turns after the opening, which many have seen before: without d and g,
who plays many endgames would look like an engine.

The variance of a turn follows: p' (1 - p'), and for errors that of the agent times (e' / e)^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from assay.decisions.arrays import Floats
from assay.errors import FitError
from assay.screening.turns import PROJECTED, TAKEN, Projected

CENTRE, UNIT = 2100.0, 400.0
_LEAST = 1e-4
"""Shares and errors are held off zero by so much."""

_STEPS = 60


@dataclass(frozen=True, eq=False)
class Expected:
    """What players of a rating show, turn by turn and statistic by statistic: shape (turns, STATISTICS)."""

    expected: Floats
    variance: Floats
    third: Floats
    """Third central moment."""
    weight: Floats
    """Of each turn in `hard`."""
    stake: Floats
    """Of each turn in `critical`."""

    def apart(self, observed: Floats) -> Floats:
        """Observed less expected; `observed` has the columns PROJECTED."""
        first, equal, three, lost = observed.T
        weighed = self.weight * first, self.stake * first
        return np.column_stack((first, equal, three, *weighed, lost)) - self.expected


@dataclass(frozen=True, eq=False)
class Curves:
    """a, b, c, d, g of every projected quantity: shape (PROJECTED, 5)."""

    numbers: Floats

    def bend(self, projected: Projected, elo: Floats, weight: Floats | None = None) -> Expected:
        """What players show where the agents of their Elos project this.

        `weight` is that of `hard`, where another agent than the one projected decides it.
        """
        first, equal, three = (
            expit(
                _features(logit(_bounded(projected.expected[:, k])), elo, projected.phase) @ self.numbers[k]
            )
            for k in range(3)
        )
        plain = np.maximum(-projected.expected[:, 3], _LEAST)
        error = np.exp(_features(np.log(plain), elo, projected.phase) @ self.numbers[3])
        own = np.log1p(TAKEN / (1 - TAKEN) / first) if weight is None else weight
        stake = projected.stake
        shares = [one * (1 - one) for one in (first, equal, three)]
        thirds = [share * (1 - 2 * one) for share, one in zip(shares, (first, equal, three), strict=True)]
        bent = error / plain
        variance = (*shares, own**2 * shares[0], stake**2 * shares[0], projected.error_variance * bent**2)
        third = (*thirds, own**3 * thirds[0], stake**3 * thirds[0], projected.error_third * bent**3)
        return Expected(
            np.column_stack((first, equal, three, own * first, stake * first, -error)),
            np.column_stack(variance),
            np.column_stack(third),
            own,
            stake,
        )

    def without_phases(self) -> Curves:
        """The same with nothing more expected in endgames, and in the first turns after the opening."""
        numbers = self.numbers.copy()
        numbers[:, 3:] = 0.0
        return Curves(numbers)


def fit_curves(projected: Projected, observed: Floats, elo: Floats) -> Curves:
    """The curves under which what was observed is most likely; of errors, by quasi-likelihood."""
    rows = []
    for k, name in enumerate(PROJECTED):
        if name == "error":
            plain = np.maximum(-projected.expected[:, k], _LEAST)
            features = _features(np.log(plain), elo, projected.phase)
            rows.append(_fitted(features, -observed[:, k], np.exp, lambda mean: mean))
        else:
            features = _features(logit(_bounded(projected.expected[:, k])), elo, projected.phase)
            rows.append(_fitted(features, observed[:, k], expit, lambda mean: mean * (1 - mean)))
    return Curves(np.stack(rows))


def _fitted(features: Floats, observed: Floats, mean_of, slope_of) -> Floats:  # type: ignore[no-untyped-def]
    """Fisher scoring of a generalised linear model with its natural link."""
    numbers = np.zeros(features.shape[1])
    if features.shape[1] > 2:
        numbers[1] = 1.0
    for _ in range(_STEPS):
        mean = mean_of(features @ numbers)
        # Where no turn is of a phase, nothing is learned of it: the ridge keeps its number at zero.
        matrix = features.T @ (features * slope_of(mean)[:, None]) + 1e-9 * np.eye(features.shape[1])
        step = np.linalg.solve(matrix, features.T @ (observed - mean))
        numbers = numbers + step
        if np.abs(step).max() < 1e-10:
            return numbers
    raise FitError("the curves of a screening could not be fitted: give more games")


def _features(x: Floats, elo: Floats, phase: Floats) -> Floats:
    return np.column_stack((np.ones(len(x)), x, (elo - CENTRE) / UNIT, phase))


def _bounded(share: Floats) -> Floats:
    return np.clip(share, _LEAST, 1 - _LEAST)


def fit_scale(departure: Floats, elo: Floats) -> Floats:
    """Half the logarithm of the mean square of departures as a line over Elo: at 2100, and for 400 points."""
    x = (elo - CENTRE) / UNIT
    features = np.column_stack((np.ones(len(x)), x))
    return _fitted(features, np.square(departure), np.exp, lambda mean: mean) / 2
