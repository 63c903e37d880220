"""How far (ln s, ln c) may be off: with independent turns, and from resampled games."""

from __future__ import annotations

import math

import numpy as np

from assay.decisions.arrays import Floats
from assay.errors import FitError
from assay.models.choice.grid import GridFits
from assay.models.choice.percentile import Pull
from assay.models.intervals import student, variance_correction

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

    The first fit of the batch is that of all games.
    """
    settled = fits.converged[1:]
    if settled.mean() < _SETTLED:
        raise FitError("too many resamples did not converge: give more games")
    points = fits.points[1:][settled]
    off = points - points.mean(axis=0)
    return off.T @ off / len(points) * variance_correction(games), student(games)
