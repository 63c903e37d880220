"""What all commands have in common: how sources and players are named, CSV, absurd numbers, small pages."""

import csv
import inspect
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from assay.answers.answer import Rows
from assay.answers.documents import DOCUMENTS
from assay.cli import app, main
from assay.cli.options import command as made_command
from assay.cli.options import games_and_players
from assay.errors import InputError
from assay.testing import make_decisions
from assay.workspace import Workspace
from examples import SIMULATED
from examples.commands import document, name_of_document, run, sentence
from examples.gain_examples import annotated_pgn

ROOT = Path(__file__).resolve().parents[2]


PLAYERS = ("Fischer, Robert J", "Spassky, Boris V")


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("commands") / "games.parquet"
    make_decisions(games=8, plies=60, players=PLAYERS).write(path)
    return path


COMMANDS = (
    ["rate"],
    ["tournament"],
    ["method", "bayes", "--by", "player"],
    ["method", "choice"],
    ["method", "conformance"],
    ["method", "gain"],
    ["method", "markov"],
    ["versus", "--min-moves", "1"],
    ["compare", "fischer", "spassky"],
    ["career", "fischer"],
    ["forecast", "fischer", "spassky"],
)


def with_games(command: list[str], games: Path) -> list[str]:
    """The command with its games, which stand behind its name."""
    names = 2 if command[0] == "method" else 1
    return [*command[:names], str(games), *command[names:]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_table_has_csv(command: list[str], decisions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*with_games(command, decisions), "--csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) > 1
    assert {len(row) for row in rows} == {len(rows[0])}
    assert "-0" not in {cell for row in rows for cell in row}


def test_a_part_of_a_name_does(decisions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["method", "bayes"], ["rate"]):
        found = {}
        for name in ("fischer", PLAYERS[0]):
            assert main([*command, str(decisions), "--player", name, "--json"]) == 0
            found[name] = capsys.readouterr().out
        assert len(set(found.values())) == 1
    assert main(["method", "bayes", str(decisions), "--player", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["method", "choice", "{}", "--c", "-1"],
        ["method", "choice", "{}", "--c", "nan"],
        ["tournament", "{}", "--limit", "0"],
        ["tournament", "{}", "--resamples", "-5"],
        ["method", "covariance", "{}", "--n0", "1000000000"],
        ["rate", "{}", "--min-decisions", "-1"],
        ["forecast", "{}", "fischer@1900", "spassky@1900"],
        ["method", "bayes", "{}", "--band", "1:2"],
    ],
    ids=" ".join,
)
def test_absurd_use_is_one_sentence(
    arguments: list[str], decisions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([one.format(decisions) for one in arguments]) == 2
    assert "Traceback" not in capsys.readouterr().err


def commands(group: Any, *path: str) -> Iterator[tuple[str, set[str]]]:
    """Every command with its options."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *path, name)
        else:
            yield " ".join((*path, name)), {option for one in command.params for option in one.opts}


@pytest.mark.parametrize("name", sorted(name for name, _ in commands(get_command(app))))
def test_help_begins_with_an_example_and_every_option_has_a_word(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main([*name.split(), "--help"]) == 0
    out = capsys.readouterr().out
    usage, example = [line.strip() for line in out.splitlines() if line.strip()][:2]
    assert usage.startswith("Usage: assay ")
    assert example.startswith(f"$ assay {name.replace('backtest games', 'backtest')}")
    assert "<bool>" not in out
    found: Any = get_command(app)
    for part in name.split():
        found = found.commands[part]
    assert all(option.help for option in found.params)


def test_json_and_csv_go_together() -> None:
    lacking = {
        name for name, options in commands(get_command(app)) if {"--json"} == options & {"--json", "--csv"}
    }
    assert not lacking


def test_every_json_document_has_a_schema() -> None:
    prints = [name for name, options in commands(get_command(app)) if "--json" in options]
    assert {name_of_document(*name.split()) for name in prints} == set(DOCUMENTS)


def test_no_option_has_two_spellings() -> None:
    """One word for one thing, in every command; games are an argument, but for those to forecast."""
    by_name = dict(commands(get_command(app)))
    retired = {"--source", "-s", "--figure", "--players", "--from-comments", "--fewest", "--annotations"}
    for name, options in by_name.items():
        assert not options & retired, name
        assert name == "results predict" or not options & {"--games", "--train"}, name


def test_two_workspaces_are_refused_but_not_the_variable(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "w.assay"
    Workspace(place).import_games(SIMULATED)
    assert "a workspace already" in sentence(capsys, "status", place, "-w", tmp_path / "other.assay")
    monkeypatch.setenv("ASSAY_WORKSPACE", "other.assay")
    assert main(["method", "conformance", source]) == 0


@pytest.mark.parametrize("what", ["folder", "noise", "empty"])
def test_files_that_are_none(
    what: str, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "given"
    if what == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"\xad\xff\x00noise" if what == "noise" else b"")
    sentence(capsys, "live", path)
    sentence(capsys, "backtest", "matches", source, "--list", path)
    sentence(capsys, "compare", path, "A", "B")
    assert [one.name for one in tmp_path.iterdir()] == ["given"]


def test_an_answer_is_printed_and_its_exit_code_is_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    @made_command()
    def answer(exit_code: int = 0) -> Rows:
        return Rows("t", [{"a": 1}], exit_code=exit_code)

    assert list(inspect.signature(answer).parameters) == ["exit_code", "json", "csv"]
    answer(exit_code=0, json=False, csv=True)
    assert capsys.readouterr().out == "a\n1\n"
    with pytest.raises(typer.Exit) as ended:
        answer(exit_code=3, json=True, csv=False)
    assert ended.value.exit_code == 3
    assert json.loads(capsys.readouterr().out) == [{"a": 1}]


def test_the_first_word_is_the_games_where_there_are_such(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.touch()
    assert games_and_players([str(games), "Ann"]) == (games, ["Ann"])
    assert games_and_players([str(tmp_path), "Ann", "Bob"], 2) == (tmp_path, ["Ann", "Bob"])
    assert games_and_players(["-", "Ann"]) == (Path("-"), ["Ann"])
    assert games_and_players(["Ann", "Bob"], 2) == (None, ["Ann", "Bob"])
    assert games_and_players(["Ann"]) == (None, ["Ann"])


@pytest.mark.parametrize(
    ("given", "number", "said"),
    [
        (["GAMES"], None, "name a player after the games"),
        (["GAMES", "Ann"], 2, "name 2 players after the games, not 1"),
        (["Ann"], 2, "name 2 players after the games, not 1"),
        (["gmaes.pgn", "Ann", "Bob"], 2, "not 3; there is no file or folder gmaes.pgn"),
        (["GAMES", "Ann", "Bob", "Cid"], 2, "not 3$"),
        (["Ann", "Bob", "GAMES"], 2, "games come before players: assay ... .*games.pgn Ann Bob$"),
        (["Ann", "GAMES"], None, "games come before players"),
    ],
)
def test_words_that_do_not_make_games_and_players(
    given: list[str], number: int | None, said: str, tmp_path: Path
) -> None:
    games = tmp_path / "games.pgn"
    games.touch()
    with pytest.raises(InputError, match=said):
        games_and_players([str(games) if one == "GAMES" else one for one in given], number)


@pytest.mark.parametrize("command", [("rate",), ("method", "gain"), ("tournament",)])
def test_evaluations_of_the_engine_or_of_the_file(
    command: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = tmp_path / "game.pgn"
    game.write_text(annotated_pgn())
    # No engine is named, and there is none on this machine: auto takes those of the file.
    monkeypatch.delenv("ASSAY_ENGINE", raising=False)
    monkeypatch.setattr("assay.engine.engines._program", lambda _: None)
    found = [
        document(capsys, *command, game, "--evaluations", evaluations) for evaluations in ("file", "auto")
    ]
    assert found[0] == found[1]
    code, out, err = run(capsys, *command, game, "--evaluations", "engine")
    assert (code, out) == (3, "")
    assert "no chess engine found" in err


@pytest.mark.parametrize("name", ["absent.pgn", "absent.parquet", "absent.assay"])
def test_games_that_are_not_there(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (("rate",), ("status",), ("method", "gain"), ("analyse",)):
        assert name in sentence(capsys, *command, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_source_without_a_workspace_says_what_it_is(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (("status",), ("analyse",), ("export", "games")):
        assert "give a PGN file or a workspace" in sentence(capsys, *command, source)
