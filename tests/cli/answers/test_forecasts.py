"""What `assay forecast` and `assay backtest matches` answer."""

from pathlib import Path

import pytest

from assay.answers.ratings import Forecast
from assay.cli import main
from assay.cli.answers.forecasts import ForecastsAnswer
from assay.cli.answers.forecasts import sentence as reason_of
from examples.commands import document, printed, run, sentence


def test_nothing_to_forecast(opening: str, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no method can forecast" in sentence(capsys, "forecast", source, "Ann@1990", "Bob")
    sentence(capsys, "forecast", source, "Ann@1990", "Bob", "-m", "markov")
    sentence(capsys, "forecast", source, "Ann", "Nobody", "--json")
    assert "can be forecast" in sentence(capsys, "backtest", "matches", source, "-m", "markov")
    assert "can be forecast" in sentence(capsys, "backtest", "matches", opening)


def test_equal_notes_of_matches_are_said_once(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "matches.csv"
    listed.write_text(
        "first,second,year,actual\nAnn,Bob,2003,0.6\nAnn,Zed,2003,0.5\nAnn,Zed,2004,0.5\nAnn,Zed,2002,1\n"
    )
    few = ("--resamples", "0", "-m", "markov", "-m", "conformance")
    assert main(["backtest", "matches", source, "--list", str(listed), *few]) == 0
    (note,) = [line for line in capsys.readouterr().out.splitlines() if "Zed" in line and "here" in line]
    assert note.rstrip().endswith("(3 matches; all methods)")


def test_forecast(capsys: pytest.CaptureFixture[str], source: str) -> None:
    out = document(capsys, "forecast", source, "Ann@2003", "Bob", "--resamples", 20)
    assert {"conformance", "covariance", "markov"} <= {row["method"] for row in out["forecasts"]}
    assert out["notes"]
    assert "Ann@2003 against Bob" in printed(capsys, "forecast", source, "Ann@2003", "Bob", "-m", "markov")
    code, _, said = run(capsys, "forecast", source, "Ann@1990", "Bob")
    assert code == 2
    assert "2000-2004" in said


def test_the_reason_that_most_methods_give() -> None:
    notes = ["gain: no games", "markov: too few", "bayes: too few"]
    assert reason_of("no forecast", notes) == "no forecast: too few"
    assert reason_of("no forecast", []) == "no forecast"


def test_what_a_method_does_not_know_is_null() -> None:
    answer = ForecastsAnswer("Ann", "Bob", [Forecast("gain", 0.6, notes=("rough",))], ["markov: none"])
    assert answer.document()["forecasts"][0] == {
        "method": "gain",
        "expectation": 0.6,
        **dict.fromkeys(("low", "high", "win", "draw", "loss")),
    }
    assert answer.remarks == ["gain: rough; markov: none"]
    (table,) = answer.tables()
    assert list(table.rows) == [("gain", "60", "", "", "", "")]
