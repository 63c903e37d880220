"""All that an engine started ends with it, also what left its process group, and also when we are killed.

Every engine is given a mark in its environment, which whatever it starts inherits; by it they are found in
/proc. So this is for Linux only, and a program that is started with an empty environment escapes. For the
case that we are killed, one small process watches: it sees the end of its input, which only we hold open.
That one runs this file by itself, so nothing but the standard library is imported here.
"""

import atexit
import contextlib
import itertools
import os
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

NAME = "ASSAY_ENGINE"
"""The variable of the environment that holds the mark."""

_ROUNDS = 50
_PAUSE = 0.002
_SIGKILL = 9  # the module signal of Windows has none
_starting = threading.Lock()
_count = itertools.count(1)
_watches: dict[int, tuple[str, "subprocess.Popen[bytes]"]] = {}
"""Mark and watching process of each of our processes, by number: a fork inherits those of its parent."""


def new_mark() -> str:
    """A mark for one engine, with somebody to watch over it; empty where there is no /proc."""
    if sys.platform != "linux":
        return ""
    with _starting:
        if os.getpid() not in _watches:
            _watches[os.getpid()] = _watched()
        return f"{_watches[os.getpid()][0]}.{next(_count)}."


def end_marked(mark: str) -> None:
    """Kill every process whose mark begins with this one, until there is none."""
    for _ in range(_ROUNDS if mark else 0):  # what is being killed may just have started another
        found = marked(mark)
        if not found:
            return
        for number in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, _SIGKILL)
        time.sleep(_PAUSE)


def marked(mark: str) -> list[int]:
    """Numbers of the processes whose mark begins with this one; of those that have ended nothing is read."""
    words = f"{NAME}={mark}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):  # another user's, or it has just ended
                content = (folder / "environ").read_bytes()
                if content.startswith(words) or b"\0" + words in content:
                    found.append(int(folder.name))
    return found


def _watched() -> tuple[str, "subprocess.Popen[bytes]"]:
    token = uuid.uuid4().hex
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, token],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.sep,
        process_group=0,  # Ctrl-C in a terminal is not for it
    )
    atexit.register(_dismiss, os.getpid(), process)
    return token, process


def _dismiss(owner: int, process: "subprocess.Popen[bytes]") -> None:
    if owner == os.getpid():
        process.communicate()


if __name__ == "__main__":
    sys.stdin.buffer.read()
    end_marked(sys.argv[1])
