import numpy as np
import pytest

from assay.decisions.depths import values_by_depth
from research.papers.regan2011.depth_positions import AllMoves


def test_kept_positions_have_all_moves_at_all_depths() -> None:
    kept = AllMoves.kept()
    assert len(kept.values) == 400
    for count, depth, values in zip(kept.counts, kept.depths, kept.values, strict=True):
        assert values.shape == (depth, count)
    assert kept.counts.mean() > 25
    assert np.median(kept.depths) >= 5


def test_ten_lines_of_each_depth_and_the_played_move_alone() -> None:
    values = np.array([[0, 10, 20, 30, 40], [50, 45, 0, -10, -90]], np.int16)
    moves = AllMoves(np.array([5]), np.array([2]), values.ravel())
    shown = moves.with_lines(np.array([0, 0]), np.array([4, 1]), 3)
    assert shown.options(0) == [("m0", 50), ("m1", 45), ("m2", 0), ("m4", -90)]
    assert shown.options(1) == [("m0", 50), ("m1", 45), ("m2", 0)]
    assert shown.played_index.tolist() == [3, 1]
    assert shown.numbers("n_lines").tolist() == [3, 3]
    by_depth = values_by_depth(shown, 2)
    # m0 is the worst of all at depth 1, so it is not listed there; m4 is the best.
    assert by_depth.values[:4, 0].tolist() == [20, 20, 20, 40]
    assert by_depth.censored[:4, 0].tolist() == [True, True, False, False]


def test_more_lines_than_moves_are_all_moves() -> None:
    kept = AllMoves.kept()
    shown = kept.with_lines(np.array([3]), np.array([0]), 300)
    assert len(shown.options(0)) == kept.counts[3]
    assert [value for _, value in shown.options(0)] == sorted(kept.values[3][-1].tolist(), reverse=True)
    assert shown.numbers("n_legal") == pytest.approx([kept.counts[3]])
