"""`assay screen` as a user calls it."""

import inspect
import re
from pathlib import Path

import pytest
from typer.main import get_command

from assay.cli import app
from assay.rating.calibration import VARIABLE
from assay.study import Study
from examples.commands import document, printed, run, sentence
from examples.screened_games import field, with_first_choice


@pytest.fixture(autouse=True)
def _no_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("screen") / "field.parquet"
    with_first_choice(field(games=2, turns=25), "Cid", 1.0).write(path)
    return path


def test_defaults_are_those_of_a_study() -> None:
    of_study = inspect.signature(Study.screen).parameters
    of_command = {one.name: one for one in get_command(app).commands["screen"].params}  # type: ignore[attr-defined]
    for name in ("by", "min_decisions", "rating_error", "full"):
        assert of_command[name].default == of_study[name].default


def test_json_is_as_designed(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "screen", games, "--json")
    assert {"engine", "recipe", "players"} <= set(found)
    first = found["players"][0]
    assert {"player", "games", "decisions", "reference", "z", "p", "q", "flag"} <= set(first)
    assert first["player"] == "Cid"
    assert first["flag"] == "above"
    assert set(first["z"]) == {"first", "equal", "three", "hard", "critical", "error", "elo", "all"}
    assert found["screened"] == 4
    assert found["error_rates"]


def test_people_are_told_how_often_it_errs_and_accuse_nobody(
    games: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = printed(capsys, "screen", games)
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    assert "honest groups of 1 game kept out" in words
    assert "Bonferroni" in words
    assert "The games of Cid" in words
    assert not re.search("cheat|guilt|suspect|fraud", words, re.IGNORECASE)


def test_csv_report_and_figure(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, figure = tmp_path / "page.html", tmp_path / "funnel.svg"
    code, out, _ = run(capsys, "screen", games, "--csv", "--report", page, "--plot", figure)
    assert code == 0
    assert "z_hard" in out.splitlines()[0]
    assert "Play beside rating" in page.read_text(encoding="utf-8")
    assert figure.read_text(encoding="utf-8").startswith("<svg")


def test_bad_input_is_one_sentence(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "fewer than 5000" in sentence(capsys, "screen", games, "--min-decisions", 5000)
    assert "nobody" in sentence(capsys, "screen", games, "-p", "nobody")
