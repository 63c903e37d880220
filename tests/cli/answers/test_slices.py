"""Slices for people and for programs."""

import csv
import io
import json
from pathlib import Path

import pytest

from assay.cli import main
from examples.commands import run
from examples.pupil_games import pupil_games


@pytest.fixture(scope="module")
def pupil(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("answers") / "pupil.parquet"
    pupil_games(8).write(path)
    return str(path)


def test_json_has_parts_as_rate_has_them(pupil: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", pupil, "--by", "phase", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["by"] == "phase"
    assert found["compared_with_others"] is True
    whole, *parts = [one for one in found["players"] if one["player"] == "Pupil, Pat"]
    assert whole["part"] == ""
    assert whole["difference"] is None
    for one in parts:
        assert one["part"] in ("opening", "middlegame", "endgame")
        assert set(one["difference"]) == {"elo", "low", "high", "against_rest", "p"}
        assert one["combined"]["elo"] == pytest.approx(
            whole["combined"]["elo"] + one["difference"]["elo"], abs=0.11
        )
    assert set(found["sentences"]) == {"Pupil, Pat", "Rival, Ray"}


def test_another_word_for_the_same(pupil: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", pupil, "--by", "piece-count", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["part"] for row in rows} <= {"", "32 to 25 men", "24 to 17 men", "16 to 9 men", "8 to 2 men"}
    assert rows[0]["elo"]
    assert rows[1]["difference_elo"]


def test_the_table_fits_and_says_what_was_compared(
    pupil: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["rate", pupil, "--by", "colour"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "  white" in out
    words = " ".join(out.split())
    assert "Pupil, Pat: " in words
    assert "players of the same rating" in words
    assert out.count("player, colour") == 1  # the table was not cut in two


def test_bad_words_and_games_without_what_is_asked(pupil: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", pupil, "--by", "moon"]) == 2
    capsys.readouterr()
    assert main(["rate", pupil, "--by", "opening"]) == 2
    assert "nothing to cut by opening" in " ".join(capsys.readouterr().err.split())


def test_a_report_and_slices_at_once(pupil: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "rate", pupil, "--by", "phase", "--report", str(tmp_path / "r.html"))
    assert "</html>" in (tmp_path / "r.html").read_text()
