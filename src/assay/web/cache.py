"""Answers, cached until the workspace changes; computed once, however many ask at the same time.

Whoever asks waits as long as they have patience. What is not ready by then is shown when it is: until then
there is the answer from before the change, or none.
"""

from __future__ import annotations

import errno
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from assay.decisions.text import printable
from assay.errors import AssayError

_THREADS = 4
"""So many quick answers are computed at once; slow ones wait for one another, in a thread of their own."""

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
    ended: float = 0.0
    under_way: Future[None] | None = None
    next_state: Hashable = None
    """The state that what is under way will be of."""
    alarm: threading.Timer | None = None


class Cache:
    """Answers by key, each of some state of the workspace; those asked for longest ago go first."""

    def __init__(self, most: int = 200) -> None:
        self._most = most
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self._quick = ThreadPoolExecutor(_THREADS, thread_name_prefix="quick")
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="slow")
        self.version = 0
        """Rises whenever something was computed."""

    def get(
        self,
        key: Hashable,
        state: Hashable,
        make: Callable[[], Any],
        *,
        patience: float | None = None,
        slow: bool = False,
    ) -> Cached:
        """Give the answer under a key for a state of the workspace.

        None as patience waits to the end, for an answer of this very state. Errors told to people are answers
        too. What is `slow` keeps nothing waiting that is not.
        """
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            idle = [key for key, other in self._entries.items() if other.under_way is None]
            for old in idle[: max(0, len(self._entries) - self._most)]:
                del self._entries[old]
            if entry.answer.ready and entry.state == state:
                return entry.answer
            if entry.under_way is None:
                rested = time.monotonic() - entry.ended
                rest = _REST * entry.seconds - rested if entry.answer.ready else 0.0
                if patience is not None and rest > 0:
                    self._tell_after(entry, rest)
                else:
                    entry.next_state = state
                    workers = self._slow if slow else self._quick
                    entry.under_way = workers.submit(self._make, entry, state, make)
            under_way, next_state = entry.under_way, entry.next_state
        if under_way is not None:
            with suppress(TooSlow):
                under_way.result(patience)
            if patience is None and next_state != state:  # it was for an earlier state: once more, for this
                return self.get(key, state, make, slow=slow)
        with self._lock:
            return entry.answer if entry.state == state else replace(entry.answer, fresh=False)

    def close(self) -> None:
        """Begin nothing any more."""
        for workers in (self._quick, self._slow):
            workers.shutdown(wait=False, cancel_futures=True)

    def _tell_after(self, entry: _Entry, rest: float) -> None:
        """Have whoever looks at an old answer ask again when it has rested. With the lock held."""
        if entry.alarm is None:
            entry.alarm = threading.Timer(rest, self._tell, [entry])
            entry.alarm.daemon = True
            entry.alarm.start()

    def _tell(self, entry: _Entry) -> None:
        with self._lock:
            entry.alarm = None
            self.version += 1

    def _make(self, entry: _Entry, state: Hashable, make: Callable[[], Any]) -> None:
        begun = time.monotonic()
        try:
            answer = Cached(make(), ready=True, fresh=True)
        except Exception as error:
            answer = Cached(error=sentence_of(error), ready=True, fresh=True)
        with self._lock:
            entry.answer, entry.state, entry.under_way = answer, state, None
            entry.ended = time.monotonic()
            entry.seconds = entry.ended - begun
            self.version += 1


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
        f"something in assay went wrong ({type(error).__name__}): the terminal of assay serve says more"
    )
