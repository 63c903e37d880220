"""Sums over turns, and their gradients."""

import math

import numpy as np
import pytest

from assay.models.choice.curves import CURVES
from assay.models.choice.probabilities import CONVERSIONS, probabilities
from assay.models.choice.spreads import Spreads
from assay.models.choice.sums import (
    AGREEMENT,
    DIFFERENCE,
    LIKELIHOOD,
    PERCENTILES,
    Summaries,
    up_share,
)
from examples.choice_agents import agent_spreads


def test_the_papers_example_of_a_turn_across_a_percentile() -> None:
    # Section 6: the best move, given 0.9, is played: at q = 0.30 one third up, two thirds down.
    assert up_share(0.30, 0.0, 0.9) == pytest.approx(1 / 3)
    assert up_share(0.95, 0.0, 0.9) == 1
    assert up_share(0.30, 0.3, 0.1) == 0
    assert up_share(0.40, 0.3, 0.1) == pytest.approx(1)


def slow_summary(spreads: Spreads, s: float, c: float, curve: str, conversion: str) -> list[float]:
    """Sums turn by turn in plain Python, as the paper words them."""
    p = probabilities(spreads, s, c, curve, conversion)
    up, first, lost, log_p = np.zeros(len(PERCENTILES)), 0.0, 0.0, 0.0
    for t in range(len(spreads)):
        a, b = spreads.offsets[t], spreads.offsets[t + 1]
        own, i = p[a:b], spreads.played[t]
        minus = sum(own[:i])
        plus = minus + own[i]
        for k, q in enumerate(PERCENTILES):
            if plus <= q:
                up[k] += 1
            elif minus < q:
                up[k] += abs(q - minus) / own[i]
        first += own[0]
        lost += sum(own * spreads.delta[a:b])
        log_p += math.log(own[i])
    return [*up, first, lost, log_p]


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_sums_and_gradients(curve: str, conversion: str) -> None:
    spreads = agent_spreads(300, 0.15, 0.5, seed=3)
    sums = Summaries(spreads, curve, conversion)
    point = np.log([0.2, 0.6])
    found = sums.at(*point)
    assert found[:, 0] == pytest.approx(slow_summary(spreads, 0.2, 0.6, curve, conversion), rel=1e-7)
    step = 1e-5
    for k, along in enumerate(np.eye(2)):
        there, back = sums.at(*(point + step * along))[:, 0], sums.at(*(point - step * along))[:, 0]
        # A turn whose interval ends on a percentile has a kink there; none of 300 moves a sum by more.
        assert found[:, k + 1] == pytest.approx((there - back) / (2 * step), rel=2e-3, abs=0.2)
    assert found[[AGREEMENT, DIFFERENCE, LIKELIHOOD], 1:].all()


def test_the_true_agent_is_up_at_q_in_a_share_q_of_turns() -> None:
    spreads = agent_spreads(20_000, 0.12, 0.5, seed=5)
    summary = Summaries(spreads).at(math.log(0.12), math.log(0.5))[:, 0] / len(spreads)
    assert np.abs(summary[: len(PERCENTILES)] - PERCENTILES).max() < 4 * 0.5 / math.sqrt(len(spreads))
    assert summary[AGREEMENT] == pytest.approx(np.mean(spreads.played == 0), abs=0.015)
    assert summary[DIFFERENCE] == pytest.approx(spreads.lost.mean(), rel=0.05)
