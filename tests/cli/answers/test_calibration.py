"""What `assay calibrate` says of what it made."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cli.answers.calibration import BridgeAnswer, CalibrationAnswer, one_game
from assay.models.appearances import Appearances
from assay.rating.accuracy import Outcome
from assay.rating.bridge_check import Agreement
from assay.rating.calibration import Calibration
from assay.rating.spread import BridgeError
from examples.milepost_games import milepost_games


@pytest.fixture(scope="module")
def made() -> Calibration:
    games = milepost_games(games=6, games_each=3)
    return Calibration.fit(Appearances.of(games), {"engine": "agents", "recipe": "made", "games": 60})


def outcome(**more: Any) -> Outcome:
    usual = {"method": "gain", "games": 1, "one_player": True, "reference": 2400.0, "elo": 2450.0}
    return Outcome(**{**usual, "within_95": True, "within_50": False, "width": 300.0, **more})


def test_what_one_game_tells_is_the_deviation_over_the_slope(made: Calibration) -> None:
    _, _, slope, unit = made.spread.at(made.spread.game_size)
    found = one_game(made)
    assert list(found) == list(made.spread.methods)
    assert list(found.values()) == pytest.approx((np.sqrt(np.diag(unit)) / slope).tolist())


def test_without_a_check_rows_are_what_one_game_tells(made: Calibration) -> None:
    answer = CalibrationAnswer(made, Path("scale.npz"), [])
    assert [row["method"] for row in answer.rows()] == list(made.spread.methods)
    (table,) = answer.tables()
    assert "Calibration of made with agents: 60 games, 10 mileposts from 1700 to 2600" in table.title
    assert "Written to scale.npz" in table.note
    assert answer.document()["held_out"] == []


def test_games_kept_out_are_rows_where_they_were_rated(made: Calibration) -> None:
    answer = CalibrationAnswer(made, Path("scale.npz"), [outcome(), outcome(elo=2380.0, within_50=True)])
    (row,) = answer.rows()
    assert row == {
        "games": 1,
        "one_player": True,
        "method": "gain",
        "groups": 2,
        "mean_error": 35.0,
        "bias": 15.0,
        "within_95": 1.0,
        "within_50": 0.5,
        "width": 300.0,
    }
    _, kept_out = answer.tables()
    assert list(kept_out.rows) == [(1, "one player", "gain", 2, "35", "+15", "100.0%", "50.0%", "300")]
    assert answer.document()["mileposts"] == list(range(1700, 2700, 100))


def test_a_bridge_says_where_from_and_how_far_it_may_be_off(made: Calibration) -> None:
    number = len(made.spread.methods)
    error = BridgeError(2100.0, 0.01 * np.eye(number), 1e-8 * np.eye(number))
    start = {"engine": "agents", "recipe": "made", "games": 60, "by_ratings": True}
    about = {"engine": "others", "recipe": "quick", "games": 40, "bridge": start}
    bridged = replace(made, about=about, spread=replace(made.spread, bridge=error))
    answer = BridgeAnswer(bridged, Path("scale.npz"))
    (table,) = answer.tables()
    assert "Bridge from made with agents to quick with others: 40 games" in table.title
    assert "Made with the players' ratings" in table.note
    unrated = replace(bridged, about=about | {"bridge": start | {"by_ratings": False}})
    (table,) = BridgeAnswer(unrated, Path("scale.npz")).tables()
    assert "Made without ratings" in table.note
    assert "89 to 92%" in table.note
    off = answer.document()["error"]
    assert off["bayes"] == pytest.approx(0.1 * one_game(made)["bayes"], abs=0.1)
    assert answer.rows()[0]["error"] == off[answer.rows()[0]["method"]]
    checked = Agreement(
        games=5,
        groups=12,
        correlation=0.95,
        shift=-4.0,
        shift_error=9.0,
        apart=60.0,
        native_error=float("nan"),
        bridged_error=80.0,
        native_within=0.9,
        bridged_within=1.0,
        native_width=400.0,
        bridged_width=450.0,
    )
    answer = BridgeAnswer(bridged, Path("scale.npz"), [checked])
    _, kept_out = answer.tables()
    first, second = kept_out.rows
    assert first == (5, "bridged", 12, "0.95", "-4 ± 9", "60", "80", "100%", "450")
    assert second == (5, "native", 12, "", "", "", "", "90%", "400")
    assert answer.document()["held_out"][0]["native_error"] is None
