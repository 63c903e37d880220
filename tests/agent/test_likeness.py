from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.agent.likeness import Resampled, held_out, in_the_opening, main, page, runs, table
from assay.rating.files import find_calibration
from assay.workspace import Workspace


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


def test_what_agents_expect_adds_up_and_is_of_other_games(shared_data: Callable[[str], Path]) -> None:
    workspace = Workspace(shared_data("analysed/mileposts-standard"))
    decisions = workspace.decisions(workspace.recipe_id(None), trace=True)
    games = decisions.codes("game_id")
    some = decisions.take(np.flatnonzero(games % 20 == 0))
    held = held_out(some, folds=2)
    assert held.rank_expected.sum(axis=1) == pytest.approx(np.ones(len(held.loss)))
    assert held.rank_expected.min() > -1e-9
    assert ((held.difficulty >= 0) & (held.difficulty <= 1)).all()
    # Loose: a few games, but people's moves and what is expected of them are of one kind.
    assert abs(held.predicted.mean() - held.rank_expected[:, 0].mean()) < 0.15
    assert held.log_likelihood.mean() > held.uniform.mean() + 0.5
    assert held.reached[:, 1].mean() == pytest.approx((held.loss >= 150).mean(), rel=0.5)
    text = page(held)
    assert "| people |" in text
    assert "nan" not in text
    calibration = find_calibration(workspace.recipe_id(None))
    assert calibration is not None
    assert calibration.agents is not None
    early = in_the_opening(some, calibration.agents)
    assert len(early.loss) > 300
    assert early.rank_expected.sum(axis=1) == pytest.approx(np.ones(len(early.loss)))
    assert early.loss_expected.mean() == pytest.approx(early.loss.mean(), rel=0.25)
