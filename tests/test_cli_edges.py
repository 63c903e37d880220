"""The edges of the command line: nothing to show, repeated notes, files that are none, zeros."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command

from assay.cli import app, main
from assay.cli.gain_output import elo, number
from assay.cli.output import print_table
from assay.errors import InputError
from assay.models import BayesModel
from assay.models.apparent_skill import apparent_skill_by
from assay.report.skill_figures import density_figure
from assay.validation.splits import splits
from assay.workspace import Workspace
from decision_tables import make_decisions
from gain_examples import annotated_pgn
from result_games import simulated


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("edges") / "decisions.parquet"
    make_decisions(games=10, plies=80).write(path)
    return str(path)


@pytest.fixture(scope="module")
def opening(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Decisions that pass the rules of no method: all are of the opening."""
    path = tmp_path_factory.mktemp("edges") / "opening.parquet"
    made = make_decisions(games=2)
    made.take(np.flatnonzero(made.numbers("ply") < 8)).write(path)
    return str(path)


def commands(group: Any, *path: str) -> Iterator[tuple[str, set[str]]]:
    """Every command with its options."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *path, name)
        else:
            yield " ".join((*path, name)), {option for one in command.params for option in one.opts}


def sentence(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command that cannot do its work says: one sentence, and nothing on stdout."""
    assert main([str(one) for one in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("assay: ")
    assert said.err.count("\n") == 1
    return said.err


def test_json_and_csv_go_together() -> None:
    lacking = {
        name for name, options in commands(get_command(app)) if {"--json"} == options & {"--json", "--csv"}
    }
    assert not lacking


def test_players_and_positional_games_take_the_same_option() -> None:
    by_name = dict(commands(get_command(app)))
    for name in ("compare", "career", "forecast", "matches", "versus", "skill", "tournament", "choice fit"):
        assert {"--source", "-s", "--games"} <= by_name[name], name
    for name in ("backtest", "results fit", "results tune"):
        assert {"--source", "-s", "--games"} <= by_name[name], name
    assert {"--train", "--games"} <= by_name["results predict"]


def test_two_sources_are_refused_but_not_the_variable(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "two sources" in sentence(capsys, "conformance", source, "-s", "other.parquet")
    monkeypatch.setenv("ASSAY_WORKSPACE", "other.assay")
    assert main(["conformance", source]) == 0


@pytest.mark.parametrize("by", ["all", "player", "game", "year", "result"])
def test_skill_of_decisions_that_pass_no_rule(
    by: str, opening: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence(capsys, "skill", opening, "--by", by, "--figure", tmp_path / "figure.html")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_forecast(opening: str, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no method can forecast" in sentence(capsys, "forecast", "Ann@1990", "Bob", "-s", source)
    sentence(capsys, "forecast", "Ann@1990", "Bob", "-s", source, "-m", "markov")
    sentence(capsys, "forecast", "Ann", "Nobody", "-s", source, "--json")
    assert "can be forecast" in sentence(capsys, "matches", "-s", source, "-m", "markov")
    assert "can be forecast" in sentence(capsys, "matches", "-s", opening)


def test_equal_notes_of_matches_are_said_once(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "matches.csv"
    listed.write_text(
        "first,second,year,actual\nAnn,Bob,2003,0.6\nAnn,Zed,2003,0.5\nAnn,Zed,2004,0.5\nAnn,Zed,2002,1\n"
    )
    few = ("--resamples", "0", "-m", "markov", "-m", "conformance")
    assert main(["matches", "-s", source, "--list", str(listed), *few]) == 0
    (note,) = [line for line in capsys.readouterr().out.splitlines() if "Zed" in line and "here" in line]
    assert note.rstrip().endswith("(3 matches; all methods)")


@pytest.mark.parametrize("value", [-0.4, -0.0, 0.0, 0.4])
def test_zero_has_no_minus(value: float) -> None:
    assert elo(value) == "0"
    assert elo(value, signed=True) == "+0"
    assert str(number(value / 10_000, 1)) == "0.0"


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
    sentence(capsys, "matches", "--list", path, "-s", source)
    sentence(capsys, "compare", "A", "B", "-s", path)
    assert [one.name for one in tmp_path.iterdir()] == ["given"]


def test_a_failed_import_leaves_what_was_there(
    tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.pgn"
    bad.write_text("no chess here")
    workspace, folder = tmp_path / "old.assay", tmp_path / "folder"
    Workspace(workspace).import_games(examples)
    before = Workspace(workspace).status()
    sentence(capsys, "import", bad, "-w", workspace)
    assert Workspace(workspace).status() == before
    folder.mkdir()
    sentence(capsys, "import", bad, "-w", folder)
    assert list(folder.iterdir()) == []
    new = tmp_path / "new.assay"  # a file that failed beside one that did not
    sentence(capsys, "import", bad, examples / "tournament.pgn", "-w", new)
    assert Workspace(new).status()["games"] == 12


def test_another_writer_keeps_his_new_workspace(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pgn"
    bad.write_text("no chess here")
    workspace = Workspace(tmp_path / "new.assay")
    with workspace.writing():
        assert main(["import", str(bad), "-w", str(workspace.path)]) == 3
        assert (workspace.path / ".lock").is_file()


def test_parts_of_names_choose_games_to_analyse(tmp_path: Path, examples: Path) -> None:
    workspace = Workspace(tmp_path / "w.assay")
    workspace.import_games(examples / "game_of_the_century.pgn")
    assert workspace.find_players(["fischer"]) == ["Fischer, Robert James"]
    assert main(["analyse", "-w", str(workspace.path), "-p", "nobody", "--dry-run"]) == 2


def test_every_density_has_a_line_of_its_own() -> None:
    made = make_decisions(games=30)
    figure = density_figure(apparent_skill_by(BayesModel(), made, "player", "game_id"))
    styles = [(trace.line.color, trace.line.dash) for trace in figure.data]
    assert len(styles) > 20
    assert len(set(styles)) == len(styles)


def test_live_as_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.pgn"
    game.write_text(annotated_pgn())
    printed = []
    for more in ((), ("--follow",)):
        assert main(["live", str(game), "--from-comments", "--csv", *more]) == 0
        printed.append(capsys.readouterr().out.splitlines())
    assert printed[0] == printed[1]
    assert printed[0][0].startswith("ply,player,move")
    assert len(printed[0]) == 83


def test_compare_as_csv_is_seen_from_both_sides(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "Ann", "Bob", "-s", source, "--csv"]) == 0
    head, *lines = (line.split(",") for line in capsys.readouterr().out.splitlines())
    ann, bob = (dict(zip(head, line, strict=True)) for line in lines)
    assert float(ann["expectation"]) + float(bob["expectation"]) == pytest.approx(1)
    assert float(ann["low"]) + float(bob["high"]) == pytest.approx(1)
    assert float(ann["difference_low"]) == -float(bob["difference_high"])


def test_too_much_for_the_memory_is_one_sentence(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("assay.study.Study.decisions", fill)
    assert main(["skill", source]) == 3
    assert "not enough memory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "Ann", "Bob", "--limit", "1000000000"),
        ("forecast", "Ann", "Bob", "--resamples", "1000000000"),
    ],
    ids=" ".join,
)
def test_numbers_beyond_sense_are_refused_before_the_work(
    arguments: tuple[str, ...], source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "-s", source]) == 2
    assert "Invalid value" in capsys.readouterr().err


def test_spare_columns_go_where_the_page_is_narrow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ("Ann", *("x" * 30 for _ in range(3)))
    for width, left_out in (("200", ""), ("80", "No room here for c: see")):
        monkeypatch.setenv("COLUMNS", width)
        print_table("t", ("player", "a", "b", "c"), [row], spare=2)
        out = capsys.readouterr().out
        assert left_out in out
        assert ("No room" in out) == bool(left_out)


def test_a_billion_splits_are_refused_at_once() -> None:
    games, _ = simulated(players=4, games=60, months=12)
    with pytest.raises(InputError, match="too few months"):
        splits(games, 10**9)
