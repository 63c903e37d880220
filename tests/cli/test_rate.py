"""`assay rate`: its defaults are those of a study, and its report says how to make it again."""

import inspect
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from assay.cli import app, main
from assay.cli.rate import rate
from assay.rating.calibration import VARIABLE
from assay.study import Study
from examples.commands import document, run, sentence


@pytest.fixture(autouse=True)
def _no_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))


def test_defaults_are_those_of_a_study() -> None:
    """A command that leaves something out must mean what a call means that leaves it out."""
    of_study = inspect.signature(Study.rate).parameters
    of_command = {one.name: one for one in get_command(app).commands["rate"].params}  # type: ignore[attr-defined]
    assert of_command["min_decisions"].default == of_study["min_decisions"].default
    assert of_command["by"].default == of_study["by"].default
    assert of_command["prior"].default == of_study["prior"].default
    assert (of_command["with_"].default, of_study["with_results"].default) == (None, False)
    for one, other in (("player", "players"), ("method", "methods"), ("calibration", "calibration")):
        assert not of_command[one].default
        assert of_study[other].default is None
    opened = inspect.signature(Study).parameters
    for name in ("workspace", "recipe", "engine", "jobs"):
        assert of_command[name].default is None
        assert opened[name].default is None
    assert str(of_command["evaluations"].default) == opened["evaluations"].default


def test_what_is_asked_for_reaches_the_study(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, Any] = {}
    original = Study.rate

    def remember(study: Study, **given: Any) -> Any:
        asked.update(given)
        return original(study, **given)

    monkeypatch.setattr(Study, "rate", remember)
    found = document(
        capsys,
        "rate",
        source,
        "-p",
        "ann",
        "-m",
        "gain",
        "-m",
        "markov",
        "--by",
        "year",
        "--min-decisions",
        7,
    )
    assert {one["player"] for one in found["players"]} == {"Ann"}
    assert found["by"] == "year"
    assert (asked["players"], asked["methods"]) == (["ann"], ["gain", "markov"])
    assert (asked["by"], asked["min_decisions"], asked["history"]) == ("year", 7, False)


def test_what_is_known_besides_the_moves_reaches_the_study(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, Any] = {}
    original = Study.rate

    def remember(study: Study, **given: Any) -> Any:
        asked.update(given)
        return original(study, **{**given, "with_results": False})

    monkeypatch.setattr(Study, "rate", remember)
    document(capsys, "rate", source, "--min-decisions", 7, "--prior", "pool", "--with", "results")
    assert (asked["prior"], asked["with_results"]) == ("pool", True)
    document(capsys, "rate", source, "--min-decisions", 7)
    assert (asked["prior"], asked["with_results"]) == ("flat", False)
    monkeypatch.setattr(Study, "rate", original)
    assert "see assay results" in sentence(capsys, "rate", source, "--min-decisions", 7, "--with", "results")


def test_a_report_is_written_and_says_how_it_was_made(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    code, _, said = run(
        capsys, "rate", source, "--min-decisions", 7, "-p", "Ann", "-p", "Bob", "--report", page
    )
    assert code == 0
    assert f"the report is in {page}" in said
    text = page.read_text(encoding="utf-8")
    again = "assay rate decisions.parquet --player Ann --player Bob --min-decisions 7 --report report.html"
    assert again in text
    assert str(tmp_path) not in text  # paths are of one machine


def test_a_calibration_that_is_none(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "scale.npz"
    wrong.write_bytes(b"something else")
    assert "scale.npz" in sentence(capsys, "rate", source, "--calibration", wrong)


def test_it_says_what_it_does() -> None:
    assert (rate.__doc__ or "").startswith("Rate the players of some games")


def test_ratings_are_drawn_where_there_is_a_scale(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without one there is nothing to draw: no Elo-looking bars."""
    assert main(["rate", source, "--plot", str(tmp_path / "r.svg")]) == 2
    assert "no ratings to draw" in capsys.readouterr().err
    assert main(["rate", source, "--plot", str(tmp_path / "r.gif")]) == 2
    assert not list(tmp_path.iterdir())
