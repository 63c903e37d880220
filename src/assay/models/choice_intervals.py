"""How far (ln s, ln c) may be off: with independent turns, and from resampled games."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from assay.errors import FitError
from assay.models.choice_grid import GridFits
from assay.models.percentile import Pull

Floats = npt.NDArray[np.float64]

_SETTLED = 0.9


def sandwich(rows: Floats, covariance: Floats, decisions: float, pull: Pull) -> Floats:
    """Covariance of (ln s, ln c) of a percentile fit, turns independent.

    `rows` are the residuals with derivatives, the pull's last; `covariance` is that of the up-shares of one
    turn. With H the normal matrix and V that covariance: H^-1 J' V J H^-1 / decisions; and what the pull
    may hide, for an agent that is off the line by its scatter.
    """
    jacobian, pulled = rows[:-1, 1:], rows[-1, 1:]
    inverse = np.linalg.inv(jacobian.T @ jacobian + np.outer(pulled, pulled))
    across = inverse @ jacobian.T
    return across @ covariance @ across.T / decisions + hidden(rows, decisions, pull)


def hidden(rows: Floats, decisions: float, pull: Pull) -> Floats:
    """Covariance from not knowing how far the agent is off the line that the pull draws it to."""
    jacobian, pulled = rows[:-1, 1:], rows[-1, 1:]
    inverse = np.linalg.inv(jacobian.T @ jacobian + np.outer(pulled, pulled))
    shift = inverse @ pulled * math.sqrt(pull.weight / decisions) * pull.scatter
    return np.outer(shift, shift)


def by_games(fits: GridFits, games: int) -> tuple[Floats, float]:
    """Covariance of (ln s, ln c) over resampled games, and the quantile of Student's t that goes with it.

    The first fit of the batch is that of all games. A resample of n games varies less than n new games
    would, by (n - 1) / n, and its spread is itself known to n - 1 degrees of freedom only.
    """
    settled = fits.converged[1:]
    if settled.mean() < _SETTLED:
        raise FitError("too many resamples did not converge: give more games")
    points = fits.points[1:][settled]
    off = points - points.mean(axis=0)
    spread = off.T @ off / len(points) * games / (games - 1)
    return spread, float(stdtrit(games - 1, 0.975))
