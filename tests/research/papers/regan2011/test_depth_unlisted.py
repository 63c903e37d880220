import numpy as np

from assay.models.depth.agents import SEEN_BENDS, UNSEEN_BEND
from research.papers.regan2011.depth_positions import AllMoves
from research.papers.regan2011.depth_unlisted import below, ratios


def test_moves_below_lie_between_the_last_line_and_a_lost_position() -> None:
    losses = below(100.0, 40.0, 2.0)
    assert (np.diff(losses) > 0).all()
    assert losses[0] > 60
    assert losses[-1] < 1100


def test_what_the_method_assumes_is_what_was_measured() -> None:
    moves = AllMoves.kept()
    for depths, bend in (
        (range(1, 2), SEEN_BENDS[0]),
        (range(2, 5), SEEN_BENDS[1]),
        (range(5, 9), SEEN_BENDS[-1]),
    ):
        seen, never = ratios(moves, 3.0, depths, bends=(bend, UNSEEN_BEND))
        assert 0.9 < seen[0] < 1.1
        assert 0.9 < never[1] < 1.2
