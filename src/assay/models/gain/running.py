"""Strength of a player after every move of a game (Ferreira 2012, section 7 and Figure 6)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats
from assay.models.gain import distribution
from assay.models.gain.model import CORRELATION, GainModel


@dataclass(frozen=True, eq=False)
class RunningStrength:
    """What is known of one player after each of their moves."""

    gains: Floats
    """Gain of the move, centipawns; NaN where it is not known."""
    expectation: Floats
    """Expectation against the engine after the move; NaN before the first known gain."""
    low: Floats
    high: Floats
    """95% interval of the expectation: it always holds the expectation, and narrows as moves come."""
    engine_strength: float
    """What differences are counted from: the engine's strength, or 0 where that is not known."""

    @property
    def strength(self) -> Floats:
        """Algorithm 4; minus or plus infinity where all gains so far are on one side."""
        return self.engine_strength + distribution.rating_difference(self.expectation)

    @property
    def strength_low(self) -> Floats:
        """Lower end of the interval of the strength."""
        return self.engine_strength + distribution.rating_difference(self.low)

    @property
    def strength_high(self) -> Floats:
        """Upper end of the interval of the strength."""
        return self.engine_strength + distribution.rating_difference(self.high)


def running_strength(gains: npt.ArrayLike, model: GainModel) -> RunningStrength:
    """Algorithm 4 after every move: the distribution of gain grows by one move at a time."""
    moves = np.asarray(gains, dtype=np.float64)
    placed = _placements(moves, model)
    known = ~np.isnan(moves)
    n, total, squares = (
        np.cumsum(np.where(known, one, 0.0)) for one in (np.ones(len(moves)), placed, placed**2)
    )
    with np.errstate(invalid="ignore"):
        expectation = total / n
    together = distribution.overdispersion(n, CORRELATION[model.engine_profile])
    mean, variance = distribution.posterior(n, total, squares, together)
    low, high = distribution.beta_interval(mean, variance)
    return RunningStrength(
        moves,
        expectation,
        np.fmin(low, expectation),
        np.fmax(high, expectation),
        model.engine_strength or 0.0,
    )


def _placements(gains: Floats, model: GainModel) -> Floats:
    """Chance that a move of the engine gains less than each of these, half of the ties counted."""
    engine = model.engine
    bins = np.rint(np.nan_to_num(gains)).astype(np.int64) + 2 * model.limit
    return np.asarray((distribution.placements(engine) / engine.sum())[bins])


def gains_from_values(
    values: npt.ArrayLike, model: GainModel, *, white_starts: bool = True
) -> tuple[Floats, Floats]:
    """Gains of White and of Black from the values of all positions of a game, each in its mover's view."""
    value = np.clip(np.asarray(values, dtype=np.float64), -model.limit, model.limit)
    gains = -value[1:] - value[:-1]
    first, second = gains[0::2], gains[1::2]
    return (first, second) if white_starts else (second, first)
