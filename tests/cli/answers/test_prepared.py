"""What the commands of the panel Prepare answer."""

from collections import Counter

import pytest

from assay.cli.answers.prepared import ImportAnswer, RecipesAnswer, StatusAnswer, analysis_answer
from assay.engine.recipe import NAMED
from assay.engine.run import AnalysisReport
from assay.engine.worker import Failure
from assay.pgn.importer import ImportReport


def test_an_import_says_what_may_be_rated_and_why_the_rest_may_not() -> None:
    report = ImportReport(
        files=1,
        read=12,
        added=10,
        known=2,
        fragments=1,
        annotations=5,
        excluded=Counter(too_short=3, variant=1),
    )
    answer = ImportAnswer(report)
    assert [(row["reason"], row["games"]) for row in answer.rows()] == [
        ("may be rated", 6),
        ("too_short", 3),
        ("variant", 1),
    ]
    (table,) = answer.tables()
    assert table.title == "10 games added; 2 were imported before"
    assert "5 positions have comments" in table.note
    assert "1 passages of text" in table.note
    assert answer.document()["rated"] == 6


def test_nothing_new_is_one_sentence() -> None:
    (table,) = ImportAnswer(ImportReport(files=1, read=1300, known=1300)).tables()
    assert (table.title, list(table.columns)) == ("Nothing new: all 1,300 games were imported before.", [])


def status(**more: object) -> dict[str, object]:
    empty = {"games": 5, "excluded": {"variant": 2}, "players": 3, "annotations": 7}
    empty |= {"names": {"Ann": 4, "Bob": 3, "Cy": 3}, "ambiguous": []}
    return {**empty, "analyses": {}, "missing": {}, "recipes": {}, **more}


def test_what_is_in_a_workspace() -> None:
    answer = StatusAnswer("w.assay", status())
    numbers = {row["what"]: (row["number"], row["note"]) for row in answer.rows()}
    assert numbers["may be rated"] == (3, "")
    assert numbers["variant"] == (2, "")
    assert numbers["analyses"] == (0, "run assay analyse")
    table, *_ = answer.tables()
    assert (table.title, list(table.rows)[1][0]) == ("w.assay", "  may be rated")
    recipes = {"quick": {"engine": "Stockfish 17"}, "deep": {}}
    some = status(analyses={"quick": 80, "deep": 9}, missing={"quick": 1200, "deep": 0}, recipes=recipes)
    numbers = {row["what"]: (row["number"], row["note"]) for row in StatusAnswer("w.assay", some).rows()}
    assert numbers["analyses: quick, Stockfish 17"] == (
        80,
        "1,200 positions missing, of games that are rated by default",
    )
    assert numbers["analyses: deep"] == (9, "complete, of games that are rated by default")


def test_positions_put_aside_are_said_and_end_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    report = AnalysisReport("quick", "id", "Stockfish", wanted=9, missing=5, n_engines=2, done=4, seconds=2.0)
    assert analysis_answer(report).exit_code == 0
    assert capsys.readouterr().err == ""
    report.failures = [Failure(f"key{n}", "died") for n in range(12)]
    answer = analysis_answer(report)
    assert answer.exit_code == 3
    said = capsys.readouterr().err
    assert said.count("put aside: key") == 10
    assert answer.document()["put_aside"][11] == {"position_key": "key11", "reason": "died"}
    assert {"what": "put_aside", "value": 12} in answer.rows()
    (table,) = answer.tables()
    assert dict(table.rows)["time"].startswith("2.0 s: 2.0 positions a second, 2 engine(s) busy")


def test_recipes_are_listed() -> None:
    answer = RecipesAnswer(list(NAMED.values()))
    assert [row["name"] for row in answer.rows()] == list(NAMED)
    assert "no engine was found" in next(iter(answer.tables())).note


def test_recipes_say_which_have_an_elo_scale() -> None:
    answer = RecipesAnswer(list(NAMED.values()), {"standard": "FIDE Elo", "quick": None}, "an engine")
    assert [row["name"] for row in answer.rows() if row["scale"]] == ["standard"]
    (table,) = answer.tables()
    assert "with an engine" in table.note
    assert [row[0] for row in table.rows if row[3] == "yes"] == ["standard"]
    assert len(answer.document()) == len(NAMED)
    (table,) = answer.tables()
    assert len(next(iter(table.rows))) == len(table.columns)


def test_recipes_say_which_scales_are_by_a_bridge() -> None:
    scales = {"standard": "FIDE Elo", "quick": "FIDE Elo"}
    kinds = {"standard": "native, 650 games", "quick": "bridge, 70 games"}
    answer = RecipesAnswer(list(NAMED.values()), scales, "an engine", kinds)
    assert {row["name"]: row["calibration"] for row in answer.rows()}["quick"] == "bridge, 70 games"
    (table,) = answer.tables()
    assert "an engine (by a bridge: quick)" in table.note


def test_an_engine_with_which_no_recipe_has_a_scale_is_told_so() -> None:
    answer = RecipesAnswer(list(NAMED.values()), dict.fromkeys(NAMED), "an engine")
    [table] = answer.tables()
    assert "none has an Elo scale with an engine" in (table.note or "")
    assert not any("yes" in row for row in table.rows)
