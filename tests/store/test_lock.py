"""The writer's lock: who holds it is told, whatever stands in its file, and no link is followed."""

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from filelock import lock_descriptor

from assay.errors import LockedError, MachineError, ReadOnlyError
from assay.workspace.folder import writer_lock


def test_the_lock_is_held_and_let_go(tmp_path: Path) -> None:
    path = tmp_path / "new" / ".lock"
    with writer_lock(path):
        with pytest.raises(LockedError, match=f"process {os.getpid()} on "), writer_lock(path):
            pass
        with pytest.raises(LockedError):  # asking leaves the holder's words as they are
            writer_lock(path).__enter__()
    with writer_lock(path):
        pass


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


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / ".lock").symlink_to(victim)
    with pytest.raises(MachineError, match="is a link"), writer_lock(tmp_path / "w" / ".lock"):
        pass
    assert victim.read_text() == "mine"


def test_a_second_name_of_another_file_is_not_written_to(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / ".lock").hardlink_to(victim)
    with pytest.raises(MachineError, match="another name elsewhere"), writer_lock(tmp_path / ".lock"):
        pass
    assert victim.read_text() == "mine"


def test_what_cannot_be_written_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(ReadOnlyError, match=r"cannot be written to \(Read-only file system\)"):
        writer_lock(tmp_path / ".lock").__enter__()


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


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    code = f"""
        import sys
        from pathlib import Path
        from assay.workspace.folder import writer_lock
        with writer_lock(Path({str(tmp_path / ".lock")!r})):
            print("held", flush=True)
            sys.stdin.readline()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    with pytest.raises(LockedError, match=f"process {process.pid}"), writer_lock(tmp_path / ".lock"):
        pass
    process.kill()
    process.communicate()
    with writer_lock(tmp_path / ".lock"):  # let go of by the system, however the holder ended
        pass
