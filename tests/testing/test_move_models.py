"""The contract notices methods that break it: a suite that lets all pass would prove nothing."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.answers.ratings import Forecast
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.testing import MoveModelContract, make_decisions, prepared
from examples.mean_rank import MeanRankModel

CONTRACT = MoveModelContract()


class TestMeanRank(MoveModelContract):
    """The smallest method keeps all of it."""

    def make(self) -> MoveModel:
        return MeanRankModel()


class NotAdditive(MeanRankModel):
    """Counts the first decision of each call twice: parts do not add up to the whole."""

    def evidence(self, decisions: Decisions, group: np.ndarray, n_groups: int) -> object:
        found = np.asarray(super().evidence(decisions, group, n_groups))
        found[0] += 1
        return found


class Unfair(MeanRankModel):
    """Gives White a tenth more, and does not say that it knows colours."""

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        return Forecast(self.name, 0.9 * super().expectation(white, black).expectation + 0.1)


class OfNothing(MeanRankModel):
    """Says something where there is nothing to say."""

    def estimate(self, profile: Profile):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        return replace(super().estimate(profile), decisions=0.0)


@pytest.mark.parametrize(
    ("model", "test"),
    [
        (NotAdditive(), CONTRACT.test_profiles_add),
        (NotAdditive(), CONTRACT.test_profiles_by_game_sum_to_the_whole),
        (Unfair(), CONTRACT.test_a_forecast_and_its_mirror_sum_to_one),
        (OfNothing(), CONTRACT.test_the_estimate_says_what_it_rests_on),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, MoveModel) else one.__name__,
)
def test_a_method_that_breaks_the_contract_is_noticed(model: MoveModel, test: Callable[..., None]) -> None:
    decisions = make_decisions()
    test(MeanRankModel(), decisions)
    with pytest.raises(AssertionError):
        test(model, decisions)


def test_the_contract_asks_for_a_method() -> None:
    with pytest.raises(NotImplementedError, match="say which method is tested"):
        CONTRACT.make()


def test_a_method_that_forecasts_by_ratings_is_given_a_scale() -> None:
    decisions = make_decisions()
    model = make_model("bayes")
    assert model.mapping is None
    found = prepared(model, decisions)
    assert found is model
    assert found.mapping is not None
    profile = found.profile(decisions)
    assert found.forecast(profile, profile).expectation == pytest.approx(0.5, abs=0.1)


def test_a_method_with_forecasts_of_its_own_stays_as_it_is(tmp_path: Path) -> None:
    model = prepared(MeanRankModel(), make_decisions())
    assert model.mapping is None
    with pytest.raises(InputError, match="no decisions"):
        model.profile(make_decisions().select(player="Nobody"))
