"""An engine as a process: started in a group of its own, read with time-outs, ended with all that it forked.

An engine never outlives the thread that started it, even when that one is killed: the kernel kills the engine
(Linux), or it sees the end of its input (elsewhere). What it forked ends with its process group, and on Linux
also outside of that (`descendants`). On Windows, where pipes cannot be polled, a thread
reads; there this is untested.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import IO

_CHUNK_BYTES = 1 << 16
_WINDOWS = sys.platform == "win32"

# Runs between fork and engine in a process of its own, because code after a fork is unsafe where there are
# threads. 1 is PR_SET_PDEATHSIG, 9 SIGKILL; the parent may have died before the call.
_LAUNCHER = """
import ctypes, os, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


class EngineProcess:
    """A running program, its input and its output."""

    def __init__(self, command: Sequence[str]) -> None:
        launcher = [] if _WINDOWS else [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid())]
        self._mark = new_mark()
        self._process = subprocess.Popen(
            [*launcher, *command],
            env={**os.environ, NAME: self._mark} if self._mark else None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            # Ctrl-C in a terminal reaches the whole group; the engine must not die before we are done. Not a
            # session: Linux would give that its own share of the CPU, whatever its nice.
            process_group=None if _WINDOWS else 0,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin = self._process.stdin
        self._pipe = (ThreadedPipe if _WINDOWS else PolledPipe)(self._process.stdout)
        self._ending = threading.Lock()
        self._gone = False

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def write(self, content: bytes) -> None:
        """Send bytes; OSError or ValueError where the process has ended."""
        self._stdin.write(content)

    def read(self, seconds: float) -> bytes | None:
        """Some of what it said; nothing at its end, None where nothing comes within `seconds`."""
        return self._pipe.read(seconds)

    def close(self, patience: float = 1.0) -> None:
        """End the process, by force where it does not see the end of its input, and all that it forked."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        self._wait(patience)
        with self._ending:
            self._kill()
            self._process.wait()
            self._gone = True
            end_marked(self._mark)
        self._pipe.close()

    def kill(self) -> None:
        """End the process and all that it forked, at once; safe from any thread."""
        with self._ending:
            if not self._gone:
                self._kill()
                end_marked(self._mark)

    def _kill(self) -> None:
        if _WINDOWS:
            self._process.kill()
            return
        # Until it was waited for, its number names no other group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _wait(self, seconds: float) -> None:
        """Wait for the end, but leave it to be noted: what it forked is found by its number."""
        deadline = time.monotonic() + seconds
        pause = 0.0005
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(pause)
            pause = min(2 * pause, 0.02)

    def _has_ended(self) -> bool:
        if not hasattr(os, "waitid"):  # macOS and Windows
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # where the ends of children are not noted (SIGCHLD ignored)
            return True


class PolledPipe:
    """Reads from a pipe that the system can wait for."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN | select.POLLHUP)

    def read(self, seconds: float) -> bytes | None:
        """Some bytes; nothing at the end, None where nothing comes within `seconds`."""
        if not self._poll.poll(max(0.0, seconds) * 1000):
            return None
        return os.read(self._pipe.fileno(), _CHUNK_BYTES)

    def close(self) -> None:
        """Close the pipe."""
        self._pipe.close()


class ThreadedPipe:
    """Reads from any pipe, by a thread that waits for it."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        # Bounded, so that an engine that talks without end waits for us.
        self._chunks: queue.Queue[bytes] = queue.Queue(maxsize=16)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        chunk = b"?"
        while chunk and not self._closed.is_set():
            try:
                chunk = os.read(self._pipe.fileno(), _CHUNK_BYTES)
            except (OSError, ValueError):
                chunk = b""
            while not self._closed.is_set():
                with contextlib.suppress(queue.Full):
                    self._chunks.put(chunk, timeout=0.1)
                    break

    def read(self, seconds: float) -> bytes | None:
        """Some bytes; nothing at the end, None where nothing comes within `seconds`."""
        try:
            chunk = self._chunks.get(timeout=max(0.001, seconds))
        except queue.Empty:
            return None
        if not chunk:
            self._chunks.put(chunk)  # the end stays the end
        return chunk

    def close(self) -> None:
        """Close the pipe. Its writers have ended, so the thread ends as well."""
        self._closed.set()
        self._thread.join(timeout=1.0)
        self._pipe.close()


# All that an engine started ends with it, also what left its process group, and also when we are killed.

NAME = "ASSAY_ENGINE"
"""The variable of the environment that holds the mark."""

_ROUNDS = 50
_PAUSE = 0.002
_SIGKILL = 9  # the module signal of Windows has none
_starting = threading.Lock()
_count = itertools.count(1)
_watches: dict[int, tuple[str, subprocess.Popen[bytes]]] = {}
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
        numbers = marked(mark)
        if not numbers:
            return
        for number in numbers:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, _SIGKILL)
        time.sleep(_PAUSE)


def marked(mark: str) -> list[int]:
    """Numbers of the processes whose mark begins with this one; of those that have ended nothing is read."""
    words = f"{NAME}={mark}".encode()
    numbers = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):  # another user's, or it has just ended
                content = (folder / "environ").read_bytes()
                if content.startswith(words) or b"\0" + words in content:
                    numbers.append(int(folder.name))
    return numbers


def _watched() -> tuple[str, subprocess.Popen[bytes]]:
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


def _dismiss(owner: int, process: subprocess.Popen[bytes]) -> None:
    if owner == os.getpid():
        process.communicate()


if __name__ == "__main__":
    sys.stdin.buffer.read()
    end_marked(sys.argv[1])
