"""Files that a user names: refused before the work, written whole or not at all."""

import os
from pathlib import Path

import pytest

from assay.answers.answer import Words, to_csv
from assay.cli import main
from assay.cli.output import print_table, write_text
from assay.errors import InputError, MachineError
from assay.files import check_writable
from examples.gain_examples import annotated_pgn


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_text(path, "é")
    write_text(path, "è")
    assert path.read_text(encoding="utf-8") == "è"
    assert names(tmp_path) == ["page.html"]


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


def test_nothing_is_left_of_a_file_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_path: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_text(tmp_path / "page.html", "text")
    assert names(tmp_path) == []


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


def test_csv_holds_no_formulas() -> None:
    assert to_csv([{"a": "=1+1", "b": None}], ("a", "b")) == "a,b\n'=1+1,\n"


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
