"""A thin UCI session: writes commands, reads lines, parses only what is kept.

python-chess's engine module validates every variation against a board, which costs up to a third of the
time of a short search; here a line is split and its first move kept. Every read has a time-out, and an
engine never outlives the thread that started it, even when that one is killed: the kernel kills the engine
(Linux), or it sees the end of its input (elsewhere).
"""

import contextlib
import os
import re
import select
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.analysis.trace import Trace, parse_line
from assay.errors import EngineError

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

_OPTION = re.compile(r"option name (.+?) type (\w+)(?: default (.*?))?(?: min (-?\d+))?(?: max (-?\d+))?$")
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
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *self.command],
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
        try:
            self._handshake()
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Number of the engine's process."""
        return self._process.pid

    def set_option(self, name: str, value: str) -> None:
        """Change a setting; one that the engine does not offer is an error."""
        option = self.options.get(name.lower())
        if option is None:
            raise EngineError(
                f"{self.name} has no setting '{name}': use another engine, or leave the setting out"
            )
        if option.kind == "spin" and option.most is not None and int(value) > option.most:
            raise EngineError(
                f"{self.name} allows at most {option.most} for '{name}', the recipe asks for {value}: "
                "use another engine or another recipe"
            )
        self._send(f"setoption name {option.name} value {value}\n")

    def clear(self) -> None:
        """Forget all earlier searches, and wait until the engine is ready."""
        self._send("ucinewgame\nisready\n")
        self._wait_for(b"readyok")

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
        after a yes is not kept. Longer than `ceiling` seconds is an error.
        """
        # One write for all: the engine need not wait for us between the commands.
        fresh = "ucinewgame\nisready\n" if clear else ""
        self._send(f"{fresh}position {position}\ngo {go}\n")
        start = time.monotonic()
        trace = Trace(n_lines, last_depth)
        stopped = False
        garbage = 0
        while True:
            text = self._read(min(self.patience, start + ceiling - time.monotonic()))
            if text.startswith(b"info "):
                line = None if stopped else parse_line(text)
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
                    raise EngineError(f"{self.name} prints what is not UCI{self._last_words()}")
        words = text.split()
        best = words[1].decode("ascii", "replace") if len(words) > 1 else ""
        return Search(trace, trace.nodes, time.monotonic() - start, best)

    def close(self) -> None:
        """End the engine: politely first, then by force."""
        with contextlib.suppress(EngineError):
            self._send("stop\nquit\n")
        self._stdin.close()
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process.wait()
        self._stdout.close()

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
                    self.name = words[8:].strip()
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

    def _wait_for(self, answer: bytes) -> None:
        deadline = time.monotonic() + self.patience
        while self._read(deadline - time.monotonic()) != answer:
            pass

    def _send(self, text: str) -> None:
        try:
            self._stdin.write(text.encode("ascii"))
        except (OSError, ValueError):
            raise EngineError(f"{self.name or self.command[0]} has died{self._last_words()}") from None

    def _read(self, seconds: float) -> bytes:
        """The next line, without its end; an error when none comes within `seconds`."""
        while not self._lines:
            if seconds <= 0 or not self._poll.poll(seconds * 1000):
                raise EngineError(f"{self.name or self.command[0]} does not answer{self._last_words()}")
            chunk = os.read(self._stdout.fileno(), 1 << 16)
            if not chunk:
                raise EngineError(f"{self.name or self.command[0]} has died{self._last_words()}")
            *lines, self._rest = (self._rest + chunk).replace(b"\r", b"").split(b"\n")
            self._lines.extend(lines)
            if len(self._rest) > _MAX_LINE_BYTES:
                raise EngineError(f"{self.name or self.command[0]} prints what is not UCI")
        text = self._lines.popleft()
        if not text.startswith((b"info depth", b"option", b"id ", b"readyok")):
            self._said.append(text)
        return text

    def _last_words(self) -> str:
        """What the engine said besides its lines: often why it fails."""
        said = [text.decode("utf-8", "replace").strip() for text in self._said]
        kept = [text.removeprefix("info string ") for text in said if "ERROR" in text or "rror" in text]
        return f" (it said: {' '.join(kept)[:300]})" if kept else ""


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
