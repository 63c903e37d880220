import csv
import json
from pathlib import Path

import numpy as np
import pytest

from examples.commands import run
from examples.result_games import HEADER

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


@pytest.mark.parametrize("model", ["company", "company-alone", "elo-normal", "glicko2", "colour"])
def test_predict_with_other_models(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], model: str
) -> None:
    code, out, _ = predict(capsys, files, "--model", model, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["model"] == model
    assert found["games_forecast"] == len(files["out"].read_text().splitlines()) - 1


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
        (["--model", "company", "--beta", BETA], "belongs to the model ferreira2010"),
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"Month #","White Player #","Score"\n1,2,1\n', "lacks the column 'Black Player #'"),
        (f"{HEADER}\n1,2,3,0.25\n", "must be 0, 0.5 or 1"),
        (f"{HEADER}\n1,2,2,1\n", "against themselves"),
        (f"{HEADER}\n9,2,3,1\n8,2,3,1\n", "order of months"),
        ("", "is empty"),
    ],
)
def test_bad_training_files_are_refused(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], text: str, words: str
) -> None:
    files["train"].write_text(text)
    code, _, err = predict(capsys, files)
    assert code == 2
    assert words in err
    assert not files["out"].exists()


def test_a_csv_is_known_by_its_first_line(capsys: pytest.CaptureFixture[str], files: dict[str, Path]) -> None:
    files["train"] = files["train"].rename(files["train"].with_suffix(".txt"))
    assert predict(capsys, files)[0] == 0


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
    assert run(capsys, *arguments, "--model", "elo-normal")[0] == 2
    assert run(capsys, *arguments, "--precision", 0)[0] == 2


def test_tune_the_company_model(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.results.company._SEARCHED", ("pull",))  # the others take as long
    code, out, _ = run(
        capsys,
        *("results", "tune", files["all"], "--model", "company-alone", "--sets", 2, "--apart", 3),
        *("--months", 3, "--precision", 0.5, "--json"),
    )
    assert code == 0
    assert json.loads(out)["settings"]["schedule"] == 0.0


def test_pgn_and_workspace_give_the_same(
    capsys: pytest.CaptureFixture[str], examples: Path, tmp_path: Path
) -> None:
    pgn = examples / "tournament.pgn"
    workspace = tmp_path / "w.assay"
    assert run(capsys, "import", pgn, "-w", workspace)[0] == 0
    from_pgn = run(capsys, "results", "fit", pgn, "--json")
    from_workspace = run(capsys, "results", "fit", workspace, "--json")
    assert from_pgn[0] == 0
    assert from_pgn[1] == from_workspace[1]
    assert np.isfinite([row["strength"] for row in json.loads(from_pgn[1])["players"]]).all()


def test_pgn_without_results_can_be_forecast(
    capsys: pytest.CaptureFixture[str], examples: Path, tmp_path: Path
) -> None:
    pairing = tmp_path / "next.pgn"
    pairing.write_text(
        '[Event "next"]\n[Site "?"]\n[Date "2030.01.05"]\n[Round "1"]\n[White "=Agent 2500"]\n'
        '[Black "Agent 1600"]\n[Result "*"]\n\n1. e4 *\n'
    )
    out = tmp_path / "predictions.csv"
    code, _, err = run(
        capsys,
        *("results", "predict", "--train", examples / "tournament.pgn", "--games", pairing, "--out", out),
    )
    assert code == 0, err
    row = list(csv.reader(out.read_text().splitlines()))[1]
    assert row[2] == "Agent 1600"
    assert row[1].startswith("'=")  # a name must not become a formula in a spreadsheet
