"""One writer at a time; a second one is told who the first is."""

import fcntl
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from assay.errors import LockedError, MachineError


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the writer's lock. The system lets go of it when the holder ends, however it ends."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(
            f"cannot make the folder {path.parent}: {error.strerror}; choose another place"
        ) from error
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockedError(
                f"{path.parent} is being written to by {_holder(path)}: wait until it ends, or stop it"
            ) from None
        file.seek(0)
        file.truncate()
        json.dump(_about_this_process(), file)
        file.flush()
        yield


def _about_this_process() -> dict[str, str | int]:
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200],
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _holder(path: Path) -> str:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        return "process {pid} on {host} ('{command}', since {since})".format(**about)
    except (ValueError, KeyError):
        return "another process"
