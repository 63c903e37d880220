"""What an agent projects beside what was played."""

import math

import numpy as np
import pytest

from assay.models.choice.probabilities import probabilities
from assay.models.choice.projections import project
from assay.models.choice.spreads import Spreads
from examples.choice_agents import agent_spreads


def test_projections_by_hand() -> None:
    spreads = Spreads(np.array([0, 0.1, 0.3, 0, 0.2]), np.array([0, 3, 5]), np.array([1, 0]))
    p = probabilities(spreads, 0.1, 0.5)
    shown = project(spreads, np.array([0, 1]), 0.1, 0.5)
    assert shown.mm.projected == pytest.approx((p[0] + p[3]) / 2)
    assert shown.mm.actual == 0.5
    assert shown.ad.projected == pytest.approx((p * spreads.delta).sum() / 2)
    assert shown.ad.actual == pytest.approx(0.05)
    assert [one.projected for one in shown.ranks] == pytest.approx(
        [(p[0] + p[3]) / 2, (p[1] + p[4]) / 2, p[2] / 2]
    )
    off = [one.projected - one.actual for one in shown.ranks]
    assert shown.q_fit.actual == pytest.approx(1e4 * np.mean(np.square(off)))
    assert shown.mm.model_deviation == pytest.approx(math.sqrt(p[0] * (1 - p[0]) + p[3] * (1 - p[3])) / 2)
    assert math.isnan(shown.mm.games_deviation)


def test_independent_turns_have_a_ratio_of_one() -> None:
    spreads = agent_spreads(6000, 0.15, 0.5, seed=20)
    shown = project(spreads, np.arange(6000) // 30, 0.15, 0.5)
    for one in (shown.mm, shown.ad, shown.ranks[1]):
        # A variance over 200 games is known to 10%.
        assert one.ratio == pytest.approx(1, abs=0.35)
        assert abs(one.projected - one.actual) < 4 * one.model_deviation
    assert shown.q_fit.actual < shown.q_fit.projected + 4 * shown.q_fit.model_deviation


def test_turns_that_hang_together_show_in_the_ratio() -> None:
    """Games of two kinds of agent, fitted as one: turns of a game are then not independent."""
    strong, weak = agent_spreads(3000, 0.03, 0.6, seed=21), agent_spreads(3000, 0.5, 0.45, seed=21)
    mixed = np.where(np.arange(3000) // 30 % 2 == 0, strong.played, weak.played)
    shown = project(strong.replayed(mixed), np.arange(3000) // 30, 0.15, 0.5)
    assert shown.mm.ratio > 2
