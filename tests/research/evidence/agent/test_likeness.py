from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.rating.calibration import find_calibration
from assay.workspace import Workspace
from research.evidence.agent.likeness import held_out, in_the_opening
from research.evidence.agent.likeness_page import page


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
