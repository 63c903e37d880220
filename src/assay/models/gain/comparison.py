"""Two players compared by their distributions of gain (Ferreira 2012, Algorithm 1), with an interval."""

from dataclasses import dataclass

import numpy as np

from assay.answers.ratings import Estimate
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile, ProfileStack
from assay.models.gain import distribution
from assay.models.gain.model import GainModel
from assay.models.intervals import (
    FEWEST_GAMES,
    equal_tailed,
    exponential_factor,
    exponential_weights,
    widened,
)


@dataclass(frozen=True)
class Comparison:
    """The first player against the second."""

    estimates: tuple[Estimate, Estimate]
    """Each against the engine."""
    expectation: float
    low: float
    high: float
    resampled: bool
    """Whether the interval comes from resampled games; of fewer it comes from the moves, widened."""

    @property
    def differences(self) -> tuple[float, float, float]:
        """Rating difference of the first over the second, with the ends of its interval."""
        value, low, high = distribution.rating_difference([self.expectation, self.low, self.high]).tolist()
        return value, low, high


def compare(
    first: Decisions, second: Decisions, model: GainModel, *, resamples: int = 500, seed: int = 0
) -> Comparison:
    """Algorithm 1 on the decisions of two players, or of one player at two times."""
    stacks = model.profiles_by(first), model.profiles_by(second)
    totals = stacks[0].total(), stacks[1].total()
    forecast = model.forecast(*totals)
    estimates = model.estimate(totals[0]), model.estimate(totals[1])
    resampled = resamples > 1 and all(profile.games >= FEWEST_GAMES for profile in totals)
    low, high = _resampled(stacks, totals, resamples, seed) if resampled else (forecast.low, forecast.high)
    return Comparison(estimates, forecast.expectation, low, high, resampled)


def _resampled(
    stacks: tuple[ProfileStack, ProfileStack], totals: tuple[Profile, Profile], resamples: int, seed: int
) -> tuple[float, float]:
    """Interval from games with exponential weights (the Bayesian bootstrap), one for a game of both."""
    keys = {key: place for place, key in enumerate(dict.fromkeys(stacks[0].keys + stacks[1].keys))}
    weights = exponential_weights(len(keys), resamples, seed)
    used = np.flatnonzero(totals[0].evidence + totals[1].evidence)
    rows = [
        np.asarray(weights[:, [keys[key] for key in stack.keys]] @ stack.evidence[:, used].toarray())
        for stack in stacks
    ]
    drawn = equal_tailed(distribution.paired_expectations(*rows))
    value = distribution.expectation(totals[0].evidence, totals[1].evidence)
    factor = exponential_factor(min(profile.games for profile in totals))
    low, high = np.clip(widened(value, drawn, factor), 0.0, 1.0).tolist()
    return low, high
