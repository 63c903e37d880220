"""Traits of consecutive values: the contract, and that nothing else is read."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.models.base import MoveModel
from assay.models.traits.value_model import ValueTraitsModel
from assay.models.traits.value_signs import VALUE_SIGNS, value_signs
from assay.testing import MoveModelContract, make_decisions


def taught() -> ValueTraitsModel:
    model = ValueTraitsModel()
    size = model.shape[0] - len(model.blocks)
    rng = np.random.default_rng(0)
    return model.recall({"centre": np.zeros(size), "weight": rng.normal(0, 0.02, size)})


class TestValueTraits(MoveModelContract):
    def make(self) -> MoveModel:
        return taught()

    @pytest.fixture
    def decisions(self) -> Decisions:
        return make_decisions()


def test_a_profile_sums_the_signs_of_each_stretch_of_the_game() -> None:
    decisions = make_decisions()
    model = ValueTraitsModel()
    profile = model.profile(decisions)
    kept, _ = model.select(decisions)
    found = value_signs(kept.numbers("before"), kept.numbers("after"))
    turn = kept.numbers("ply") // 2 + 1
    later = turn > 8
    assert profile.evidence[0] == later.sum()
    assert profile.evidence[1 : 1 + len(VALUE_SIGNS)] == pytest.approx(found[later].sum(axis=0))
    middle = (turn > 20) & (turn <= 40)
    start = 1 + len(VALUE_SIGNS) + 1 + 9 + 5
    assert profile.evidence[start] == middle.sum()
    root = VALUE_SIGNS.index("root of loss")
    assert profile.evidence[start + 1] == pytest.approx(found[middle, root].sum())
