"""What `assay career` and `assay versus` answer."""

import math
from pathlib import Path

import pytest

from assay.cli.answers.careers import CareersAnswer
from examples.commands import document, exit_code, printed


def test_a_career_fits_a_small_page(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert exit_code("career", source, "Ann") == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "No room here for" in text


def test_career(capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path) -> None:
    figure = tmp_path / "career.html"
    rows = document(capsys, "career", source, "Ann", "--plot", figure)
    assert [row["year"] for row in rows] == [2000, 2001, 2002, 2003, 2004]
    assert "<title>Ann, 2003: " in figure.read_text(encoding="utf-8")
    assert "too few moves" in printed(capsys, "career", source, "Ann", "Bob")
    assert printed(capsys, "career", source, "Ann", "--csv").startswith("player,year,games")


def test_versus(capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path) -> None:
    figure = tmp_path / "versus.html"
    few = (source, "--min-moves", 10)
    out = document(capsys, "versus", *few, "--plot", figure)
    assert len(out["names"]) == 2
    assert figure.is_file()
    assert "years with enough moves, of 2 players" in printed(
        capsys, "versus", *few, "-m", "covariance", "--white"
    )
    csv = printed(capsys, "versus", *few, "--csv", "--every-year", "--years", "2001,2003-2004")
    assert len(csv.splitlines()) == 7
    assert exit_code("versus", *few, "--years", "then") == 2
    assert exit_code("versus", *few, "-m", "guess") == 2


def test_ratings_of_a_year_are_columns() -> None:
    row = {
        "player": "Ann",
        "year": 2001,
        "games": 2.0,
        "decisions": 40.0,
        "active": False,
        "notes": ["a note"],
    }
    numbers = {"conformance_0": 0.5, "conformance": math.nan}
    rating = {"elo": 2400.4, "low": 2300.0, "high": 2500.0}
    answer = CareersAnswer({"Ann": [{**row, **numbers, "ratings": {"combined": rating}}]})
    (flat,) = answer.rows()
    assert (flat["elo_combined"], flat["low_combined"], flat["conformance"]) == (2400.4, 2300.0, None)
    assert not {"ratings", "notes"} & set(flat)
    (table,) = answer.tables()
    (cells,) = table.rows
    assert list(cells)[:4] == ["2001 *", 2, 40, "2400 (2300 to 2500)"]
    assert "too few moves (--min-moves): 1 of 1 years" in table.note
    assert "a note" in table.note
