"""One contract for every method that reads moves. A new method is one more line in MODELS."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from assay.domain.decisions import Decisions
from assay.domain.profile import Profile, ProfileStack, resample_weights
from assay.domain.rating import Estimate, Forecast, Quantity
from assay.domain.rules import Rule, after_turn, evaluated
from assay.errors import InputError, MappingError
from assay.models import BayesModel, ChoiceModel, GainModel
from assay.models.base import MoveModel
from assay.models.conformance import ConformanceModel
from assay.models.covariance import CovarianceModel
from assay.models.elo_mapping import PairwiseMapping, ScalarMapping
from assay.models.markov import MarkovModel
from decision_tables import make_decisions


class MeanRankModel(MoveModel):
    """The smallest member of the family: how far down the list the played move stands."""

    name = "mean_rank"
    settings = "plain"
    shape = (2,)

    def rules(self) -> tuple[Rule, ...]:
        return (after_turn(2), evaluated())

    def evidence(self, decisions: Decisions, group: npt.NDArray[np.int64], n_groups: int) -> object:
        rank = np.bincount(group, decisions.played_index.astype(float), minlength=n_groups)
        return np.stack((rank, np.bincount(group, minlength=n_groups)), axis=1)

    def estimate(self, profile: Profile) -> Estimate:
        rank = float(profile.evidence[0] / profile.evidence[1])
        return Estimate(self.name, {"rank": Quantity(rank)}, profile.decisions, profile.games)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        a, b = (self.estimate(one)["rank"].value for one in (white, black))
        return Forecast(self.name, b / (a + b))


def mapped_bayes() -> MoveModel:
    """A forecast from c goes through an Elo mapping."""
    model = BayesModel(opening_turns=2)
    knots = np.array([0.0, 6.0]), np.array([1000.0, 4000.0])
    model.mapping = ScalarMapping(model.identity, "made", "c", *knots, error=50.0)
    return model


MODELS: list[Callable[[], MoveModel]] = [
    ConformanceModel,
    CovarianceModel,
    MarkovModel,
    ChoiceModel,
    MeanRankModel,
    mapped_bayes,
    GainModel,
]
COLOUR_BLIND = {"mean_rank", "gain", "covariance", "bayes", "choice"}

models = pytest.mark.parametrize("make", MODELS, ids=lambda make: make().name)


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return make_decisions()


@models
def test_profiles_add(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    parts = [model.profile(decisions.select(year=year)) for year in (2000, 2001, 2002)]
    assert (parts[0] + parts[1] + parts[2]).equals(model.profile(decisions))


@models
def test_order_of_games_does_not_matter(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    turned = Decisions.concat([group for _, group in reversed(list(decisions.by_game()))])
    assert model.profile(turned).equals(model.profile(decisions))


@models
def test_weights_scale(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    profile = make().profile(decisions)
    assert (0.5 * profile + 0.5 * profile).equals(profile)
    assert (2.0 * profile).decisions == 2 * profile.decisions


@models
def test_profiles_by_game_sum_to_the_whole(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    stack = model.profiles_by(decisions)
    assert set(stack.keys) == set(decisions.games)
    assert stack.total().equals(model.profile(decisions))
    for key, weights in zip(stack.keys, np.eye(len(stack)), strict=True):
        assert stack.weighted(weights)[0].equals(model.profile(decisions.select(game=key)))


@models
def test_resampled_profiles_are_weighted_sums(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    stack = make().profiles_by(decisions)
    weights = resample_weights(len(stack), 5, seed=1)
    assert (weights.sum(axis=1) == len(stack)).all()
    singles = [stack.weighted(row)[0] for row in np.eye(len(stack))]
    for row, profile in zip(weights, stack.weighted(weights), strict=True):
        assert profile.equals(Profile.sum(singles, row.tolist()))


@models
def test_profiles_survive_a_file(make: Callable[[], MoveModel], decisions: Decisions, tmp_path: Path) -> None:
    profile = make().profile(decisions)
    profile.write(tmp_path / "profile.npz")
    read = Profile.read(tmp_path / "profile.npz")
    assert read.equals(profile, tolerance=0)
    assert read.left_out == profile.left_out


@models
def test_a_forecast_and_its_mirror_sum_to_one(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    a, b = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
    there, back = model.forecast(a, b).expectation, model.forecast(b, a).expectation
    assert 0 <= there <= 1
    if model.name in COLOUR_BLIND:
        assert there + back == pytest.approx(1)


@models
def test_the_estimate_says_what_it_rests_on(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    profile = model.profile(decisions)
    estimate = model.estimate(profile)
    assert estimate.method == model.name
    assert estimate.decisions == profile.decisions
    assert profile.decisions + sum(profile.left_out.values()) == len(decisions)
    assert all(np.isfinite(one.value) for one in estimate.quantities.values())


@models
def test_no_decisions_are_a_clear_error(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    with pytest.raises(InputError, match="no decisions"):
        model.profile(decisions.select(player="Nobody"))
    with pytest.raises(InputError, match="no decisions"):
        model.profiles_by(decisions.select(player="Nobody"))
    empty = 0.0 * model.profile(decisions)
    with pytest.raises(InputError, match="no decisions"):
        model.forecast(empty, empty)


@models
def test_profiles_of_another_model_are_refused(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    profile = model.profile(decisions)
    other = replace(profile, model="another(model)")
    with pytest.raises(InputError, match="do not go together"):
        profile + other
    with pytest.raises(InputError, match="do not go together"):
        model.forecast(profile, other)


@models
def test_profiles_of_another_recipe_are_refused(
    make: Callable[[], MoveModel], decisions: Decisions, tmp_path: Path
) -> None:
    model = make()
    profile, other = model.profile(decisions), model.profile(make_decisions(recipe="other"))
    assert (profile.recipe_id, other.recipe_id) == ("made", "other")
    assert not profile.equals(other)
    other.write(tmp_path / "profile.npz")
    assert Profile.read(tmp_path / "profile.npz").recipe_id == "other"
    with pytest.raises(InputError, match="different recipes"):
        profile + other
    with pytest.raises(InputError, match="different recipes"):
        ProfileStack.of({"one": profile, "other": other})
    with pytest.raises(InputError, match="different recipes"):
        model.forecast(profile, other)
    for stack in (model.profiles_by(decisions), model.profiles_by(decisions).only([0, 1])):
        assert stack.recipe_id == stack.total().recipe_id == "made"
    assert {one.recipe_id for one in model.profiles_by_year(decisions).values()} == {"made"}


@models
def test_several_recipes_make_no_profile(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    mixture = Decisions.concat([decisions, make_decisions(seed=1, recipe="other")])
    for call in (model.profile, model.profiles_by, model.profiles_by_year):
        with pytest.raises(InputError, match="one recipe"):
            call(mixture)


@models
def test_a_mapping_is_refused_for_another_recipe(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    first, second = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
    other = replace(first, recipe_id="other")
    pairwise = PairwiseMapping.fit(model, "made", [(2200.0, first), (2400.0, second)])
    with pytest.raises(MappingError, match="recipe made, not other"):
        pairwise.rate(model, other)
    name = next(iter(model.estimate(first).quantities))
    knots = np.array([0.0, 1.0]), np.array([1000.0, 3000.0])
    model.mapping = ScalarMapping(model.identity, "made", name, *knots, error=50.0)
    with pytest.raises(MappingError, match="recipe made, not other"):
        model.rate(other)
    with pytest.raises(InputError, match="no mapping for recipe made"):
        PairwiseMapping.fit(model, "made", [(2200.0, first), (2400.0, other)])
    with pytest.raises(InputError, match="no mapping for recipe made"):
        ScalarMapping.fit(model, "made", name, [(2200.0, first), (2400.0, other)])


@models
def test_without_a_mapping_there_is_no_rating(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    model.mapping = None
    with pytest.raises(MappingError, match="mileposts"):
        model.rate(model.profile(decisions))


@models
def test_all_against_all_is_every_forecast(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    a, b = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
    expected = [[model.forecast(white, black).expectation for black in (a, b)] for white in (a, b)]
    assert model.expectations([a], [b])[0, 0] == pytest.approx(expected[0][1])
    assert model.expectations([a, b], [a, b]).shape == (2, 2)
    assert model.match(a, b).expectation == pytest.approx((expected[0][1] + 1 - expected[1][0]) / 2)


@models
def test_years_add_up_to_the_player(make: Callable[[], MoveModel], decisions: Decisions) -> None:
    model = make()
    years = model.profiles_by_year(decisions)
    assert set(years) == {(name, year) for name in ("Ann", "Bob") for year in (2000, 2001, 2002)}
    total = Profile.sum([years["Ann", year] for year in (2000, 2001, 2002)])
    assert total.equals(model.profile(decisions.select(player="Ann")))
