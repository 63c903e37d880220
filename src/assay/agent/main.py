"""`assay-agent`: the UCI loop. Answers `uciok` at once, and loads calibration and engine later.

A thread reads the commands, so that `stop`, `isready` and `quit` are heard while a move is thought about; it
ends the search when its input ends, as it does when the program that started it has died. The loop itself is
in the thread that starts the engine: an engine never outlives that.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TextIO

from assay.agent import HIGHEST, LOWEST
from assay.errors import AssayError, printable

if TYPE_CHECKING:
    from assay.agent.session import AgentSession

NAME = "Assay agent"

GRACE = 2.0
"""Seconds that are left to answer and to end the engine when the commands have ended."""

OPTIONS = (
    "option name UCI_LimitStrength type check default true",
    f"option name UCI_Elo type spin default 1800 min {LOWEST} max {HIGHEST}",
    "option name Seed type spin default 0 min 0 max 2147483647",
    "option name Player type string default <empty>",
    "option name Engine type string default <empty>",
    "option name MultiPV type spin default 1 min 1 max 218",
    "option name Ponder type check default false",
)
"""What is told before anything is loaded (assay.agent.session has the same limits)."""


class Loop:
    """Commands in, answers out."""

    def __init__(self, out: TextIO, engine: str | None = None, recipe: str | None = None) -> None:
        self._out, self._engine, self._recipe = out, engine, recipe
        self._saying = threading.Lock()
        self._session: AgentSession | None = None
        self._pending: list[tuple[str, str]] = []
        self._commands: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thinking = threading.Event()
        self._changing = threading.Lock()
        self._early: str | None = None
        """What was to end the first search before all was loaded."""

    def say(self, text: str) -> None:
        """One line to whoever plays against us; gone readers are no error, the end of input follows."""
        with self._saying:
            try:
                self._out.write(f"{text}\n")
                self._out.flush()
            except (OSError, ValueError):
                self._commands.put(None)

    def tell(self, text: str) -> None:
        """One line for people."""
        self.say(f"info string {printable(text)}")

    def read(self, lines: Iterable[str]) -> None:
        """Take in commands; those that concern the search under way act at once."""
        for line in lines:
            word = line.split()[:1]
            if word == ["quit"]:
                break
            if word in (["stop"], ["ponderhit"]):
                self._interrupt(word[0])
                continue
            if word == ["isready"] and self._thinking.is_set():
                self.say("readyok")
                continue
            if word == ["go"]:
                self._thinking.set()  # before the next line is read: a `stop` may follow at once
                if self._session is not None:
                    self._session.begin()
            self._commands.put(line)
        self._interrupt("stop")
        self._commands.put(None)

    def _interrupt(self, word: str) -> None:
        """`stop` or `ponderhit`: for the search under way, or the one that waits for all to be loaded."""
        with self._changing:
            if self._session is None:
                self._early = word if self._thinking.is_set() else None
            elif self._thinking.is_set():
                self._session.stop() if word == "stop" else self._session.ponderhit()

    def run(self) -> None:
        """Answer until the commands end."""
        try:
            while (line := self._commands.get()) is not None:
                self._answer(line)
        finally:
            if self._session is not None:
                self._session.close()

    def _answer(self, line: str) -> None:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                for text in (f"id name {NAME}", "id author the Assay project", *OPTIONS, "uciok"):
                    self.say(text)
            case ["isready"]:
                self._guarded(lambda: self._loaded().load())
                self.say("readyok")
            case ["setoption"]:
                self._guarded(lambda: self._set(words[1:]))
            case ["ucinewgame"]:
                self._guarded(lambda: self._loaded().new_game())
            case ["position"]:
                self._guarded(lambda: self._loaded().set_position(words[1:]))
            case ["go"]:
                try:
                    self._guarded(lambda: self._loaded().go(words[1:]), otherwise="bestmove (none)")
                finally:
                    self._thinking.clear()

    def _set(self, words: list[str]) -> None:
        """`setoption name NAME value VALUE`: kept until what it concerns is loaded."""
        split = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:split]).lower(), " ".join(words[split + 1 :])
        if self._session is None:
            self._pending.append((name, value))
        else:
            self._session.set_option(name, value)

    def _loaded(self) -> AgentSession:
        if self._session is None:
            from assay.agent.session import AgentSession

            session = AgentSession(self.say, self.tell, self._engine, self._recipe)
            with self._changing:
                self._session = session
                if self._early is not None:
                    session.stop() if self._early == "stop" else session.ponderhit()
            for name, value in self._pending:
                self._guarded(lambda name=name, value=value: session.set_option(name, value))  # type: ignore[misc]
            self._pending.clear()
        return self._session

    def _guarded(self, do: Callable[[], None], otherwise: str | None = None) -> None:
        """Faults are told in one line; the program that plays against us goes on."""
        try:
            do()
        except AssayError as error:
            self.tell(str(error))
            if otherwise is not None:
                self.say(otherwise)


def main(engine: str | None = None, recipe: str | None = None) -> int:
    """Serve standard input and output until one of them ends."""
    loop = Loop(sys.stdout, engine, recipe)
    threading.Thread(target=_read_and_leave, args=(loop, sys.stdin), daemon=True).start()
    try:
        loop.run()
    except KeyboardInterrupt:
        return 130
    finally:
        # A reader that is gone cannot take what is left in the buffer.
        if not _flushed(sys.stdout):
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    return 0


def _read_and_leave(loop: Loop, lines: Iterable[str]) -> None:
    """Read to the end; where the loop does not end then, as while an engine hangs that starts, end all."""
    loop.read(lines)
    time.sleep(GRACE)
    os._exit(0)


def _flushed(out: TextIO) -> bool:
    try:
        out.flush()
    except (OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
