import math

import numpy as np
import pytest

from assay.models.depth.agent import DepthAgent
from assay.models.depth.second_look import (
    beneath,
    care,
    look_below,
    losses_below,
    second_look,
    weights_below,
)
from assay.rating.calibration import shipped


def test_stronger_agents_look_more_closely() -> None:
    assert care([2.5, 3.2], 0).tolist() == [2.1, 2.1]
    assert care(4.1, 0) == pytest.approx(2.1 + 6.6 * math.log(4.1 / 3.2))
    assert (np.diff(care(np.linspace(3.2, 9, 20), 120)) > 0).all()


def test_a_level_game_is_guarded_more_than_a_decided_one() -> None:
    assert care(3.0, [75, -75]) == pytest.approx([2.1 * 4**-0.56] * 2)
    assert (np.diff(care(3.0, np.linspace(0, 1000, 20))) < 0).all()
    assert care(3.0, 1000) == care(3.0, 1950)  # beyond ten pawns nothing is left to let go


def test_what_loses_nothing_is_left_and_what_loses_more_is_played_less() -> None:
    found = second_look(np.array([0.0, 200.0, 600.0]), 0.5)
    assert found.tolist() == pytest.approx([1.0, 2**-0.5, 0.5])


def test_moves_below_the_last_line_lie_between_it_and_a_lost_position() -> None:
    below = losses_below(np.array([50.0, -900.0]), np.array([80.0, 20.0]))
    assert below.shape == (2, 8)
    assert (np.diff(below, axis=1) > 0).all()
    assert (below[0] > 80).all()
    assert (below[0] < 1050).all()
    assert (below[1] < 100).all()
    weights = weights_below(below, np.array([3.0, 3.0]))
    assert weights.sum(axis=1) == pytest.approx([1, 1])
    assert (np.diff(weights, axis=1) < 0).all()


def test_all_of_them_are_looked_at_as_their_mean() -> None:
    below, agent = losses_below(50.0, 80.0), DepthAgent(3.0, 0.2, 1.0)
    weights = weights_below(below, beneath(agent).c)
    slow = sum(w * (1 + loss / 200) ** -0.85 for w, loss in zip(weights, below, strict=True))
    assert look_below(50.0, 80.0, 0.85, agent) == pytest.approx(0.7 * slow)
    first = sum(
        w * (1 + loss / 200) ** -0.85 * (1 + loss / 50) ** -1.75
        for w, loss in zip(weights, below, strict=True)
    )
    assert look_below(50.0, 80.0, 0.85, agent, opening=True) == pytest.approx(0.7 * first)
    # Where all is lost, or the last line is far below, nothing lies further down.
    assert look_below(-1500.0, 0.0, 0.85, agent) == pytest.approx(0.7)
    assert 0 < look_below(1900.0, 3500.0, 0.85, agent) < 1


def test_beneath_is_300_points_of_the_calibration_that_ships() -> None:
    calibration = shipped("672593ce2551e878")
    assert calibration is not None
    assert calibration.agents is not None
    for elo in (1700, 2300, 2800):
        found, expected = beneath(calibration.agents.at(elo)), calibration.agents.at(elo - 300)
        assert found.parameters == pytest.approx(expected.parameters, abs=0.003)
