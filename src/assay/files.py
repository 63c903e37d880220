"""Writing a file whole or not at all, the one way for everything that assay writes.

A regular file is written under another name beside it, synced and renamed: whoever reads it sees the old one
or the new one. A link is followed to the file that it names. What is no regular file (a device, a pipe) is
written to directly: a rename would put a file in its place. `-` is standard output, and /dev/stdout is what
this process was given as such, whatever it leads to.

That is for files that a user names. Files of a folder that may come from anyone are written with
`follow=False`: what stands under the name, a link too, is replaced and nothing elsewhere is opened; and their
folders are made by `make_own_folder`, which refuses a link.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from assay.errors import InputError, MachineError

PARTIAL = ".part"
"""Ending of the name under which a file is written."""


STANDARD_OUTPUT = "-"
"""Stands for standard output where a file is named."""


@contextmanager
def written_whole(path: str | Path, *, follow: bool = True) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` when all of it is there and not before.

    Without `follow` a link under that name is replaced itself; so is a device or a pipe.
    """
    stream = _stream_of(path) if follow else None
    if stream is not None:
        opened: AbstractContextManager[BinaryIO] = _open_stream(stream, path)
    elif follow and is_special(Path(path)):
        opened = Path(path).open("wb")  # noqa: SIM115 - the block below closes it
    else:
        opened = _replaced(_target_of(path) if follow else Path(path))
    with opened as file:
        yield file


@contextmanager
def _replaced(target: Path) -> Iterator[BinaryIO]:
    """A file under another name, which becomes `target` when it is whole; who may read it stays the same."""
    partial = target.with_name(target.name + PARTIAL)
    try:
        partial.unlink(missing_ok=True)
        # Made anew, so that nothing is written through a link that lies in wait under this name.
        with partial.open("xb") as file:
            if (mode := _mode_of(target)) is not None:
                partial.chmod(stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
        sync(target.parent)
    except FileNotFoundError as error:
        if target.parent.is_dir():
            raise
        raise InputError(f"there is no folder {target.parent} to write {target.name} to") from error
    finally:
        with suppress(OSError):  # the first error is the one to tell
            partial.unlink(missing_ok=True)


def _mode_of(target: Path) -> int | None:
    """Who may read a regular file; None where there is none, whatever a link under that name leads to."""
    try:
        mode = target.lstat().st_mode
    except OSError:
        return None
    return mode if stat.S_ISREG(mode) else None


def write_text(path: str | Path, text: str, *, follow: bool = True) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with written_whole(path, follow=follow) as file:
        file.write(text.encode("utf-8"))


def make_own_folder(path: Path) -> None:
    """Make a folder to write to, if it is not there; a link in its place is refused, not followed."""
    if path.is_symlink():
        raise InputError(
            f"{path} is a link, and may lead out of the workspace: nothing is written through it; remove it"
        )
    path.mkdir(parents=True, exist_ok=True)


def check_writable(path: Path | None) -> None:
    """Refuse a file that cannot be written before the work is done, not after it."""
    if path is None or _stream_of(path) is not None or is_special(path):
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file to write")
    folder = _target_of(path).parent
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder} to write {path.name} to")
    if not os.access(folder, os.W_OK):
        raise MachineError(f"no permission to write to {folder}: choose another place")


def sync(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk now."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_special(path: Path) -> bool:
    """Whether something stands there that is neither a regular file nor a folder."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _target_of(path: str | Path) -> Path:
    """The regular file that is to be replaced, links followed; one that nobody may write is left alone."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise InputError(f"{path} is a link that leads back to itself: name another file")
    try:
        mode = target.stat().st_mode
    except OSError:
        return target
    if stat.S_ISREG(mode) and not (mode & 0o222 and os.access(target, os.W_OK)):
        raise MachineError(f"{target} may not be written to: name another file, or allow it")
    return target


def _stream_of(path: str | Path) -> int | None:
    """1 or 2 where `path` is what this process has as standard output or error, by whatever name."""
    if str(path) == STANDARD_OUTPUT:
        return 1
    for number in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.stat(path), os.fstat(number)):  # noqa: PTH116
                return number
    return None


@contextmanager
def _open_stream(number: int, path: str | Path) -> Iterator[BinaryIO]:
    """A stream that this process has open, at the place where it is: opened anew, it would start again."""
    if sys.stdout is None:
        raise InputError(f"cannot write to {path}: standard output is closed")
    sys.stdout.flush()
    if number == 1 and hasattr(sys.stdout, "buffer"):  # which may stand for another than the system's
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        copy = os.dup(number)
    except OSError as error:
        raise InputError(f"cannot write to {path}: {error.strerror}") from error
    with os.fdopen(copy, "wb") as file:
        yield file
