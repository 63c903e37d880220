"""Panel Research, as a user types it: backtests, and the papers' numbers."""

import json
from pathlib import Path

import pytest

from assay.cli import main
from examples.commands import document, printed, run


def test_backtest_prints_tables_and_writes_a_figure(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], tmp_path: Path
) -> None:
    figure = tmp_path / "calibration.html"
    arguments = ["backtest", files["all"], "--sets", 2, "--apart", 3, "--months", 3]
    code, out, _ = run(capsys, *arguments, "--plot", figure, "--details")
    assert code == 0
    for words in ("company", "month_rmse", "Paired differences", "earlier games", "Calibration", "seed 0"):
        assert words in out
    page = figure.read_text(encoding="utf-8")
    assert "as forecast" in page
    assert "http" not in page.replace("http-equiv", "").replace(
        "http://www.w3.org/2000/svg", ""
    )  # no network
    assert "company: uses who meets whom" in out
    assert "company-alone: settings tuned on months 1 to 100" in out
    assert "glicko2: " not in out
    code, out, _ = run(capsys, *arguments, "--models", "ferreira2010,colour", "--json", "--seed", 5)
    assert [note.split(":")[0] for note in json.loads(out)["notes"]] == ["ferreira2010"]
    found = json.loads(out)
    assert found["stamp"]["seed"] == 5
    assert {row["forecaster"] for row in found["rows"]} == {"ferreira2010", "colour"}
    code, out, err = run(capsys, *arguments, "--models", "company-alone,colour", "--csv")
    assert out.splitlines()[0].startswith("forecaster,split,games,log_loss")
    assert "company-alone: settings tuned" in err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--models", "colour,colour"], "two forecasters of one name"),
        (["--models", "nonsense"], "there is no model"),
        (["--sets", "20"], "too few months"),
        (["--least-games", "9999"], "ask for fewer splits"),
        (["--elo-k", "-1"], "K of Elo"),
        (["--elo-k", "nan"], "K of Elo"),
        (["--elo-k", "1e9"], "K of Elo"),
        (["--seed", "-1"], "--seed"),
        (["--plot", "/nowhere/at/all.html"], "there is no folder"),
        (["--plot", "calibration.gif"], "end its name in .svg, .html or .png"),
    ],
)
def test_backtest_refuses_what_cannot_be(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], more: list[str], words: str
) -> None:
    code, _, err = run(capsys, "backtest", files["all"], *more)
    assert code == 2
    assert words in err


def test_rows_for_programs_have_their_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--paper", "ferreira2012", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["kind"] for row in rows} == {"inference", "arithmetic"}
    assert main(["reproduce", "--paper", "ferreira2010", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "paper,item,kind,published,computed,tolerance,ok"


def test_matches(capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path) -> None:
    listed = tmp_path / "matches.csv"
    listed.write_text("first,second,year,actual\nAnn,Bob,2003,0.6\nBob,Ann,2004,0.55\nAnn,Bob,2005,0.5\n")
    methods = ("-m", "markov", "-m", "conformance")
    few = ("backtest", "matches", source, "--list", listed, "--resamples", 20, *methods)
    out = document(capsys, *few)
    assert [one["method"] for one in out["errors"]] == ["markov", "conformance", "half"]
    assert "Mean errors" in printed(capsys, *few)
    assert len(printed(capsys, *few, "--csv").splitlines()) == 4
    found = document(capsys, "backtest", "matches", source, "--found", "-m", "markov")
    assert found == {"matches": [], "errors": []}


def test_what_is_no_command_is_what_to_backtest(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path]
) -> None:
    few = (files["all"], "--models", "colour,constant", "--sets", 1, "--months", 3)
    assert document(capsys, "backtest", *few) == document(capsys, "backtest", "games", *few)
