"""One writer at a time; a second one is told who the first is."""

import errno
import json
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import lock_descriptor

from assay.decisions.text import printable
from assay.errors import LockedError, MachineError, ReadOnlyError

_MOST_BYTES = 4096


_NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)


@contextmanager
def writer_lock(path: Path, command: str | None = None) -> Iterator[None]:
    """Hold the writer's lock. The system lets go of it when the holder ends, however it ends.

    `command` stands in its file for what this process was started with: a name that is to be forgotten must
    not be written down there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(
            f"cannot make the folder {path.parent}: {error.strerror}; choose another place"
        ) from error
    descriptor = _open(path)
    try:
        if not lock_descriptor(descriptor, blocking=False):
            raise LockedError(
                f"{path.parent} is being written to by {_holder(path)}: wait until it ends, or stop it"
            )
        os.ftruncate(descriptor, 0)
        # Windows keeps others from reading the first byte, which the lock is on: what they are to read
        # begins behind it.
        os.write(descriptor, b" " + json.dumps(_about_this_process(command)).encode())
        yield
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    """The lock's file. A link in its place is not followed: in a foreign workspace it may lead anywhere."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise MachineError(f"{path} is a link, and may lead out of the workspace: remove it") from error
        if error.errno in _NOT_WRITABLE:
            raise ReadOnlyError(
                f"{path.parent} cannot be written to ({error.strerror}): copy it to where it can be, or "
                "choose another place"
            ) from error
        raise
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        raise MachineError(f"{path} is no file: remove it")
    if about.st_nlink > 1:
        os.close(descriptor)
        raise MachineError(f"{path} has another name elsewhere, which would be written to as well: remove it")
    return descriptor


def _about_this_process(command: str | None) -> dict[str, str | int]:
    started = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "command": (started if command is None else command)[:200],
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _holder(path: Path) -> str:
    for start in (1, 0):  # 0: as it was written before there was a byte for the lock
        try:
            with path.open("rb", buffering=0) as file:
                file.seek(start)
                about = json.loads(file.read(_MOST_BYTES))
            said = "process {pid} on {host} ('{command}', since {since})".format(**about)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        return printable(said)
    return "another process"
