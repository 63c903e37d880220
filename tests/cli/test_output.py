"""What commands print: files that a user names, tables that fit, progress, questions before long work."""

import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import rich.console

from assay.answers.answer import Rows, Words, drawn
from assay.cli import main, output
from assay.cli.output import (
    Piece,
    analysing,
    bar,
    cell_length,
    close,
    lay_out,
    print_table,
    write_text,
)
from assay.engine.recipe import NAMED
from assay.errors import InputError, MachineError
from assay.files import check_writable
from examples import SIMULATED
from examples.gain_examples import annotated_pgn


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing/page.html", "no folder"),
        ("file/page.html", "no folder"),
        (".", "is a folder"),
        ("n" * 254, "cannot be written"),
    ],
)
def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=words):
        write_text(tmp_path / name, "text")
    assert names(tmp_path) == ["file"]


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(MachineError, match="choose another place"):
        check_writable(tmp_path / "page.html")


@pytest.mark.parametrize(
    "command",
    [
        ("career", "GAMES", "Ann", "--plot"),
        ("versus", "GAMES", "--plot"),
        ("method", "bayes", "GAMES", "--plot"),
        ("method", "choice", "GAMES", "--by", "milepost", "--plot"),
        ("live", "GAME", "--evaluations", "file", "--plot"),
    ],
)
def test_commands_look_before_the_work(
    command: tuple[str, ...],
    source: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def work(*_arguments: object) -> None:
        raise AssertionError("the work was begun")

    monkeypatch.setattr("assay.study.Study.decisions", work)
    monkeypatch.setattr("assay.live.game.read_game", work)
    game = tmp_path / "game.pgn"
    game.write_text(annotated_pgn())
    named = {"GAMES": source, "GAME": str(game)}
    arguments = [named.get(word, word) for word in command]
    assert main([*arguments, str(tmp_path / "missing" / "page.html")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("assay: there is no folder")
    assert err.count("\n") == 1


def test_spare_columns_go_where_the_page_is_narrow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ("Ann", *("x" * 30 for _ in range(3)))
    for width, left_out in (("200", ""), ("80", "No room here for c: see")):
        monkeypatch.setenv("COLUMNS", width)
        print_table(Words("t", ("player", "a", "b", "c"), [row], spare=2))
        out = capsys.readouterr().out
        assert left_out in out
        assert ("No room" in out) == bool(left_out)


# Tables on a page: words whole, numbers whole, nothing left out.


def width_of(piece: Piece) -> int:
    return sum(piece.widths) + 2 * (len(piece.widths) - 1)


def test_headings_and_prose_are_wrapped_at_words_before_a_table_is_split() -> None:
    prose = "the quick brown fox jumps over the lazy dog, again and again"
    (piece,) = lay_out(("player", "number of games", "meaning"), [("Ann", "12", prose)], 50)
    assert width_of(piece) <= 50
    assert piece.widths[0] == len("player")
    assert piece.widths[1] >= len("number")
    assert piece.widths[2] >= 24


def test_a_cross_table_repeats_numbers_and_names() -> None:
    headings = ("", "player", *map(str, range(1, 31)))
    rows = [(str(n), f"Player {n}", *["50"] * 30) for n in range(1, 31)]
    pieces = lay_out(headings, rows, 80)
    assert len(pieces) > 1
    assert all(piece.columns[:2] == (0, 1) for piece in pieces)


def test_a_word_that_no_page_can_hold_is_folded() -> None:
    pieces = lay_out(("check", "found"), [("folder", "x" * 200)], 80)
    assert [width_of(piece) for piece in pieces] == [80]


@pytest.mark.parametrize(("text", "length"), [("", 0), ("棋士", 4), ("e\u0301", 1), ("(1)\n0.55\n+30", 4)])
def test_places_on_a_line(text: str, length: int) -> None:
    assert cell_length(text) == length


def test_no_word_of_the_recipes_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["recipes"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for recipe in NAMED.values():
        assert re.search(rf"^{re.escape(recipe.name)} ", out, re.MULTILINE)
        assert set(recipe.meaning.split()) <= set(out.split())


def test_every_cell_of_a_wide_table_is_printed_whole_and_each_piece_says_whose_rows_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    cells = [f"26{n:02} (2233-2826)" for n in range(6)]
    columns = ("player", "year", *(f"method{n}" for n in range(6)))
    rows = [("Stockfish 2600", year, *cells) for year in ("1971", "1972")]
    print_table(Words("By method", columns, rows, "end"))
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert all(cell in out for cell in cells)
    assert all(len(re.findall(f"Stockfish 2600 +{year}", out)) == 2 for year in (1971, 1972))
    assert out.count("By method") == out.count("end") == 1


def test_the_ends_of_an_interval_stand_beside_their_number() -> None:
    row = {"player": "Ann", "mean_gain": -0.3881, "mean_gain_low": -0.5, "mean_gain_high": -0.25}
    answer = Rows("Gain", [row])
    (table,) = answer.words()
    assert list(table.columns) == ["player", "mean gain"]
    assert list(table.rows) == [["Ann", "-0.388 (-0.5 to -0.25)"]]
    assert list(answer.rows()[0]) == list(row)


def test_a_year_is_not_written_as_a_number() -> None:
    (table,) = Rows("Years", [{"year": 1975, "moves": 1975}]).words()
    assert list(table.rows) == [["1975", 1975]]


# Progress: silent where nobody looks, one display for everything, gone before results.


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    yield
    close()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is shown to one who looks."""
    shown, console = io.StringIO(), rich.console.Console
    monkeypatch.setattr(rich.console, "Console", lambda **_: console(file=shown, force_terminal=True))
    return shown


def descriptions() -> list[str]:
    assert output._display is not None
    return [task.description for task in output._display.tasks]


def test_there_is_one_display_and_it_goes(terminal: io.StringIO) -> None:
    with bar("One") as one, bar("Other") as other:
        one.show(1, 2, "half")
        display = output._display
        other.show(3, None)
        assert output._display is display
        assert descriptions() == ["One", "Other"]
        assert display is not None
        display.refresh()
    assert descriptions() == []
    close()
    assert output._display is None
    assert "One" in terminal.getvalue()


def report(missing: int, failures: int = 0) -> Any:
    return SimpleNamespace(missing=missing, done=3, failures=[0] * failures, per_second=2.0, busy_share=0.5)


def test_that_engines_are_at_work_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with analysing("quick") as shown:
        shown(report(0))
        assert capsys.readouterr().err == ""
        for _ in range(3):
            shown(report(1200))
    said = capsys.readouterr().err
    assert said.count("1,200 positions are not analysed with recipe 'quick' yet") == 1
    with analysing("quick", say_so=False) as shown:
        shown(report(1200))
    assert capsys.readouterr().err == ""


def test_results_come_after_the_display_has_gone(
    terminal: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    from assay.answers.answer import Rows
    from assay.cli.output import show

    with bar("Working") as one:
        one.show(1, 2)
        show(Rows("t", [{"a": 1}]), csv=True)
        assert output._display is None
    assert capsys.readouterr().out == "a\n1\n"


# A long analysis that nobody asked for is announced: asked about on a terminal, refused without one.


@pytest.fixture
def games(tmp_path: Path) -> Path:
    place = tmp_path / "games.pgn"
    place.write_bytes(SIMULATED.read_bytes())
    return place


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every analysis takes an hour; the sizes of the backlogs that were looked at."""
    looked_at: list[int] = []

    def hour(backlog: object, *_: object) -> float:
        looked_at.append(len(backlog))  # type: ignore[arg-type]
        return 3600.0

    monkeypatch.setattr("assay.engine.run.seconds_for", hour)
    return looked_at


def test_without_a_terminal_it_stops_and_says_what_to_do(
    games: Path, slow: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rate", str(games), "--recipe", "quick"]) == 2
    said = capsys.readouterr().err
    assert "which takes about 1 h 0 min here" in said
    assert "--yes" in said


def test_only_the_games_in_question_are_looked_at(games: Path, slow: list[int]) -> None:
    from assay.workspace.workspace import Workspace

    workspace = Workspace(games.with_name("games.pgn.assay"))
    workspace.import_games(games)
    first, second = list(workspace.status()["names"])[:2]
    assert main(["compare", str(games), first, second, "--recipe", "quick"]) == 2
    assert main(["rate", str(games), "--recipe", "quick"]) == 2
    assert main(["career", str(games), first, "--recipe", "quick"]) == 2
    both, every, one = slow
    assert one < both < every


def test_on_a_terminal_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter((True, False))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: next(answers))
    output._ask(10, 3600)
    with pytest.raises(InputError, match="nothing was analysed"):
        output._ask(10, 3600)


def test_what_is_to_be_removed_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="2 games would be removed: --yes does it"):
        output.ask_to_remove("2 games")
    monkeypatch.setattr(output, "_somebody_is_there", lambda: True)
    for answer in (True, False):
        monkeypatch.setattr("typer.confirm", lambda *_, answer=answer, **__: answer)
        if answer:
            output.ask_to_remove("2 games")
        else:
            with pytest.raises(InputError, match="nothing was removed"):
                output.ask_to_remove("2 games")


def test_ranges_are_drawn_in_the_room_there_is_and_in_ascii_where_that_is_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        (name, "2680", cell)
        for name, cell in zip(
            ("Ann", "Bartholomew " * 4),
            drawn([(2680, 2450, 2820, 2619), (2100, 2000, 2200, 2900)]),
            strict=True,
        )
    ]
    words = Words("Événement", ("player", "moves", ""), [rows[0], (), rows[1]], grey="engine", beside="Elo")
    shown = {}
    monkeypatch.setenv("COLUMNS", "80")
    for encoding in ("utf-8", "ascii"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr("sys.stdout", stream)
        print_table(words)
        stream.flush()
        shown[encoding] = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    lines = shown["utf-8"].splitlines()
    assert max(map(len, lines)) <= 80
    assert any("├" in line and "◇" in line and "●" in line for line in lines)
    assert lines[0].endswith("Elo")
    assert sum(set(line) == {"─"} for line in lines) == 2
    assert "\033" not in shown["utf-8"]  # no colour where it is not a terminal
    assert re.search(r"\|-+x-+o-+\|", shown["ascii"])
    assert len(shown["ascii"].splitlines()) == len(lines)
