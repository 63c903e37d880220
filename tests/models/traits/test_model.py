from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.traits.model import TraitsModel
from assay.rating.calibration import Calibration
from assay.testing import MoveModelContract, make_decisions, with_trace
from examples.milepost_games import milepost_games


def taught() -> TraitsModel:
    model = TraitsModel()
    size = model.shape[0] - 2
    rng = np.random.default_rng(0)
    return model.recall({"centre": np.zeros(size), "weight": rng.normal(0, 0.02, size)})


class TestTraits(MoveModelContract):
    def make(self) -> MoveModel:
        return taught()

    @pytest.fixture
    def decisions(self) -> Decisions:
        return make_decisions(trace=True)

    @pytest.fixture
    def another(self) -> Decisions:
        return make_decisions(recipe="other", trace=True)


@pytest.fixture(scope="module")
def mileposts() -> Decisions:
    return with_trace(milepost_games(tuple(range(1700, 2600, 200)), games=8, plies=50), depths=8)


def test_without_a_trace_every_decision_is_left_out() -> None:
    decisions = make_decisions()
    profile = taught().profile(decisions)
    assert profile.decisions == 0
    assert profile.left_out["searched with a trace"] == len(decisions)


def test_without_lessons_it_says_what_to_do() -> None:
    model = TraitsModel()
    with pytest.raises(MappingError, match="assay calibrate"):
        model.estimate(model.profile(with_trace(make_decisions())))


def test_lessons_of_other_signs_are_refused() -> None:
    with pytest.raises(InputError, match="signs"):
        TraitsModel().recall({"centre": np.zeros(3), "weight": np.zeros(3)})


def test_those_who_taught_are_judged_by_the_others(mileposts: Decisions) -> None:
    appearances = Appearances.of(mileposts)
    model = TraitsModel()
    stack = appearances.stack(model)
    fold = np.arange(len(stack)) % 4
    honest = model.teach(stack, appearances.elo, appearances.opponent_elo, fold)
    everyone = np.eye(len(stack))
    apart = model.strengths(honest.weighted(everyone))
    for one in range(4):
        others = np.flatnonzero(fold != one).tolist()
        alone = TraitsModel()
        # The penalty is chosen anew from fewer appearances, so this agrees in order, not to the last bit.
        known = appearances.elo[others], appearances.opponent_elo[others]
        alone.teach(stack.only(others), *known, fold[others] % 3)
        own = np.flatnonzero(fold == one)
        expected = alone.strengths(stack.weighted(everyone[own]))
        assert np.corrcoef(apart[own], expected)[0, 1] > 0.9
    # Groups add up: a pair is the mean of its members, weighed by their decisions after the opening.
    pair = honest.weighted((everyone[0] + everyone[1])[None])
    n = np.asarray(stack.evidence)[:2, 0]
    assert np.abs(model.strengths(pair)[0] - (apart[:2] @ n) / n.sum()) < 0.15


def test_a_calibration_keeps_the_lessons(mileposts: Decisions, tmp_path: Path) -> None:
    made = Calibration.fit(Appearances.of(mileposts))
    assert "traits" in made.mappings
    made.write(tmp_path / "made.npz")
    read = Calibration.read(tmp_path / "made.npz")
    for name, lesson in made.models["traits"].lessons.items():
        assert np.array_equal(read.models["traits"].lessons[name], lesson)
    profile = TraitsModel().profile(mileposts)
    assert read.model("traits").estimate(profile) == made.model("traits").estimate(profile)
    assert made.model("traits").mapping is not None
