import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay import __version__
from assay.cli import main
from examples.commands import exit_code

HEAVY = {"numpy", "pyarrow", "scipy", "numba", "chess", "rust_pgn_reader_python_binding"}


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--help") == 0
    assert "import" in capsys.readouterr().out
    assert exit_code("--version") == 0
    assert capsys.readouterr().out.strip() == __version__


def test_help_imports_nothing_heavy() -> None:
    """What makes `assay --help` answer at once."""
    code = "import sys, assay.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not HEAVY & set(loaded)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("import", "absent.pgn"), 2, "does not exist"),
        (("import", sys.executable), 2, "is not PGN"),
        (("import",), 2, "name the PGN files"),
        (("status", "-w", "absent"), 2, "no workspace"),
        (("export", "games", "-w", "absent"), 2, "no workspace"),
        (("export", "shoes"), 2, "Invalid value"),
        (("reproduce", "--paper", "nobody"), 2, "no published numbers"),
        (("dance",), 2, "No such command"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: tuple[str, ...],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code(*arguments) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_interruption_is_exit_code_130(
    tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.workspace.workspace.import_files", interrupt)
    assert exit_code("import", examples, "-w", tmp_path / "w") == 130
    assert "interrupted" in capsys.readouterr().err


def test_a_full_disk_is_one_sentence(
    tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("assay.workspace.workspace.import_files", fill)
    assert exit_code("import", examples, "-w", tmp_path / "w") == 3
    assert "disk is full" in capsys.readouterr().err


def test_too_much_for_the_memory_is_one_sentence(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("assay.study.Study.decisions", fill)
    assert main(["method", "bayes", source]) == 3
    assert "not enough memory" in capsys.readouterr().err


@pytest.mark.parametrize("how", [(), ("--json",), ("--csv",)])
def test_a_reader_who_goes_away_is_no_error(how: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """`assay recipes | head -1`: what is left to write then goes nowhere."""
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "w", encoding="utf-8") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        assert exit_code("recipes", *how) == 0
        said = sys.stderr.getvalue()
        monkeypatch.undo()
        print("more", file=gone, flush=True)
    assert said == ""


@pytest.mark.parametrize("how", [(), ("--json",), ("--csv",)])
def test_standard_output_may_be_closed(
    how: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`assay recipes >&-`, for its work or its exit code."""
    monkeypatch.setattr(sys, "stdout", None)
    code = exit_code("recipes", *how)
    monkeypatch.undo()
    assert (code, capsys.readouterr().err) == (0, "")
