import numpy as np
import pytest

from assay.models.depth.agent import DepthAgent
from assay.models.depth.grid import AXES, SHAPE
from assay.models.depth.likelihood import log_likelihoods
from assay.models.depth.views import Positions
from assay.testing import make_decisions
from examples.depth_agents import POSITIONS, as_trace, slow_probability


@pytest.mark.parametrize("number", range(len(POSITIONS)))
def test_every_agent_of_the_grid_as_in_the_slow_version(number: int) -> None:
    options, lines, legal = POSITIONS[number]
    position = Positions.one(options, as_trace(lines), legal)
    if max(lines) > position.by_depth.depths:
        lines = {depth: known for depth, known in lines.items() if depth <= position.by_depth.depths}
    place = len(options) - 1
    move, final = options[place]
    final = lines[max(lines)].get(move, final)
    found = log_likelihoods(position, np.array([place]), np.zeros(1, np.int64), 1).reshape(SHAPE)
    for at in ((0, 0, 0), (4, 5, 3), (16, 9, 9), (8, 2, 7)):
        agent = DepthAgent.of([axis[k] for axis, k in zip(AXES, at, strict=True)])
        slow = slow_probability(lines, move, final, legal, agent)
        assert found[at] == pytest.approx(np.log(slow), rel=1e-9)


def test_groups_are_sums_of_single_decisions() -> None:
    decisions = make_decisions(games=2, plies=20, trace=True)
    positions, played = Positions.of(decisions), decisions.played_index
    single = log_likelihoods(positions, played, np.arange(len(decisions)), len(decisions))
    group = np.arange(len(decisions)) % 3
    together = log_likelihoods(positions, played, group, 4)
    for one in range(3):
        assert together[one] == pytest.approx(single[group == one].sum(axis=0))
    assert not together[3].any()


def test_nothing_is_nothing() -> None:
    decisions = make_decisions(games=1, plies=2, trace=True)
    none = decisions.take(np.zeros(0, np.int64))
    empty = log_likelihoods(Positions.of(none), none.played_index, np.zeros(0, np.int64), 2)
    assert empty.shape == (2, int(np.prod(SHAPE)))
    assert not empty.any()
