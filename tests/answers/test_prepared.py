"""What the commands of the panel Prepare answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from assay.answers.prepared import (
    Explained,
    Recipes,
)
from assay.cli.prepare import removed
from assay.engine.recipe import NAMED
from assay.models.appearances import Appearances
from assay.rating.accuracy import Outcome, calibration_summary
from assay.rating.calibration import Calibration
from assay.rating.scale import one_game
from assay.workspace.removal import Removal, RemovalReport
from examples.milepost_games import milepost_games


def recipes(
    scales: Mapping[str, str | None] = {}, engine: str = "", kinds: Mapping[str, str] = {}
) -> Recipes:
    columns = ("name", "limit", "lines", "hash_mb", "first_turn", "meaning")
    short = [
        {column: getattr(recipe, column) for column in columns}
        | {"scale": scales.get(recipe.name), "calibration": kinds.get(recipe.name)}
        for recipe in NAMED.values()
    ]
    return Recipes([recipe.describe() for recipe in NAMED.values()], short, engine)


@pytest.mark.parametrize(
    ("scales", "engine", "said"),
    [
        ({}, "", "unknown, since no engine was found"),
        ({"standard": "native, 650 games"}, "Fish", "has an Elo scale with Fish; the others"),
        (
            {"standard": "native", "quick": "carried over"},
            "Fish",
            "(carried over from another engine: quick)",
        ),
        ({}, "Fish", "none has an Elo scale with Fish"),
    ],
)
def test_recipes_say_which_have_an_elo_scale(scales: dict[str, str], engine: str, said: str) -> None:
    answer = recipes(scales, engine, scales)
    assert [row["name"] for row in answer.rows() if row["scale"]] == list(scales)
    (table,) = answer.words()
    assert said in table.note
    assert [row[0] for row in table.rows if row[3] == "yes"] == list(scales)


# What `assay remove` says before and after.


def planned(players: int, games: int = 1) -> Removal:
    names = pa.array([f"P{n}" for n in range(players)], pa.string())
    return Removal(pa.array([f"g{n}" for n in range(games)]), pa.array(["a", "b"]), names, names)


def test_what_would_go() -> None:
    assert planned(0).in_words() == "1 game, 2 positions that no other game has"
    said = planned(10, 2000).in_words()
    assert said.startswith("2,000 games, 2 positions that no other game has, and all that is known of P0; P1")
    assert said.endswith("P7 and 2 more")


def test_settings_that_still_name_a_player_are_told(tmp_path: Path) -> None:
    report = RemovalReport(games=1, players=1, annotations=0, analyses=2, alone=0, ratings=0, aliases=0)
    assert "edit it" not in _said(tmp_path, report)
    (tmp_path / "settings.toml").write_text('[aliases]\n"P" = "P0"\n')
    assert "still names them: edit it" in _said(tmp_path, report)
    assert removed(tmp_path, planned(1), report).to_dict()["analyses"] == 2


def _said(place: Path, report: RemovalReport) -> str:
    (table,) = removed(place, planned(1), report).words()
    return table.title


FOUND = Explained(
    fen="8/8/8/8/8/8/8/8 w - - 0 1",
    engine="Scripted 1",
    recipe="standard",
    recipe_id="r",
    caveat="",
    elos=(1800, 1500),
    depth=9,
    legal=("a1a2", "a1a3", "a1a4", "a1a5", "a1a6"),
    san=("Ra2", "Ra3", "Ra4", "Ra5", "Ra6"),
    values={"a1a2": 31_997, "a1a3": -31_998, "a1a4": 12},
    share=np.array([[0.6, 0.5], [0.297, 0.2], [0.001, 0.002], [0.051, 0.149], [0.051, 0.149]]),
)


def test_listed_moves_have_a_line_and_the_others_one_together() -> None:
    (table,) = FOUND.words()
    rows = [list(row) for row in table.rows]
    assert rows[0] == ["Ra2", "mate in 3", "60.0", "50.0"]
    assert rows[1] == ["Ra3", "mate in -2", "29.7", "20.0"]
    assert rows[2] == ["3 other moves", "", "10.3", "30.0"]
    assert table.columns == ("move", "value", "1800", "1500")
    assert "Scripted 1, standard, depth 9" in table.note


# What `assay calibrate` says of what it made.


@pytest.fixture(scope="module")
def made() -> Calibration:
    games = milepost_games(games=6, games_each=3)
    return Calibration.fit(Appearances.of(games), {"engine": "agents", "recipe": "made", "games": 60})


def outcome(**more: Any) -> Outcome:
    usual = {"method": "gain", "games": 1, "one_player": True, "reference": 2400.0, "elo": 2450.0}
    return Outcome(**{**usual, "within_95": True, "within_50": False, "width": 300.0, **more})


def test_without_a_check_rows_are_what_one_game_tells(made: Calibration) -> None:
    answer = calibration_summary(made, Path("scale.npz"), [])
    assert [row["method"] for row in answer.rows()] == list(made.spread.channels)
    (table,) = answer.words()
    assert "Calibration of made with agents: 60 games, 10 mileposts from 1700 to 2600" in table.title
    assert "Written to scale.npz" in table.note
    assert answer.to_dict()["held_out"] == []


def test_games_kept_out_are_rows_where_they_were_rated(made: Calibration) -> None:
    answer = calibration_summary(made, Path("scale.npz"), [outcome(), outcome(elo=2380.0, within_50=True)])
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
    _, kept_out = answer.words()
    assert list(kept_out.rows) == [(1, "one player", "gain", 2, "35", "+15", "100.0%", "50.0%", "300")]
    assert answer.to_dict()["mileposts"] == list(range(1700, 2700, 100))


def test_what_one_game_shows_is_the_deviation_over_the_slope(made: Calibration) -> None:
    slope, variance = made.spread.slopes[0], made.spread.variance[0]
    assert list(one_game(made)) == list(made.spread.channels)
    assert list(one_game(made).values()) == pytest.approx((np.sqrt(variance) / slope).tolist())
