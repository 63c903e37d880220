"""What scales are called."""

from dataclasses import replace

import numpy as np
import pytest

from assay.answers.ratings import unit_of
from assay.decisions.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.models.bayes import BayesModel
from assay.rating.calibration import Calibration, shipped
from assay.rating.group_ratings import Rater
from assay.rating.pipeline import rate_decisions
from assay.rating.scale import (
    OWN_SCALE,
    SHIPPED_SCALE,
    STRAYS,
    bridge_minutes,
    bridge_note,
    check_can_speak,
    check_usable,
    kind_of,
    nearest_to,
    needed_scale,
    notes_on,
    one_game,
    other_time_classes,
    provisional_note,
    scale_of,
    scale_of_mileposts,
    scale_of_recipe,
    shortcomings,
    what_it_takes,
)
from examples.milepost_games import milepost_games


def test_scales_have_names(calibration: Calibration) -> None:
    assert scale_of(None) is None
    assert scale_of(shipped("672593ce2551e878")) == SHIPPED_SCALE
    assert scale_of(calibration) == OWN_SCALE
    named = replace(calibration, about={**calibration.about, "scale": "lichess, blitz"})
    assert scale_of(named) == "lichess, blitz"


def test_what_it_takes_names_the_recipe() -> None:
    said = what_it_takes("Another 1", "deep")
    assert "assay calibrate --like standard --recipe deep, with the same --engine, makes one by 700" in said
    assert "assay calibrate GAMES --recipe deep" in said
    assert "Another 1" in said


def test_what_it_takes_names_what_there_is() -> None:
    said = what_it_takes("Toga", "quick")
    assert "standard with Stockfish 15.1" in said
    assert "--like quick, with the same --engine, makes one by 2,086 positions in about" in said


def test_the_nearest_is_of_the_same_family_and_version() -> None:
    assert nearest_to("Stockfish 15.1", "tiny").endswith("with Stockfish 15.1")
    assert nearest_to("Stockfish 14", "standard") == "standard with Stockfish 15.1"
    assert nearest_to("Toga II 3.0", "quick") == "standard with Stockfish 15.1"
    assert nearest_to("an engine", "quick") == "standard with Stockfish 15.1"


def test_a_recipe_that_nobody_knows_has_no_time() -> None:
    assert bridge_minutes("nobody") is None
    assert "about" not in what_it_takes("Toga", "nobody")
    slow, quick = bridge_minutes("deep"), bridge_minutes("quick")
    assert slow is not None
    assert quick is not None
    assert slow > quick


def test_what_kind_a_calibration_is(calibration: Calibration) -> None:
    assert kind_of(None) is None
    assert kind_of(calibration) == "native, 100 games"
    assert bridge_note(calibration) == ""


def test_a_server_rating_is_not_called_elo() -> None:
    blitz = shipped("evaluated-lichess-blitz")
    assert blitz is not None
    assert (scale_of(blitz), unit_of(scale_of(blitz))) == ("lichess blitz", "rating")
    assert unit_of(SHIPPED_SCALE) == unit_of(OWN_SCALE) == unit_of(None) == "Elo"
    # Its own time class is no other; on the classical scale blitz is.
    assert not other_time_classes(["blitz"], blitz.recipe_id)
    assert "blitz" in other_time_classes(["blitz"], "evaluated-fide-classical")


def test_methods_that_need_other_options_say_why_they_do_not_speak() -> None:
    for recipe_id in ("annotations", "evaluated-fide-classical"):
        with pytest.raises(InputError, match="choice needs the values of several options"):
            check_can_speak(recipe_id, ["gain", "choice"])
        check_can_speak(recipe_id, ["gain", "traits"])
        check_can_speak(recipe_id, None)
    check_can_speak("672593ce2551e878", ["choice"])


def test_games_of_an_unknown_evaluator_are_told_who_is_known() -> None:
    assert "lichess" in what_it_takes("the games' own comments", "evaluations", "annotations")
    # Evaluations that games bring along are nothing to analyse with.
    assert "evaluations of the games" not in what_it_takes("an engine", "quick", "0123")


# Calibrations that rest on too little.


def _poor(calibration: Calibration) -> Calibration:
    """The same, as if it were from few games: and far too sure of itself."""
    spread = calibration.spread
    sure = replace(spread, variance=spread.variance / 100, form=np.ones_like(spread.form), milepost_games=5.0)
    return replace(calibration, spread=sure)


def test_enough_games_are_enough(calibration: Calibration) -> None:
    assert shortcomings(calibration) == ()
    assert provisional_note(calibration) == ""


def test_few_games_are_provisional(calibration: Calibration) -> None:
    poor = _poor(calibration)
    assert "50 players in games" in provisional_note(poor)
    curve = calibration.spread.curve.copy()
    curve[:, 0] *= 1e-6
    mute = replace(calibration, spread=replace(calibration.spread, curve=curve))
    name = calibration.spread.channels[0]
    assert one_game(mute)[name] > STRAYS
    assert f"{name} says nothing" in provisional_note(mute)
    check_usable(mute)  # the others speak
    known = replace(mute, spread=replace(mute.spread, milepost_games=1000.0))
    assert provisional_note(known) == ""  # of thousands, it is no chance
    silent = replace(calibration, spread=replace(calibration.spread, curve=1e-6 * curve))
    with pytest.raises(InputError, match="make no calibration"):
        check_usable(silent)


def test_a_provisional_one_is_never_narrower(calibration: Calibration) -> None:
    new = Appearances.of(milepost_games([2100], seed=31, games=2, games_each=2))
    rows = [np.arange(len(new))[new.player == new.player[0]]]
    (honest,) = Rater(new, calibration).rate(rows)
    (poor,) = Rater(new, _poor(calibration)).rate(rows)
    # What 2 games let say by the shipped kind: hundreds of points either way, for each method.
    assert all(one.high - one.low > 400 for one in poor.values())
    assert all(one.low < one.elo < one.high for one in poor.values())
    assert set(poor) == set(honest)


# One way from evidence to Elo for a method by itself.


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
