import numpy as np
import pytest

from assay.errors import InputError
from assay.models.depth.views import Positions, fill_sums
from assay.testing import make_decisions
from examples.depth_agents import POSITIONS, as_trace, below, g


def test_sums_over_all_legal_moves_at_every_depth_and_consistency() -> None:
    options, lines, legal = POSITIONS[0]
    position = Positions.one(options, as_trace(lines), legal, 5)
    sums, near, far = np.empty((5, 3)), np.empty((5, 3)), np.empty((5, 3))
    begin, stop = position.trace_offsets
    depth, value = position.trace_depth, position.trace_value
    assert position.by_depth.n_seen.tolist() == [3]
    fill_sums(begin, stop, depth, value, 3, legal, 1.0, 0.5, sums, near, far)
    for depth, shown in ((1, 1), (2, 2), (3, 2), (4, 4), (5, 4)):
        best, last = max(lines[shown].values()), min(lines[shown].values())
        for k, c in enumerate((1.0, 1.5, 2.0)):
            one, other = (below(best, last, c, shown, seen=seen) for seen in (True, False))
            assert near[depth - 1, k] == pytest.approx(one)
            assert far[depth - 1, k] == pytest.approx(other)
            listed = sum(g(best, worth, c) for worth in lines[shown].values())
            assert sums[depth - 1, k] == pytest.approx(listed + one + (legal - 3) * other)


def test_positions_of_decisions() -> None:
    positions = Positions.of(make_decisions(games=1, plies=4, trace=True), 6)
    assert len(positions) == 4
    assert positions.searched.all()
    assert positions.by_depth.depths == 6
    # The number of legal moves is not told: there are at least those with values.
    assert positions.legal.tolist() == [6] * 4


def test_a_position_needs_lines() -> None:
    with pytest.raises(InputError, match="lines of its search"):
        Positions.one([("a", 1)], [], 20)
