"""An engine as a process: started in a group of its own, read with time-outs, ended with all that it forked.

An engine never outlives the thread that started it, even when that one is killed: the kernel kills the engine
(Linux), or it sees the end of its input (elsewhere). What it forked ends with its process group. Needs a
system that can poll pipes: Windows cannot.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

_CHUNK_BYTES = 1 << 16

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
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            # Ctrl-C in a terminal reaches the whole group; the engine must not die before we are done. Not a
            # session: Linux would give that its own share of the CPU, whatever its nice.
            process_group=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN | select.POLLHUP)
        self._ending = threading.Lock()
        self._gone = False

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def processor_seconds(self) -> float | None:
        """Processor time that it has used; None where the system does not tell (macOS)."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def write(self, content: bytes) -> None:
        """Send bytes; OSError or ValueError where the process has ended."""
        self._stdin.write(content)

    def read(self, seconds: float) -> bytes | None:
        """Some of what it said; nothing at its end, None where nothing comes within `seconds`."""
        if not self._poll.poll(max(0.0, seconds) * 1000):
            return None
        return os.read(self._stdout.fileno(), _CHUNK_BYTES)

    def close(self, patience: float = 1.0) -> None:
        """End the process, by force where it does not see the end of its input, and all that it forked."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        self._wait(patience)
        with self._ending:
            self._kill()
            self._process.wait()
            self._gone = True
        self._stdout.close()

    def kill(self) -> None:
        """End the process and all that it forked, at once; safe from any thread."""
        with self._ending:
            if not self._gone:
                self._kill()

    def _kill(self) -> None:
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
        if not hasattr(os, "waitid"):  # macOS
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # where the ends of children are not noted (SIGCHLD ignored)
            return True
