import json
from pathlib import Path

import pytest

from assay.cli import main
from examples.pupil_games import pupil_games


@pytest.fixture(scope="module")
def pupil(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("lessons") / "pupil.parquet"
    pupil_games(6).write(path)
    return str(path)


def test_a_lesson_as_text_and_pgn(
    pupil: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pgn = tmp_path / "lesson.pgn"
    assert main(["lesson", pupil, "-p", "pupil", "--positions", "4", "--pgn", str(pgn)]) == 0
    out = capsys.readouterr().out
    words = " ".join(out.split())
    assert "Pupil, Pat: positions worth an hour" in words
    assert "of 100 players of that rating" in words
    assert "Accuracy" in words
    assert "Among others" in words
    assert "active players with a FIDE rating" in words
    assert pgn.read_text().count("[Event ") == 4
    tables = [line for line in out.splitlines() if "/" not in line]  # a FEN is as long as it is
    assert max(map(len, tables)) <= 80


def test_a_lesson_for_programs(pupil: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", pupil, "-p", "pupil", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["player"] == "Pupil, Pat"
    assert {"kind", "fen", "played_san", "better_san", "lost", "of_100", "of_100_next"} <= set(
        found["positions"][0]
    )
    assert set(found["against_expectation"]["accuracy_of"]) == {"1500", "2000", "2500"}
    accuracy = found["percentiles"]["accuracy"]
    assert accuracy["value"] == pytest.approx(found["against_expectation"]["accuracy"], abs=0.01)
    assert accuracy["low"] <= accuracy["better_than"] <= accuracy["high"]


def test_progress_needs_months(pupil: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["progress", pupil, "-p", "pupil"]) == 2  # decisions know years only
    assert "date with its month" in " ".join(capsys.readouterr().err.split())


def test_nobody_of_that_name(pupil: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", pupil, "-p", "zzz"]) == 2
    assert capsys.readouterr().err.startswith("assay: ")
