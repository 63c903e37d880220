"""What scales are called."""

from dataclasses import replace

import pytest

from assay.answers.ratings import unit_of
from assay.errors import InputError
from assay.rating.calibration import Calibration
from assay.rating.files import shipped
from assay.rating.scale import (
    OWN_SCALE,
    SHIPPED_SCALE,
    bridge_minutes,
    bridge_note,
    check_can_speak,
    kind_of,
    nearest_to,
    other_time_classes,
    scale_of,
    what_it_takes,
)


def test_scales_have_names(calibration: Calibration) -> None:
    assert scale_of(None) is None
    assert scale_of(shipped("672593ce2551e878")) == SHIPPED_SCALE
    assert scale_of(calibration) == OWN_SCALE
    named = replace(calibration, about={**calibration.about, "scale": "lichess, blitz"})
    assert scale_of(named) == "lichess, blitz"


def test_what_it_takes_names_the_recipe() -> None:
    said = what_it_takes("Stockfish 17", "quick")
    assert "assay calibrate GAMES --recipe quick" in said
    assert "Stockfish 17" in said


def test_what_it_takes_names_what_there_is() -> None:
    said = what_it_takes("Toga", "quick")
    assert "standard with Stockfish 15.1" in said
    assert "--recipe quick" in said
    assert "--like standard: about" in said
    assert "min of engine time here" in said


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
