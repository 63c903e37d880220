"""Progress: silent where nobody looks, one display for everything, gone before results."""

import io
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import rich.console

from assay.cli import output as progress
from assay.cli.output import Bar, analysing, bar, close, importing


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    yield
    close()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is shown to one who looks."""
    shown, console = io.StringIO(), rich.console.Console
    monkeypatch.setattr(rich.console, "Console", lambda **_: console(file=shown, force_terminal=True))
    return shown


def descriptions() -> list[str]:
    assert progress._display is not None
    return [task.description for task in progress._display.tasks]


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("Working") as one:
        one.show(1, 2)
        importing()("games.pgn", 10, 5, 3)
    close()
    assert capsys.readouterr() == ("", "")


def test_what_is_quick_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 60.0)
    with bar("Working") as one:
        one.show(1, 2)
        assert progress._display is None


def test_there_is_one_display_and_it_goes(terminal: io.StringIO) -> None:
    with bar("One") as one, bar("Other") as other:
        one.show(1, 2, "half")
        display = progress._display
        other.show(3, None)
        assert progress._display is display
        assert descriptions() == ["One", "Other"]
        assert display is not None
        display.refresh()
    assert descriptions() == []
    close()
    assert progress._display is None
    assert "One" in terminal.getvalue()


def test_a_bar_says_how_far_it_is(terminal: io.StringIO) -> None:
    one = Bar("Reading")
    one.show(30, 60, "7 games", "games.pgn")
    assert progress._display is not None
    (task,) = progress._display.tasks
    assert (task.completed, task.total, task.fields["detail"]) == (30, 60, "7 games")
    assert task.description == "games.pgn"
    one.close()
    one.close()  # once more does no harm
    assert descriptions() == []


def test_reading_ends_with_the_file(terminal: io.StringIO) -> None:
    show = importing()
    show("a" * 60, 100, 50, 1234)
    assert descriptions() == ["a" * 40]
    show("a" * 60, 100, 100, 2000)
    assert descriptions() == []


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


def test_positions_put_aside_are_counted(terminal: io.StringIO) -> None:
    with analysing("quick", say_so=False) as shown:
        shown(report(10, failures=2))
        assert progress._display is not None
        (task,) = progress._display.tasks
        assert (task.completed, task.total) == (5, 10)
        assert "2 put aside" in task.fields["detail"]


def test_results_come_after_the_display_has_gone(
    terminal: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    from assay.answers.answer import Rows
    from assay.cli.output import show

    with bar("Working") as one:
        one.show(1, 2)
        show(Rows("t", [{"a": 1}]), as_csv=True)
        assert progress._display is None
    assert capsys.readouterr().out == "a\n1\n"
