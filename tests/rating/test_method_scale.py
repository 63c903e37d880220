"""One way from evidence to Elo for a method by itself."""

import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models import BayesModel
from assay.rating.method_scale import needed_scale, notes_on, scale_of_mileposts, scale_of_recipe
from assay.rating.rate import rate_decisions
from examples.milepost_games import milepost_games


def test_mileposts_make_a_calibration_of_one_method(games: Decisions) -> None:
    model = BayesModel(outside="exclude")
    scale = scale_of_mileposts(model, "made", games)
    assert list(scale.mappings) == ["bayes"]
    assert scale.models["bayes"] is model
    players, _ = rate_decisions(milepost_games([2200], seed=3, games=4), scale)
    assert all(list(one.ratings) == ["bayes"] for one in players)
    assert notes_on(scale)[0].startswith("Elo with its 95% interval, as assay rate has it: Elo, as in the")
    with pytest.raises(MappingError, match="made with recipe made, not other"):
        scale_of_mileposts(model, "other", games)


def test_a_recipe_has_a_scale_for_the_settings_it_was_made_with() -> None:
    assert scale_of_recipe(BayesModel(), "672593ce2551e878") is not None
    assert scale_of_recipe(BayesModel(outside="exclude"), "672593ce2551e878") is None
    assert scale_of_recipe(BayesModel(), "made") is None


def test_without_any_it_says_what_to_give(games: Decisions) -> None:
    assert needed_scale(BayesModel(), "made", games).recipe_id == "made"
    with pytest.raises(InputError, match="--mileposts"):
        needed_scale(BayesModel(), "made", milepost_games([2200], games=4))
