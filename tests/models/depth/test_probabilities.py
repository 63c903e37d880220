import numpy as np
import pytest

from assay.errors import InputError
from assay.models.depth.agent import DepthAgent
from assay.models.depth.probabilities import probabilities
from assay.models.depth.views import Positions
from assay.testing import make_decisions
from examples.depth_agents import POSITIONS, as_trace, slow_probability

AGENT = DepthAgent(3.0, 0.2, 1.0)


def test_one_position_as_in_the_slow_version() -> None:
    options, lines, legal = POSITIONS[0]
    found = probabilities(Positions.one(options, as_trace(lines), legal), AGENT)
    slow = [slow_probability(lines, move, value, legal, AGENT) for move, value in options]
    assert found.options == pytest.approx(slow)
    assert found.tail == pytest.approx([1 - sum(slow)])
    assert found.tail[0] > 0


def test_options_and_tail_sum_to_one() -> None:
    decisions = make_decisions(trace=True)
    found = probabilities(Positions.of(decisions), AGENT)
    sums = np.add.reduceat(found.options, decisions.offsets[:-1]) + found.tail
    assert sums == pytest.approx(np.ones(len(decisions)))
    assert found.options.min() > 0


def test_more_than_one_is_never_given() -> None:
    # Eleven legal moves, ten lines, and the eleventh as good as the last: better than the mean below it.
    lines = {1: {f"m{i}": -30 * i for i in range(3)}}
    options = [*((f"m{i}", -30 * i) for i in range(3)), ("z", -60)]
    found = probabilities(Positions.one(options, as_trace(lines), 4), AGENT)
    assert found.options.sum() == pytest.approx(1)
    assert found.tail.tolist() == [0.0]


def test_an_agent_for_each_decision() -> None:
    decisions = make_decisions(games=1, plies=2, trace=True)
    positions, other = Positions.of(decisions), DepthAgent(5.0, 0.05, 2.0)
    both = probabilities(positions, [AGENT, other]).options
    assert both[:6] == pytest.approx(probabilities(positions, AGENT).options[:6])
    assert both[6:] == pytest.approx(probabilities(positions, other).options[6:])
    with pytest.raises(InputError, match="as many agents"):
        probabilities(positions, [AGENT])


def test_a_move_that_looks_good_at_sight_tempts_those_who_look_there() -> None:
    lines = {1: {"trap": 80, "good": 0, "b": -10}, 6: {"good": 30, "b": -10, "trap": -200}}
    position = Positions.one([("good", 30), ("b", -10), ("trap", -200)], as_trace(lines), 3)
    at_sight = probabilities(position, DepthAgent(3.0, 0.5, 1.0)).options
    deep = probabilities(position, DepthAgent(3.0, 0.05, 3.0)).options
    assert at_sight[2] > 3 * deep[2]
    assert deep[0] > at_sight[0]
