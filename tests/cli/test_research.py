"""Panel Research, as a user types it: backtests, and the papers' numbers."""

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.cli import main
from assay.engine.engines import EngineConfig
from examples import SIMULATED
from examples.commands import document, exit_code, printed, run, sentence
from examples.result_games import HEADER


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
    assert (
        capsys.readouterr().out.splitlines()[0] == "paper,item,kind,published,expected,computed,tolerance,ok"
    )


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


BETA = "8.389310,0.455593,1.681413,0.012007,7.444683"


def predict(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], *more: object
) -> tuple[int, str, str]:
    return run(
        capsys,
        "results",
        "predict",
        "--train",
        files["train"],
        "--games",
        files["test"],
        "--out",
        files["out"],
        *more,
    )


def test_predict_writes_the_competitions_format(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path]
) -> None:
    code, out, _ = predict(capsys, files, "--beta", BETA)
    assert code == 0
    assert "games forecast" in out
    given, written = (files[name].read_text().splitlines() for name in ("test", "out"))
    assert written[0] == HEADER
    assert [line.rsplit(",", 1)[0] for line in written] == [line.rsplit(",", 1)[0] for line in given]
    values = [float(row[3]) for row in list(csv.reader(written))[1:]]
    assert all(0 < value < 1 for value in values)


def test_predict_measures_itself_where_results_are_known(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path]
) -> None:
    predict(capsys, files)
    blind = files["out"].read_text()
    files["test"] = files["solved"]
    _, out, _ = predict(capsys, files, "--json")
    assert 0 < json.loads(out)["month_rmse"] < 2
    assert files["out"].read_text() == blind  # and does not look at them


def test_unknown_players_are_counted_and_said(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path]
) -> None:
    files["test"].write_text(f"{HEADER}\n25,1,999,\n25,998,999,\n")
    code, out, err = predict(capsys, files, "--json")
    assert code == 0
    assert json.loads(out)["unknown_players"] == 2
    assert "2 players have no earlier games and are forecast from the prior: 998, 999." in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--beta", "1,2"], "five numbers"),
        (["--beta", "a,b,c,d,e"], "five numbers"),
        (["--beta", "1,2,1,0.5,1"], "between 0 and 1"),
        (["--model", "nonsense"], "there is no model 'nonsense'"),
        (["--model", "company", "--beta", BETA], "without the model ferreira2010"),
        (["--out", "/nowhere/at/all.csv"], "there is no folder"),
        (["--out", "/"], "is a folder"),
        (["--train", "missing.csv"], "missing.csv does not exist"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], arguments: list[str], words: str
) -> None:
    code, out, err = predict(capsys, files, *arguments)
    assert code == 2
    assert out == ""
    assert words in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_a_forecast_must_come_before_its_game(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path]
) -> None:
    files["test"] = files["all"]
    code, _, err = predict(capsys, files)
    assert code == 2
    assert "a forecast must come before its game" in err


def test_fit_lists_the_strongest(capsys: pytest.CaptureFixture[str], files: dict[str, Path]) -> None:
    code, out, _ = run(capsys, "results", "fit", files["all"], "--limit", 3, "--json")
    assert code == 0
    found = json.loads(out)
    strengths = [row["strength"] for row in found["players"]]
    assert len(strengths) == 3
    assert strengths == sorted(strengths, reverse=True)
    assert found["games"] == 900
    code, out, _ = run(capsys, "results", "fit", files["all"], "--model", "company", "--csv", "--limit", 0)
    assert code == 0
    assert len(out.splitlines()) == 1 + 20
    assert run(capsys, "results", "fit", files["all"])[1].count("\n") > 20
    assert run(capsys, "results", "fit", files["all"], "--model", "colour")[0] == 2


