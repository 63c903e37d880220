import numpy as np
import pytest

from examples.pupil_games import ENDING, pupil_games
from research.evidence.phase_agreement import agreement, by_counts

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def test_counts_never_go_back() -> None:
    keys = [START, ENDING, START]
    assert by_counts(keys, np.zeros(3, np.int64), np.array([0, 1, 2])).tolist() == [0, 2, 2]
    assert by_counts(keys, np.array([0, 1, 2]), np.zeros(3, np.int64)).tolist() == [0, 2, 0]


def test_shares_of_all_positions() -> None:
    decisions = pupil_games(2)
    found = agreement(decisions)
    assert found.positions == len(decisions)
    assert sum(found.shares) == pytest.approx(1)
    assert found.counts <= min(found.counts_opening, found.counts_endgame)
    assert found.counts_endgame > 0.9
