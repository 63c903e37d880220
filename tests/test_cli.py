import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay import __version__
from assay.cli import main
from assay.cli.output import to_csv

DIRTY = Path(__file__).parent / "dirty"
HEAVY = {"numpy", "pyarrow", "duckdb", "scipy", "numba", "chess", "plotly", "rust_pgn_reader_python_binding"}


def run(*arguments: object) -> int:
    return main([str(one) for one in arguments])


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    assert "import" in capsys.readouterr().out
    assert run("--version") == 0
    assert capsys.readouterr().out.strip() == __version__


def test_help_imports_nothing_heavy() -> None:
    """What makes `assay --help` answer at once."""
    code = "import sys, assay.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not HEAVY & set(loaded)


def test_python_dash_m() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == __version__


def test_import_status_export(tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "w.assay"
    assert run("import", examples, DIRTY / "simul.pgn", "-w", place) == 0
    out = capsys.readouterr().out
    assert "15 games added" in out
    assert "odds_or_simul" in out
    assert run("import", examples, "-w", place) == 0
    assert "Nothing new: all 13 games were imported before." in capsys.readouterr().out
    assert run("import", examples, "-w", place, "--json") == 0
    assert json.loads(capsys.readouterr().out)["known"] == 13
    assert run("status", "-w", place) == 0
    assert "may be rated" in capsys.readouterr().out
    assert run("status", "-w", place, "--json") == 0
    status = json.loads(capsys.readouterr().out)
    assert status["games"] == 15
    assert {"games", "excluded", "players", "analyses"} <= set(status)
    assert run("export", "games", "-w", place, "--format", "jsonl") == 0
    assert len(capsys.readouterr().out.splitlines()) == 15
    assert run("export", "games", "-w", place, "--out", tmp_path / "g.csv") == 0
    assert "15 rows written" in capsys.readouterr().err


def test_standard_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "import", "-", "-w", str(tmp_path / "w"), "--json"],
        input=(DIRTY / "latin1.pgn").read_bytes(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["added"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("import", "absent.pgn"), 2, "does not exist"),
        (("import", sys.executable), 2, "is not PGN"),
        (("import",), 2, "Missing argument"),
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
    assert run(*arguments) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_interruption_is_exit_code_130(
    tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.workspace.import_files", interrupt)
    assert run("import", examples, "-w", tmp_path / "w") == 130
    assert "interrupted" in capsys.readouterr().err


def test_a_full_disk_is_one_sentence(
    tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("assay.workspace.import_files", fill)
    assert run("import", examples, "-w", tmp_path / "w") == 3
    assert "disk is full" in capsys.readouterr().err


def test_csv_holds_no_formulas() -> None:
    assert to_csv([{"a": "=1+1", "b": None}], ("a", "b")) == "a,b\n'=1+1,\n"
