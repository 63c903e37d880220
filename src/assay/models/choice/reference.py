"""The fixed reference set of positions on which players are compared.

A player's (s, c) becomes one number through the scaled difference that the agent is expected to lose per
turn on these positions: the same for everyone, however hard the player's own positions were.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from assay.models.choice.probabilities import probabilities
from assay.models.choice.reference_positions import POSITIONS
from assay.models.choice.spreads import Scaling, Spreads, differences, extended


@cache
def reference_spreads(scaling: Scaling) -> Spreads:
    """Spreads of the bundled reference positions (research/calibration/make_choice_reference.py)."""
    legal, values = zip(*POSITIONS, strict=True)
    lines = np.array([len(one) for one in values])
    offsets = np.concatenate(([0], np.cumsum(lines)))
    delta = differences(np.concatenate(values), offsets, scaling)
    spreads = Spreads(delta, offsets, np.zeros(len(POSITIONS), np.int64))
    if scaling.unlisted == "tail":
        return extended(spreads, lines, np.array(legal))
    return spreads


@dataclass(frozen=True)
class ExpectedLoss:
    """What an agent loses per turn on the reference positions: mean and variance of the scaled difference."""

    mean: float
    variance: float


def expected_loss(spreads: Spreads, s: float, c: float, curve: str, conversion: str) -> ExpectedLoss:
    """Mean and variance, over positions and choices, of the scaled difference of the agent (s, c)."""
    p = probabilities(spreads, s, c, curve, conversion)
    mean = float(p @ spreads.delta) / len(spreads)
    square = float(p @ np.square(spreads.delta)) / len(spreads)
    return ExpectedLoss(mean, square - mean**2)


def expectation_of_match(ours: ExpectedLoss, theirs: ExpectedLoss, turns: int) -> float:
    """Chance of losing less than the opponent over so many reference turns each: a virtual game."""
    spread = math.sqrt(turns * (ours.variance + theirs.variance))
    if spread == 0:
        return 0.5
    return 0.5 * math.erfc(-(theirs.mean - ours.mean) * turns / spread / math.sqrt(2))
