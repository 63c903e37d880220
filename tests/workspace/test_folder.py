"""Where files live, what is refused, and who may write."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import lock_descriptor

from assay.decisions.exclusions import Choice
from assay.decisions.schema import SCHEMA_VERSION
from assay.engine.engines import EngineConfig
from assay.errors import InputError, LockedError, MachineError, ReadOnlyError, SchemaError
from assay.workspace import Workspace
from assay.workspace.folder import writer_lock
from examples.commands import exit_code, printed, run, sentence


def test_other_folders_and_newer_versions(tmp_path: Path, examples: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="contains other files"):
        Workspace(tmp_path / "mine").import_games(examples)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        Workspace(tmp_path / "file")
    Workspace(tmp_path / "w").import_games(examples)
    (tmp_path / "w" / "workspace.json").write_text('{"schema_version": 99}')
    with pytest.raises(SchemaError, match="newer assay"):
        Workspace(tmp_path / "w")
    (tmp_path / "w" / "workspace.json").write_text("{")
    with pytest.raises(SchemaError, match="damaged"):
        Workspace(tmp_path / "w")


def test_a_writer_killed_at_its_first_step_is_no_obstacle(workspace: Workspace, examples: Path) -> None:
    workspace.path.mkdir()
    (workspace.path / ".lock").write_text("{}")
    (workspace.path / "workspace.json.part").write_text("")
    assert workspace.import_games(examples).added == 29


def test_one_writer_and_many_readers(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    with workspace.writing():
        with pytest.raises(LockedError, match="being written to by process"):
            Workspace(workspace.path).import_games(examples, aliases={"Fischer": "Fischer, Robert James"})
        assert Workspace(workspace.path).import_games(examples).added == 0  # nothing is to be written
        assert Workspace(workspace.path).games().num_rows == 29


def test_nothing_half_written_is_left_where_nothing_is_new_to_write(
    workspace: Workspace, examples: Path
) -> None:
    """A writer killed in its last list of checksums: the next import has nothing to add."""
    workspace.import_games(examples)
    halves = ("checksums/games.json", "games/000000.parquet", "aliases.txt", "workspace.json")
    names = [f"{name}.part" for name in halves]
    for name in names:
        (workspace.path / name).write_text("{")
    assert workspace.import_games(examples).added == 0
    assert not [name for name in names if (workspace.path / name).exists()]


def test_the_marker_follows_the_version_of_the_tables_and_keeps_what_else_it_says(tmp_path: Path) -> None:
    folder = Workspace(tmp_path / "w")
    with folder.filling():
        pass
    folder.marker.write_text('{"schema_version": 0, "note": "mine"}')
    with Workspace(tmp_path / "w").writing():
        pass
    assert json.loads(folder.marker.read_text()) == {"schema_version": SCHEMA_VERSION, "note": "mine"}


def test_a_workspace_without_its_marker_says_how_to_take_it_up(
    workspace: Workspace, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.import_games(examples)
    (workspace.path / "workspace.json").unlink()
    for command in (("status", workspace.path), ("import", examples, "-w", workspace.path)):
        said = sentence(capsys, *command)
        assert f"assay doctor {workspace.path} --repair takes it up again" in said
    assert exit_code("doctor", workspace.path, "--repair") == 0
    assert Workspace(workspace.path).games().num_rows == 29


# The writer's lock: who holds it is told, whatever stands in its file, and no link is followed.


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "another process"),
        (b"\xff" * 10, "another process"),
        (b" [1, 2]", "another process"),
        (b' {"pid": 1}', "another process"),
        (b' "{0.x}"', "another process"),
        (b"[" * 5000, "another process"),
        # As a version before this one writes it.
        (b'{"pid": 7, "host": "h", "command": "c", "since": "s"}', "process 7 on h"),
        (b' {"pid": 7, "host": "\\u001b[2J", "command": "c", "since": "s"}', r"process 7 on  \[2J"),
    ],
)
def test_whatever_the_file_says_it_is_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / ".lock"
    path.write_bytes(content)
    with path.open("rb") as file:
        assert lock_descriptor(file.fileno(), blocking=False)
        with pytest.raises(LockedError, match=said) as raised, writer_lock(path):
            pass
        assert "\x1b" not in str(raised.value)
    assert path.read_bytes() == content


def test_a_second_name_of_another_file_is_not_written_to(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / ".lock").hardlink_to(victim)
    with pytest.raises(MachineError, match="another name elsewhere"), writer_lock(tmp_path / ".lock"):
        pass
    assert victim.read_text() == "mine"


def test_the_command_need_not_be_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["assay", "remove", "--player", "Secret"])
    with writer_lock(tmp_path / ".lock", "assay remove"):
        pass
    assert b"Secret" not in (tmp_path / ".lock").read_bytes()


def test_a_version_before_this_one_sees_the_lock(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / ".lock"
    with writer_lock(path), path.open("a+") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_child_that_stays_does_not_hold_the_lock(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with writer_lock(path):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        with writer_lock(path):
            pass
    finally:
        child.communicate(b"\n")


# A fully analysed workspace on storage that cannot be written: rated, reported and exported.


@pytest.fixture
def read_only(analysed: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Nothing below the workspace is opened for writing, made, moved or removed from here on."""
    place = str(analysed.path.resolve())

    def refuse(path: Any) -> None:
        if str(Path(path).resolve()).startswith(place):
            raise OSError(errno.EROFS, "Read-only file system", str(path))

    plain_open = os.open

    def opened(path: Any, flags: int, *given: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            refuse(path)
        return plain_open(path, flags, *given, **named)

    monkeypatch.setattr(os, "open", opened)
    for name in ("replace", "rename", "unlink", "rmdir", "touch", "mkdir"):
        plain = getattr(Path, name)

        def guarded(self: Path, *given: Any, plain: Any = plain, **named: Any) -> Any:
            if not (plain.__name__ == "mkdir" and self.is_dir()):
                refuse(self)
            return plain(self, *given, **named)

        monkeypatch.setattr(Path, name, guarded)
    return analysed


def test_it_is_rated_reported_and_exported(
    read_only: Workspace,
    engine: EngineConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recipe = tmp_path / "few.toml"
    recipe.write_text('base = "standard"\nname = "few lines"\nlines = 3\n')
    before = {path: path.stat().st_mtime_ns for path in read_only.path.rglob("*")}
    given = ("--engine", engine.path, "--recipe", recipe, "--min-decisions", "1")
    code, _, said = run(capsys, "rate", read_only.path, *given, "--report", tmp_path / "r.html")
    assert code == 0, said
    assert "cannot be written to: these ratings are not kept there" in said
    assert (tmp_path / "r.html").stat().st_size > 1000
    assert "Byrne" in printed(capsys, "export", "games", read_only.path)
    assert printed(capsys, "export", "decisions", read_only.path).count("\n") > 50
    assert printed(capsys, "status", read_only.path)
    assert {path: path.stat().st_mtime_ns for path in read_only.path.rglob("*")} == before


def test_what_is_not_analysed_is_told(read_only: Workspace, engine: EngineConfig) -> None:
    with pytest.raises(ReadOnlyError, match=r"and \d+ of its positions are not analysed"):
        Workspace(read_only.path).analyse("quick", engine=engine, jobs=1, choice=Choice())
