"""What must be said with ratings is said, and nothing else."""

from types import SimpleNamespace
from typing import Any

import pytest

from assay.decisions.evaluation import ANNOTATED
from assay.models.intervals import FEWEST_GAMES
from assay.rating.files import find_calibration
from assay.study.notes import left_out, notes_on

STANDARD = "672593ce2551e878"


def pieces(recipe_id: str = STANDARD, **others: Any) -> Any:
    """What was read, as far as notes look at it."""
    usual = {
        "time_classes": {"classical"},
        "traced": True,
        "only": None,
        "without_value": 0.0,
        "left_out": {},
    }
    return SimpleNamespace(recipe_id=recipe_id, **{**usual, **others})


def player(elo: float, games: int = 6) -> Any:
    return SimpleNamespace(games=games, combined=SimpleNamespace(elo=elo))


MADE = ("Stockfish 15.1", "standard")


def test_within_the_scale_there_is_nothing_to_say() -> None:
    assert notes_on([player(2000)], pieces(), find_calibration(STANDARD), MADE, None) == ()


def test_a_rating_beyond_the_scale_is_said() -> None:
    (said,) = notes_on([player(2000), player(3100)], pieces(), find_calibration(STANDARD), MADE, None)
    assert said.startswith("The scale is calibrated from 15")


def test_without_a_scale_it_is_said_what_it_takes_and_how_few_games_there_are() -> None:
    said = notes_on([player(0, games=2)], pieces("0" * 16), None, ("Some engine", "standard"), None)
    assert len(said) == 2
    assert "assay calibrate" in said[0]
    assert said[1].startswith(f"Below {FEWEST_GAMES} games there is no interval")


def test_fast_games_on_the_classical_scale_are_named() -> None:
    (said,) = notes_on([], pieces(time_classes={"blitz"}), find_calibration(STANDARD), MADE, None)
    assert "blitz" in said


def test_a_trace_that_was_not_read_is_said_unless_methods_were_named() -> None:
    calibration = find_calibration(STANDARD)
    (said,) = notes_on([], pieces(traced=False), calibration, MADE, None)
    assert "depth" in said
    assert notes_on([], pieces(traced=False), calibration, MADE, ["gain"]) == ()


@pytest.mark.parametrize(("share", "n"), [(0.0, 1), (0.3, 2)])
def test_moves_without_a_value_are_said(share: float, n: int) -> None:
    said = notes_on([], pieces(ANNOTATED, without_value=share), None, MADE, None)
    assert sum("%" in one for one in said) == n - 1


def test_what_is_stored_and_what_only_readers_know_are_counted_together() -> None:
    found = pieces(left_out={"other_scale": 3, "too_short": 9})
    assert left_out({"too_short": 2}, found) == {"too_short": 2, "other_scale": 3}
    assert left_out({}, found) == {"other_scale": 3, "too_short": 9}