def test_tune_prints_settings_for_predict(capsys: pytest.CaptureFixture[str], files: dict[str, Path]) -> None:
    arguments = ["results", "tune", files["all"], "--sets", 1, "--months", 3, "--precision", 0.4]
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    beta = out.strip().splitlines()[-1].removeprefix("--beta ")
    assert predict(capsys, files, "--beta", beta)[0] == 0
    code, out, _ = run(capsys, *arguments, "--json", "--history", 12)
    assert json.loads(out)["sets"] == ["10-21/22-24"]
    assert run(capsys, *arguments, "--precision", 0)[0] == 2


def test_pgn_and_workspace_give_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn = SIMULATED
    workspace = tmp_path / "w.assay"
    assert run(capsys, "import", pgn, "-w", workspace)[0] == 0
    from_pgn = run(capsys, "results", "fit", pgn, "--json")
    from_workspace = run(capsys, "results", "fit", workspace, "--json")
    assert from_pgn[0] == 0
    assert from_pgn[1] == from_workspace[1]
    assert np.isfinite([row["strength"] for row in json.loads(from_pgn[1])["players"]]).all()


def test_pgn_without_results_can_be_forecast(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pairing = tmp_path / "next.pgn"
    pairing.write_text(
        '[Event "next"]\n[Site "?"]\n[Date "2030.01.05"]\n[Round "1"]\n[White "=Agent 2500"]\n'
        '[Black "Agent 1600"]\n[Result "*"]\n\n1. e4 *\n'
    )
    out = tmp_path / "predictions.csv"
    code, _, err = run(
        capsys,
        *("results", "predict", "--train", SIMULATED, "--games", pairing, "--out", out),
    )
    assert code == 0, err
    row = list(csv.reader(out.read_text().splitlines()))[1]
    assert row[2] == "Agent 1600"
    assert row[1].startswith("'=")  # a name must not become a formula in a spreadsheet


# `assay agent`, as a user types it.


def test_explain_prints_probabilities(
    capsys: pytest.CaptureFixture[str], scripted: Callable[..., EngineConfig]
) -> None:
    options = ["agent", "--explain", "startpos", "--elo", 1900, "--engine", scripted().path]
    out = " ".join(printed(capsys, *options).split())
    assert "1900 1500 2000 2500" in out
    assert "other moves" in out
    assert "No calibration of Scripted 1" in out
    moves = document(capsys, *options)["moves"]
    assert len(moves) == 20
    assert sum(one["probability"]["1900"] for one in moves) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--explain", "banana"], "this is not a position"),
        (["--explain", "startpos", "--elo", "900"], "1000 to 2800"),
        (["--player", "Tal"], "go with --save"),
        (["--save", "tal.npz"], "needs a workspace, GAMES, and --player"),
        (["nowhere", "--save", "tal.npz", "--player", "Tal"], "nowhere"),
    ],
)
def test_wrong_use_is_one_sentence(
    capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert words in sentence(capsys, "agent", *options)


def test_without_options_it_speaks_uci_with_the_engine_that_is_named(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    scripted: Callable[..., EngineConfig],
) -> None:
    monkeypatch.setattr("assay.agent.main._read_and_leave", lambda loop, lines: loop.read(lines))
    monkeypatch.setattr(sys, "stdin", io.StringIO("uci\nisready\n"))
    assert exit_code("agent", "--engine", scripted().path, "--recipe", "quick") == 0
    out = capsys.readouterr().out
    assert out.endswith("readyok\n")
    assert "no calibration of Scripted 1 with quick" in out


def test_a_players_profile_is_saved_for_the_engine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, shared_data: Callable[[str], Path]
) -> None:
    path = tmp_path / "player.npz"
    games = shared_data("analysed/mileposts-standard")
    assert "200 decisions or more" in sentence(capsys, "agent", games, "--save", path, "--player", "Anand")
    assert not path.exists()


def test_predict_with_another_model(capsys: pytest.CaptureFixture[str], files: dict[str, Path]) -> None:
    code, out, _ = predict(capsys, files, "--model", "company", "--json")
    assert code == 0
    assert json.loads(out)["model"] == "company"
    assert json.loads(out)["games_forecast"] == len(files["out"].read_text().splitlines()) - 1
