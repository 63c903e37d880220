"""What all commands have in common: how sources and players are named, CSV, absurd numbers, small pages."""

import csv
import io
import json
from pathlib import Path

import pytest

from assay.cli import main
from decision_tables import make_decisions

PLAYERS = ("Fischer, Robert J", "Spassky, Boris V")


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("commands") / "games.parquet"
    make_decisions(games=8, plies=60, players=PLAYERS).write(path)
    return path


@pytest.mark.parametrize("command", ["tournament", "skill", "conformance", "rate"])
def test_a_source_is_positional(command: str, decisions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(decisions), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("option", ["--source", "-s", "--games"])
def test_or_an_option(option: str, decisions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["compare", "fischer", "spassky"], ["career", "fischer"], ["skill"]):
        assert main([*command, option, str(decisions), "--json"]) == 0, command
        assert json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "command",
    [
        ["rate"],
        ["tournament"],
        ["skill", "--by", "player"],
        ["choice", "fit"],
        ["conformance"],
        ["versus", "--min-moves", "1"],
        ["compare", "fischer", "spassky", "-s"],
        ["career", "fischer", "-s"],
        ["forecast", "fischer", "spassky", "-s"],
    ],
    ids=lambda command: command[0],
)
def test_every_table_has_csv(command: list[str], decisions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, str(decisions), "--csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) > 1
    assert {len(row) for row in rows} == {len(rows[0])}
    assert "-0" not in {cell for row in rows for cell in row}


def test_a_part_of_a_name_does(decisions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("skill", "rate"):
        found = {}
        for name in ("fischer", PLAYERS[0]):
            assert main([command, str(decisions), "--player", name, "--json"]) == 0
            found[name] = capsys.readouterr().out
        assert len(set(found.values())) == 1
    assert main(["skill", str(decisions), "--player", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["choice", "fit", "{}", "--c", "-1"],
        ["choice", "fit", "{}", "--c", "nan"],
        ["tournament", "{}", "--limit", "0"],
        ["tournament", "{}", "--resamples", "-5"],
        ["covariance", "{}", "--n0", "1000000000"],
        ["rate", "{}", "--min-decisions", "-1"],
        ["forecast", "fischer@1900", "spassky@1900", "-s", "{}"],
        ["skill", "{}", "--band", "1:2"],
    ],
    ids=" ".join,
)
def test_absurd_use_is_one_sentence(
    arguments: list[str], decisions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([one.format(decisions) for one in arguments]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_comments_that_are_not_there(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", str(examples / "game_of_the_century.pgn"), "--from-comments"]) == 2
    assert "no evaluations in its comments" in capsys.readouterr().err


def test_a_career_fits_a_small_page(
    decisions: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["career", "fischer", "-s", str(decisions)]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "No room here for" in text
