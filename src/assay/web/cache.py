"""Answers, cached until the workspace changes; computed once, however many ask at the same time.

Whoever asks waits as long as they have patience. What is not ready by then is shown when it is: until then
there is the answer from before the change, or none. The newest question is answered first, so that pages that
were left keep nobody waiting; a page that is open asks again and again, and so stays among the newest.
"""

from __future__ import annotations

import errno
import math
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import AssayError, printable

_THREADS = 4
"""So many quick answers are computed at once; slow ones one after another, in a thread of their own."""

_MOST_WAITING = 12
"""Of more questions that nobody waits for, those asked longest ago are forgotten until asked again."""

_REST = 4.0
"""While the workspace changes all the time, an answer is computed anew after so many times as it took."""


@dataclass(frozen=True)
class Cached:
    """An answer, or the sentence why there is none; neither where it is not ready."""

    value: Any = None
    error: str = ""
    ready: bool = False
    """Whether there is an answer or a sentence."""
    fresh: bool = False
    """Whether it is of the workspace as it is now."""

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.ready and not self.error


@dataclass
class _Entry:
    """What is cached under a key."""

    answer: Cached = Cached()
    state: Hashable = None
    seconds: float = 0.0
    begun: float = 0.0
    ended: float = 0.0
    running: bool = False
    make: Callable[[], Any] | None = None
    """Computes the answer when its turn comes; None where nothing is to be computed."""
    next_state: Hashable = None
    """The state that what is to be computed will be of."""
    waiting: int = 0
    """How many wait for it to the end."""
    alarm: threading.Timer | None = None


class Cache:
    """Answers by key, each of some state of the workspace; those asked for longest ago go first."""

    def __init__(self, most: int = 200) -> None:
        self._most = most
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._questions: dict[bool, OrderedDict[Hashable, _Entry]] = {
            slow: OrderedDict() for slow in (False, True)
        }
        """By whether they are slow: what is to be computed, the newest last."""
        self._changed = threading.Condition()
        self.closed = False
        """Whether the server is ending."""
        self.version = 0
        """Rises whenever something was computed."""
        for slow in (*[False] * _THREADS, True):
            # Daemons: a computation cannot be broken off, and the end of the server does not wait for it.
            threading.Thread(target=self._work, args=(slow,), name="answers", daemon=True).start()

    def get(
        self,
        key: Hashable,
        state: Hashable,
        make: Callable[[], Any],
        *,
        patience: float | None = None,
        slow: bool = False,
        rest: float = math.inf,
    ) -> Cached:
        """Give the answer under a key for a state of the workspace.

        None as patience waits to the end, for an answer of this state or a later one. Errors told to people
        are answers too. What is `slow` keeps nothing waiting that is not. `rest` is how many seconds an
        answer of an earlier state may stand at most before it is computed anew.
        """
        asked = time.monotonic()
        with self._changed:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            self._forget_oldest()

            def answered() -> bool:
                later = entry.begun >= asked and not entry.running  # else the answer is still the one before
                return entry.answer.ready and (entry.state == state or later)

            if answered():
                return entry.answer
            due = _REST * entry.seconds - (asked - entry.ended) if entry.answer.ready else 0.0
            rest = min(rest, due)
            if patience is None:
                entry.waiting += 1
                while not answered() and not self.closed:
                    self._question(key, entry, state, make, slow)
                    self._changed.wait()
                entry.waiting -= 1
            elif rest > 0 and not entry.running:
                self._tell_after(entry, rest)
            else:
                self._question(key, entry, state, make, slow)
                self._changed.wait_for(lambda: answered() or self.closed, patience)
            if self.closed and not answered():
                return Cached(error="assay serve is ending: start it again", ready=True)
            return entry.answer if answered() else replace(entry.answer, fresh=False)

    def close(self) -> None:
        """Begin nothing any more; nobody waits any longer."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    # With the lock held --------------------------------------------------------------------------------

    def _question(
        self, key: Hashable, entry: _Entry, state: Hashable, make: Callable[[], Any], slow: bool
    ) -> None:
        """Put a question before all others, unless it is being answered."""
        if entry.running:
            return
        entry.make, entry.next_state = make, state
        questions = self._questions[slow]
        questions[key] = entry
        questions.move_to_end(key)
        unwanted = [other for other, one in questions.items() if not one.waiting]
        for other in unwanted[: max(0, len(unwanted) - _MOST_WAITING)]:
            questions.pop(other).make = None
        self._changed.notify_all()

    def _forget_oldest(self) -> None:
        idle = [key for key, entry in self._entries.items() if not entry.running and entry.make is None]
        for old in idle[: max(0, len(self._entries) - self._most)]:
            del self._entries[old]

    def _tell_after(self, entry: _Entry, rest: float) -> None:
        """Have whoever looks at an old answer ask again when it has rested."""
        if entry.alarm is None:
            entry.alarm = threading.Timer(rest, self._tell, [entry])
            entry.alarm.daemon = True
            entry.alarm.start()

    # In threads ----------------------------------------------------------------------------------------

    def _tell(self, entry: _Entry) -> None:
        with self._changed:
            entry.alarm = None
            self.version += 1

    def _work(self, slow: bool) -> None:
        questions = self._questions[slow]
        while True:
            with self._changed:
                self._changed.wait_for(lambda: questions or self.closed)
                if self.closed:
                    return
                _, entry = questions.popitem()
                make, state, entry.make = entry.make, entry.next_state, None
                entry.running, entry.begun = True, time.monotonic()
            assert make is not None
            try:
                answer = Cached(make(), ready=True, fresh=True)
            except Exception as error:
                answer = Cached(error="" if self.closed else sentence_of(error), ready=True, fresh=True)
            with self._changed:
                entry.answer, entry.state, entry.running = answer, state, False
                entry.ended = time.monotonic()
                entry.seconds = entry.ended - entry.begun
                self.version += 1
                self._changed.notify_all()


def sentence_of(error: BaseException) -> str:
    """Say an error in one sentence; what is not the user's fault is also written to the terminal."""
    if isinstance(error, AssayError):
        return printable(str(error))
    if isinstance(error, MemoryError):
        return "there is not enough memory for this: ask about fewer games"
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return "the disk is full: free some space and try again; what was finished is kept"
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return printable(f"{error.filename} may not be read or written: choose another place")
    traceback.print_exception(error, file=sys.stderr)
    return printable(
        f"something in assay went wrong ({type(error).__name__}): the terminal of assay serve has details"
    )
