"""A thin UCI session: writes commands, reads lines, parses only what is kept.

python-chess's engine module validates every variation against a board, which costs up to a third of the
time of a short search; here a line is split and its first move kept. Every read has a time-out. What is sent
is one line for each command: a line end in a value would be a command of its own, and is refused.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.engine.recipe import check_setting
from assay.engine.trace import Trace, parse_line
from assay.errors import EngineError, has_control, printable

_OPTION = re.compile(
    r"option name (.+?) type (\w+)(?: default(?: (.*?))?)?(?: min (-?\d{1,18}))?(?: max (-?\d{1,18}))?$"
)
_NODES = re.compile(r"\bnodes (\d+)")
_OVER_LIMIT, _UNCHECKED = 4, 200_000
"""Nodes of a search that is within its limit: so many times the limit, and what an engine may search before
it looks at its counter."""
_MOST_NAME = 200
_MAX_GARBAGE = 10_000
_MAX_LINE_BYTES = 1 << 20


@dataclass(frozen=True)
class Option:
    """A setting that the engine offers."""

    name: str
    kind: str
    default: str
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class Search:
    """What one search gave."""

    trace: Trace
    nodes: int
    seconds: float
    best: str


@dataclass
class UciSession:
    """One running engine. It may be silent for `patience` seconds, and take `start_patience` to start."""

    command: Sequence[str]
    patience: float = 60.0
    start_patience: float = 30.0
    name: str = field(default="", init=False)
    options: dict[str, Option] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        path = self.command[0]
        if not Path(path).is_file() or not os.access(path, os.X_OK):
            raise EngineError(f"{path} is not a program: give the path of a UCI engine with --engine")
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._said: deque[bytes] = deque(maxlen=5)
        self._process = EngineProcess(self.command)
        try:
            self._handshake()
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Number of the engine's process."""
        return self._process.pid

    @property
    def processor_seconds(self) -> float | None:
        """Processor time of the engine so far; None where the system does not tell."""
        return self._process.processor_seconds

    def set_option(self, name: str, value: str) -> None:
        """Change a setting; one that the engine does not offer is an error."""
        option = self.options.get(name.lower())
        if option is None:
            raise EngineError(
                f"{self.name} has no setting '{name}': use another engine, or leave the setting out"
            )
        check_setting(name, value)
        if option.kind == "spin":
            self._check_number(option, value)
        self._send(f"setoption name {option.name} value {value}\n")

    def _check_number(self, option: Option, value: str) -> None:
        try:
            number = int(value)
        except ValueError:
            shown = value if len(value) <= 40 else f"{value[:40]}..."
            raise EngineError(
                f"{self.name} takes a whole number for '{option.name}', the recipe asks for '{shown}'"
            ) from None
        allowed = ""
        if option.most is not None and number > option.most:
            allowed = f"at most {option.most}"
        elif option.least is not None and number < option.least:
            allowed = f"at least {option.least}"
        if allowed:
            raise EngineError(
                f"{self.name} allows {allowed} for '{option.name}', the recipe asks for {number}: "
                "use another engine or another recipe"
            )

    def search(
        self,
        position: str,
        go: str,
        *,
        n_lines: int,
        clear: bool,
        ceiling: float,
        last_depth: int | None = None,
        stop_after: Callable[[Trace, float], bool] | None = None,
    ) -> Search:
        """Search `position` ("fen ..." or "startpos moves ...") with the limits `go`.

        `clear` forgets all earlier searches first; `last_depth` is the depth asked for, if any. `stop_after`
        is asked whenever all lines of a depth were reported, with the seconds so far; what the engine says
        after a yes is not kept. Longer than `ceiling` seconds is an error, and so are many times the nodes
        of the limit: the engine ignores it, and would search for as long as it is let.
        """
        if has_control(position) or has_control(go):
            raise EngineError("the position contains a line end, which an engine would take for a command")
        # One write for all: the engine need not wait for us between the commands.
        fresh = "ucinewgame\nisready\n" if clear else ""
        self._send(f"{fresh}position {position}\ngo {go}\n")
        start = time.monotonic()
        trace = Trace(n_lines, last_depth)
        stopped = False
        garbage = 0
        limit = _NODES.search(go)
        most = math.inf if limit is None else _OVER_LIMIT * int(limit[1]) + _UNCHECKED
        while True:
            text = self._read(min(self.patience, start + ceiling - time.monotonic()))
            if text.startswith(b"info "):
                line = None if stopped else parse_line(text)
                if line is not None and line.nodes > most:
                    raise EngineError(
                        f"{self.name} ignores its limit ({go}): use another, or a recipe limited by depth"
                    )
                if line is not None and trace.add(line) and stop_after is not None:
                    stopped = stop_after(trace, time.monotonic() - start)
                    if stopped:
                        trace.settle()
                        self._send("stop\n")
            elif text.startswith(b"bestmove"):
                break
            elif text != b"readyok":
                garbage += 1
                if garbage > _MAX_GARBAGE:
                    raise EngineError(f"{self.name} printed something that is not UCI{self._last_words()}")
        words = text.split()
        best = words[1].decode("ascii", "replace") if len(words) > 1 else ""
        return Search(trace, trace.nodes, time.monotonic() - start, best)

    def stop(self) -> None:
        """Ask the engine to end its search, and to answer with what it has; safe from any thread."""
        with contextlib.suppress(EngineError):
            self._send("stop\n")

    def close(self) -> None:
        """End the engine: politely first, then by force."""
        with contextlib.suppress(EngineError):
            self._send("stop\nquit\n")
        self._process.close()

    def kill(self) -> None:
        """End the engine at once; safe from any thread."""
        self._process.kill()

    def _handshake(self) -> None:
        deadline = time.monotonic() + self.start_patience
        try:
            self._send("uci\n")
            while (text := self._read(deadline - time.monotonic())) != b"uciok":
                words = text.decode("utf-8", "replace")
                if words.startswith("id name "):
                    self.name = printable(words[8:]).strip()[:_MOST_NAME]
                elif (match := _OPTION.fullmatch(words.strip())) is not None:
                    name, kind, default, least, most = match.groups()
                    self.options[name.lower()] = Option(
                        name, kind, (default or "").strip(), _number(least), _number(most)
                    )
            self.name = self.name or Path(self.command[0]).name
        except EngineError as error:
            raise EngineError(
                f"{self.command[0]} is not a working UCI engine ({error}): give another with --engine"
            ) from error

    def _send(self, text: str) -> None:
        try:
            self._process.write(os.fsencode(text))
        except (OSError, ValueError):
            raise EngineError(f"{self.name or self.command[0]} has died{self._last_words()}") from None

    def _read(self, seconds: float) -> bytes:
        """The next line, without its end; an error when none comes within `seconds`."""
        while not self._lines:
            chunk = self._process.read(seconds) if seconds > 0 else None
            if chunk is None:
                raise EngineError(f"{self.name or self.command[0]} does not answer{self._last_words()}")
            if not chunk:
                raise EngineError(f"{self.name or self.command[0]} has died{self._last_words()}")
            *lines, self._rest = (self._rest + chunk).replace(b"\r", b"").split(b"\n")
            self._lines.extend(lines)
            if len(self._rest) > _MAX_LINE_BYTES:
                raise EngineError(f"{self.name or self.command[0]} printed something that is not UCI")
        text = self._lines.popleft()
        if not text.startswith((b"info depth", b"option", b"id ", b"readyok")):
            self._said.append(text)
        return text

    def _last_words(self) -> str:
        """What the engine said besides its lines: often why it fails."""
        lines = [text.decode("utf-8", "replace").strip() for text in self._said]
        errors = [text.removeprefix("info string ") for text in lines if "ERROR" in text or "rror" in text]
        return f" (it printed: {printable(' '.join(errors))[:300]})" if errors else ""


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


# An engine as a process: in a group of its own, read with time-outs, ended with all that it forked. It never
# outlives the thread that started it, even when that one is killed: the kernel kills the engine (Linux), or
# it sees the end of its input (elsewhere). Needs a system that can poll pipes: Windows cannot.


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
