import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.depth.model import LEVELS, DepthModel, line_of_agents
from assay.testing import MoveModelContract, make_decisions


class TestDepth(MoveModelContract):
    def make(self) -> DepthModel:
        return DepthModel()

    @pytest.fixture
    def decisions(self) -> Decisions:
        return make_decisions(trace=True)

    @pytest.fixture
    def another(self) -> Decisions:
        return make_decisions(recipe="other", trace=True)


def test_estimates_are_agents_with_intervals() -> None:
    model = DepthModel()
    estimate = model.estimate(model.profile(make_decisions(games=40, trace=True)))
    for name in ("level", "c", "sight", "rise", "mean_depth"):
        quantity = estimate[name]
        assert quantity.low < quantity.value < quantity.high, name
    assert 0 < estimate["sight"].low < estimate["sight"].high < 1
    assert 1 < estimate["mean_depth"].low < estimate["mean_depth"].high < 12


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions, model = make_decisions(trace=True), DepthModel()
    whole = model.profile(decisions)
    monkeypatch.setattr("assay.models.depth.model.ROWS", 17)
    assert model.profile(decisions).equals(whole)


def test_without_trace_no_decision_passes_and_the_reason_is_told() -> None:
    bare = make_decisions()
    model = DepthModel()
    assert model.reads_trace
    profile = model.profile(bare)
    assert profile.decisions == 0
    assert profile.left_out["searched with a trace"] > 0
    assert "have no trace" in model.none_passes(bare)
    with pytest.raises(InputError, match="no decisions"):
        model.estimate(profile)


def test_the_line_of_agents_is_within_the_grid_and_monotone() -> None:
    points = line_of_agents(LEVELS)
    assert (np.diff(points, axis=0) * [1, -1, 1] > 0).all()
    assert points.min(axis=0) == pytest.approx([0.99, -4.52, -1.6], abs=0.05)
    assert points.max(axis=0) == pytest.approx([8.46, 1.86, 3.3], abs=0.05)


def test_depths_that_cannot_be() -> None:
    with pytest.raises(InputError, match="two depths or more"):
        DepthModel(depths=1)
