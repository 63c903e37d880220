"""Files are written whole or not at all; devices, pipes and links are what they were afterwards."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.errors import InputError, MachineError
from assay.files import check_writable, make_own_folder, write_text, written_whole


def test_a_file_is_whole_or_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def break_off() -> None:
        with written_whole(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("old", ["old", None])
def test_a_link_is_followed_to_its_target_there_or_to_come(tmp_path: Path, old: str | None) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    if old is not None:
        target.write_text(old)
    link.symlink_to(target)
    check_writable(link)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_to() -> None:
    check_writable(Path("/dev/null"))
    write_text("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()


def test_what_cannot_be_written_is_refused_beforehand(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        check_writable(tmp_path / "absent" / "a.txt")
    with pytest.raises(InputError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        write_text(tmp_path / "absent" / "a.txt", "")


def test_a_link_to_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "absent" / "a.txt")
    with pytest.raises(InputError, match="there is no folder"):
        check_writable(link)
    with pytest.raises(InputError, match="there is no folder"):
        write_text(link, "new")
    assert link.is_symlink()


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    for check in (check_writable, lambda path: write_text(path, "new")):
        with pytest.raises(InputError, match="leads back to itself"):
            check(one)
    assert one.is_symlink()


def test_a_file_that_nobody_may_write_stays(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_text("old")
    path.chmod(0o444)
    for check in (check_writable, lambda path: write_text(path, "new")):
        with pytest.raises(MachineError, match="may not be written to"):
            check(path)
    assert path.read_text() == "old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o444


def test_who_may_read_a_file_stays_the_same(tmp_path: Path) -> None:
    path = tmp_path / "private.txt"
    path.write_text("old")
    path.chmod(0o600)
    write_text(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == "new"


def run(code: str, *arguments: object, **settings: object) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-c", f"import sys\nfrom assay.files import *\n{code}", *map(str, arguments)]
    return subprocess.run(words, check=False, timeout=60, **settings)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("into", ["pipe", "file"])
def test_standard_output_goes_on_where_it_was(tmp_path: Path, name: str, into: str) -> None:
    """Also where it leads to a file: that one is neither replaced nor begun anew."""
    code = "check_writable(Path(sys.argv[1]))\nprint('first')\n"
    code += "write_text(sys.argv[1], 'second\\n')\nprint('third')"
    path = tmp_path / "out"
    if into == "pipe":
        said = run(code, name, stdout=subprocess.PIPE).stdout
    else:
        with path.open("wb") as file:
            file.write(b"zeroth\n")
            file.flush()
            run(code, name, stdout=file)
        said = path.read_bytes().removeprefix(b"zeroth\n")
    assert said == b"first\nsecond\nthird\n"
    assert {one.name for one in tmp_path.iterdir()} <= {"out"}


def test_a_link_to_standard_output_is_standard_output(tmp_path: Path) -> None:
    link = tmp_path / "log"
    link.symlink_to("/dev/stdout")
    assert run("write_text(sys.argv[1], 'said')", link, stdout=subprocess.PIPE).stdout == b"said"
    assert link.is_symlink()


def test_standard_error_and_closed_streams(tmp_path: Path) -> None:
    assert run("write_text('/dev/stderr', 'said')", stderr=subprocess.PIPE).stderr == b"said"
    code = "import os\nos.close(1)\nsys.stdout = None\nwrite_text('-', 'x')"
    assert b"standard output is closed" in run(code, stderr=subprocess.PIPE).stderr


def _parquet(path: Path) -> None:
    with written_whole(path) as file:
        pq.write_table(pa.table({"a": [1, 2, 3]}), file)


def _arrays(path: Path) -> None:
    with written_whole(path) as file:
        np.savez_compressed(file, a=np.arange(3))


@pytest.mark.parametrize(
    ("write", "begin"),
    [(_parquet, b"PAR1"), (_arrays, b"PK"), (lambda path: write_text(path, "through"), b"through")],
)
def test_a_pipe_is_written_to(tmp_path: Path, write: Callable[[Path], None], begin: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join(timeout=10)
    assert read[0].startswith(begin)
    assert pipe.is_fifo()


@pytest.mark.parametrize(("name", "follow"), [("a.txt", False), ("a.txt.part", False), ("a.txt.part", True)])
def test_no_link_that_lies_in_wait_is_written_through(tmp_path: Path, name: str, follow: bool) -> None:
    """In a folder of anyone, no link at all."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / name).symlink_to(victim)
    write_text(tmp_path / "a.txt", "new", follow=follow)
    assert victim.read_text() == "mine"
    assert not (tmp_path / "a.txt").is_symlink()
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_pipe_in_a_foreign_folder_is_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    write_text(tmp_path / "a.txt", "new", follow=False)
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_folder_that_is_a_link_is_not_written_to(tmp_path: Path) -> None:
    make_own_folder(tmp_path / "new" / "folder")
    make_own_folder(tmp_path / "new" / "folder")
    (tmp_path / "link").symlink_to(tmp_path / "new")
    (tmp_path / "to nothing").symlink_to(tmp_path / "absent")
    for name in ("link", "to nothing"):
        with pytest.raises(InputError, match="is a link"):
            make_own_folder(tmp_path / name)
    assert not (tmp_path / "absent").exists()
