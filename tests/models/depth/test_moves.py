import numpy as np
import pytest

from assay.errors import InputError
from assay.models.depth.agent import SCALE, DepthAgent
from assay.models.depth.moves import clipped, move_probabilities
from assay.models.depth.probabilities import probabilities
from assay.models.depth.views import Positions
from examples.depth_agents import POSITIONS, Lines, as_trace, below, g, slow_probability

AGENTS = [DepthAgent(2.7, 0.3, 0.6), DepthAgent(4.0, 0.08, 1.6)]


def legal_of(lines: Lines, n_legal: int) -> list[str]:
    known = sorted({move for one in lines.values() for move in one})
    return known + [f"other {k}" for k in range(n_legal - len(known))]


@pytest.mark.parametrize("position", POSITIONS)
def test_options_and_tail_as_for_many_decisions(position: tuple[list[tuple[str, int]], Lines, int]) -> None:
    _, lines, n_legal = position
    legal = legal_of(lines, n_legal)
    found = move_probabilities(as_trace(lines), legal, AGENTS)
    assert found.sum(axis=1) == pytest.approx([1, 1])
    deepest = list(lines[max(lines)].items())
    for agent, row in zip(AGENTS, found, strict=True):
        same = probabilities(Positions.one(deepest, as_trace(lines), n_legal), agent)
        listed = [legal.index(move) for move, _ in deepest]
        assert row[listed] == pytest.approx(same.options)
        assert 1 - row[listed].sum() == pytest.approx(same.tail[0])


def test_each_listed_move_as_in_the_slow_version() -> None:
    _, lines, n_legal = POSITIONS[0]
    legal = legal_of(lines, n_legal)
    row = move_probabilities(as_trace(lines), legal, AGENTS[:1])[0]
    for move, value in lines[4].items():
        slow = slow_probability(lines, move, value, n_legal, AGENTS[0])
        assert row[legal.index(move)] == pytest.approx(slow)


def test_a_move_that_only_a_small_depth_lists_is_known_there() -> None:
    lines: Lines = {1: {"a": 10, "b": 0}, 2: {"c": 20, "d": -10}}
    agent = DepthAgent(3.0, 0.4, 0.0)
    row = move_probabilities(as_trace(lines), ["a", "b", "c", "d", "e"], [agent], depths=2)[0]
    near, far = (below(20, -10, 3.0, 2, seen=one) for one in (True, False))
    first = [g(10, 10, 3.0), g(10, 0, 3.0), *[below(10, 0, 3.0, 1, seen=True)] * 2]
    last = [near, near, g(20, 20, 3.0), g(20, -10, 3.0)]
    y = [0.4 * one + 0.6 * other for one, other in zip(first, last, strict=True)]
    y.append(0.4 * below(10, 0, 3.0, 1, seen=False) + 0.6 * far)
    assert row == pytest.approx(np.array(y) / sum(y))


def test_a_smaller_unit_makes_differences_count_more() -> None:
    trace = [(1, "a", 30), (1, "b", 0)]
    usual, sharp = (move_probabilities(trace, ["a", "b"], AGENTS, unit=unit) for unit in (SCALE, 3.0))
    assert (sharp[:, 0] > usual[:, 0] + 0.05).all()


def test_a_scale_of_its_own_decides_what_is_compared() -> None:
    trace = [(1, "a", 31_999), (1, "b", 1500)]
    assert move_probabilities(trace, ["a", "b"], AGENTS)[:, 0] == pytest.approx([0.5, 0.5])
    by_value = move_probabilities(trace, ["a", "b"], AGENTS, scale=lambda values: values)
    assert (by_value[:, 0] > 0.999).all()
    assert clipped(np.array([31_999.0, -1500.0, 12.0])).tolist() == [1000.0, -1000.0, 12.0]


def test_without_lines_or_with_moves_that_are_not_legal_there_is_no_answer() -> None:
    for trace in ([], [(1, "a", 0), (1, "z", -5)]):
        with pytest.raises(InputError, match="lines of a search"):
            move_probabilities(trace, ["a", "b"], AGENTS)
