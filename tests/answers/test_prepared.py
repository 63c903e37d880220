"""What the commands of the panel Prepare answer."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from assay.answers.prepared import (
    AnalysisReport,
    Explained,
    ImportReport,
    Recipes,
    WorkspaceStatus,
)
from assay.cli.prepare import removed
from assay.engine.recipe import NAMED
from assay.engine.worker import Failure
from assay.models.appearances import Appearances
from assay.rating.accuracy import Outcome, calibration_summary
from assay.rating.calibration import Calibration
from assay.rating.scale import one_game
from assay.workspace.removal import Removal, RemovalReport
from examples.milepost_games import milepost_games


def test_an_import_says_what_may_be_rated_and_why_the_rest_may_not() -> None:
    answer = ImportReport(
        files=1,
        read=12,
        added=10,
        known=2,
        fragments=1,
        annotations=5,
        excluded=Counter(too_short=3, variant=1),
    )
    assert [(row["reason"], row["games"]) for row in answer.rows()] == [
        ("may be rated", 6),
        ("too_short", 3),
        ("variant", 1),
    ]
    (table,) = answer.words()
    assert table.title == "10 games added; 2 were imported before"
    assert "5 positions have comments" in table.note
    assert "1 passages of text" in table.note
    assert answer.to_dict()["rated"] == 6


def status(**more: object) -> dict[str, object]:
    empty = {"games": 5, "excluded": {"variant": 2}, "players": 3, "annotations": 7}
    empty |= {"names": {"Ann": 4, "Bob": 3, "Cy": 3}, "ambiguous": []}
    return {**empty, "analyses": {}, "missing": {}, "recipes": {}, **more}


def test_what_is_in_a_workspace() -> None:
    answer = WorkspaceStatus("w.assay", status())
    numbers = {row["what"]: (row["number"], row["note"]) for row in answer.rows()}
    assert numbers["may be rated"] == (3, "")
    assert numbers["variant"] == (2, "")
    assert numbers["analyses"] == (0, "run assay analyse")
    table, *_ = answer.words()
    assert (table.title, list(table.rows)[1][0]) == ("w.assay", "  may be rated")
    recipes = {"quick": {"engine": "Stockfish 17"}, "deep": {}}
    some = status(analyses={"quick": 80, "deep": 9}, missing={"quick": 1200, "deep": 0}, recipes=recipes)
    numbers = {row["what"]: (row["number"], row["note"]) for row in WorkspaceStatus("w.assay", some).rows()}
    assert numbers["analyses: quick, Stockfish 17"] == (
        80,
        "1,200 positions missing, of games that are rated by default",
    )
    assert numbers["analyses: deep"] == (9, "complete, of games that are rated by default")


def test_positions_put_aside_are_listed_and_end_with_3() -> None:
    report = AnalysisReport("quick", "id", "Stockfish", wanted=9, missing=5, n_engines=2, done=4, seconds=2.0)
    assert report.exit_code == 0
    report.failures = [Failure(f"key{n}", "died") for n in range(12)]
    answer = report
    assert answer.exit_code == 3
    assert answer.to_dict()["put_aside"][11] == {"position_key": "key11", "reason": "died"}
    assert {"what": "put_aside", "value": 12} in answer.rows()
    (table,) = answer.words()
    assert dict(table.rows)["time"].startswith("2.0 s: 2.0 positions a second, 2 engine(s) busy")


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


def test_recipes_are_listed() -> None:
    answer = recipes()
    assert [row["name"] for row in answer.rows()] == list(NAMED)
    assert "no engine was found" in next(iter(answer.words())).note


def test_recipes_say_which_have_an_elo_scale() -> None:
    answer = recipes({"standard": "FIDE Elo", "quick": None}, "an engine")
    assert [row["name"] for row in answer.rows() if row["scale"]] == ["standard"]
    (table,) = answer.words()
    assert "with an engine" in table.note
    assert [row[0] for row in table.rows if row[3] == "yes"] == ["standard"]
    assert len(answer.to_dict()) == len(NAMED)
    (table,) = answer.words()
    assert len(next(iter(table.rows))) == len(table.columns)


def test_recipes_name_the_scales_that_are_carried_over() -> None:
    scales = {"standard": "FIDE Elo", "quick": "FIDE Elo"}
    kinds = {"standard": "native, 650 games", "quick": "carried over from an engine"}
    answer = recipes(scales, "an engine", kinds)
    [quick] = [row for row in answer.rows() if row["name"] == "quick"]
    assert quick["calibration"] == "carried over from an engine"
    (table,) = answer.words()
    assert "an engine (carried over from another engine: quick)" in table.note


def test_an_engine_with_which_no_recipe_has_a_scale_is_told_so() -> None:
    answer = recipes(dict.fromkeys(NAMED), "an engine")
    [table] = answer.words()
    assert "none has an Elo scale with an engine" in (table.note or "")
    assert not any("yes" in row for row in table.rows)


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


def test_programs_get_every_legal_move() -> None:
    answer = FOUND
    document = answer.to_dict()
    assert document["elos"] == [1800, 1500]
    assert document["caveat"] is None
    first, *_, last = document["moves"]
    assert first["mate"] == 3
    assert first["cp"] is None
    assert last == {
        "move": "a1a6",
        "san": "Ra6",
        "cp": None,
        "mate": None,
        "probability": {"1800": pytest.approx(0.051), "1500": pytest.approx(0.149)},
    }
    assert answer.rows()[2] == {
        "move": "a1a4",
        "san": "Ra4",
        "cp": 12,
        "mate": None,
        "probability_1800": 0.001,
        "probability_1500": 0.002,
    }


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
