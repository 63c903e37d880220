import numpy as np
import pytest

from research.evidence.agent.likeness_page import Resampled, main, runs, table


def test_runs_end_with_a_game_and_with_a_move_that_is_not_good() -> None:
    appearance = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    good = [True, True, False, True, True, True, False, False, True]
    assert runs(good, appearance) == (pytest.approx((2 + 1 + 2 + 1) / 4), 0.0)
    assert runs([True] * 12, np.zeros(12, np.int64)) == (12.0, 1.0)


def test_means_with_intervals_of_games() -> None:
    game = np.repeat(np.arange(50), 4)
    values = np.random.default_rng(0).normal(3.0, 1.0, 50).repeat(4)
    mean, low, high = Resampled(game).mean(values, np.arange(200))
    assert mean == pytest.approx(values.mean())
    assert high - low == pytest.approx(4 * values.std() / np.sqrt(50), rel=0.25)  # of 50, not of 200
    some = np.arange(40)
    assert Resampled(game).mean(values, some)[0] == pytest.approx(values[:40].mean())


def test_a_table() -> None:
    assert table(("a", "b"), [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_without_a_workspace_it_says_how_to_call_it() -> None:
    said: list[str] = []
    assert main([], said.append) == 2
    assert "WORKSPACE" in said[0]
