import numpy as np

from examples.depth_games import milepost_games
from research.papers.regan2011.depth_held_out import METHODS, held_out, shared


def test_the_method_of_the_agents_describes_their_games_best() -> None:
    decisions = milepost_games()
    kept = shared(decisions)
    assert 200 < len(kept) < len(decisions)  # positions beyond three pawns are left out
    centuries, sums, counts = held_out(decisions, folds=2)
    assert centuries == (1600, 2600)
    assert sums.shape == (2, 24, len(METHODS))
    assert counts.sum() == len(kept)
    mean = sums.sum(axis=1) / counts.sum(axis=1)[:, None]
    assert np.argmax(mean[0]) == METHODS.index("depth")
    assert ((mean > -4) & (mean < -0.5)).all()
