"""Rows of transition counts with a prior towards the pooled rows at the player's own level.

A player who errs more errs more in every class: rows of one player are not independent, as a Dirichlet prior
towards the pooled rows takes them to be (models.dirichlet). Here the pooled rows are tilted first: all steps
down are e^theta times as likely against staying. theta, one number a player, is normal about zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from assay.errors import FitError, InputError
from assay.models.dirichlet import STRONGEST, WEAKEST, draw_each, shares

Floats = npt.NDArray[np.float64]

WIDEST = 3.0
"""Bound of theta either way: twenty times as many errors."""

LEAST_SPREAD = 0.01


def tilted(rows: Floats, theta: npt.ArrayLike) -> Floats:
    """Rows with steps down e^theta times as likely against staying; one matrix for each theta."""
    down = np.tril(np.ones(rows.shape[-2:]), -1)
    lead = np.asarray(theta, dtype=np.float64)
    return shares(rows * np.exp(lead.reshape(*lead.shape, *[1] * rows.ndim) * down))


def log_likelihood(theta: float, counts: Floats, rows: Floats, strength: float) -> float:
    """Log Dirichlet-multinomial probability of a player's rows about the tilted ones."""
    possible = rows > 0
    expected, seen = (strength * tilted(rows, theta))[possible], counts[possible]
    within = (gammaln(expected + seen) - gammaln(expected)).sum()
    return float(within + (gammaln(strength) - gammaln(strength + counts.sum(axis=-1))).sum())


@dataclass(frozen=True, eq=False)
class LevelPrior:
    """Pooled rows, the strength in moves with which they hold at a level, and the spread of levels."""

    rows: Floats
    strength: float
    spread: float

    def level(self, counts: Floats) -> tuple[float, float]:
        """Most likely theta of a player, and its standard deviation."""

        def shortfall(theta: float) -> float:
            return theta**2 / (2 * self.spread**2) - log_likelihood(theta, counts, self.rows, self.strength)

        found = minimize_scalar(
            shortfall, bounds=(-WIDEST, WIDEST), method="bounded", options={"xatol": 1e-4}
        )
        if not found.success:
            raise FitError(f"the level of a player was not found: {found.message}")
        theta, step = float(found.x), 0.05
        bend = (shortfall(theta + step) - 2 * shortfall(theta) + shortfall(theta - step)) / step**2
        return theta, min(float(1 / np.sqrt(bend)), self.spread) if bend > 0 else self.spread

    def posterior(self, counts: Floats) -> Floats:
        """Counts with what the prior adds to them."""
        return counts + self.strength * tilted(self.rows, self.level(counts)[0])

    def draw(self, counts: Floats, draws: int, generator: np.random.Generator) -> Floats:
        """Matrices of a player from the posterior, of the level too: shape (draws, ..., n, n)."""
        thetas = generator.normal(*self.level(counts), size=draws)
        return draw_each(counts + self.strength * tilted(self.rows, thetas), generator)


def fit_levels(counts: npt.ArrayLike, floor: Floats, rounds: int = 50) -> LevelPrior:
    """Prior from the counts of several players, shape (players, ..., n, n).

    Levels, their spread and the strength in turn, each by what is most likely given the others (the spread
    with the levels' own uncertainty), until none moves.
    """
    many = np.asarray(counts, dtype=np.float64)
    if many.ndim < 3 or not len(many):
        raise InputError("a prior needs the counts of at least one player")
    prior = LevelPrior(shares(many.sum(axis=0) + floor), 500.0, 0.3)
    for _ in range(rounds):
        levels = np.array([prior.level(player) for player in many])
        spread = max(float(np.sqrt(np.mean(levels[:, 0] ** 2 + levels[:, 1] ** 2))), LEAST_SPREAD)
        strength = _strength(many, levels[:, 0], prior.rows)
        settled = abs(spread / prior.spread - 1) < 0.01 and abs(np.log(strength / prior.strength)) < 0.01
        prior = LevelPrior(prior.rows, strength, spread)
        if settled or spread == LEAST_SPREAD:
            return prior
    raise FitError("the levels of the players did not settle: use more games")


def _strength(counts: Floats, thetas: Floats, rows: Floats) -> float:
    found = minimize_scalar(
        lambda log: (
            -sum(
                log_likelihood(theta, player, rows, float(np.exp(log)))
                for theta, player in zip(thetas, counts, strict=True)
            )
        ),
        bounds=(np.log(WEAKEST), np.log(STRONGEST)),
        method="bounded",
        options={"xatol": 1e-3},
    )
    if not found.success:
        raise FitError(f"the strength of the prior was not found: {found.message}")
    return float(np.exp(found.x))
