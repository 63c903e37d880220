"""What was worked out, kept until the workspace changes; worked out once, however many ask at the same time.

Whoever asks waits as long as they have patience. What is not ready by then is shown when it is: until then
there is the answer from before the change, or none.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from assay.web.sentences import sentence_of

_THREADS = 4
"""So many quick things are worked out at once; slow ones wait for one another, in a thread of their own."""

_REST = 4.0
"""While the workspace changes all the time, an answer is worked out anew after so many times as it took."""


@dataclass(frozen=True)
class Found:
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
class _Kept:
    """What is kept under a key."""

    found: Found = Found()
    state: Hashable = None
    seconds: float = 0.0
    ended: float = 0.0
    under_way: Future[None] | None = None
    of: Hashable = None
    """The state that what is under way will be of."""
    alarm: threading.Timer | None = None


class Shelf:
    """Answers by key, each of some state of the workspace; those asked for longest ago go first."""

    def __init__(self, most: int = 200) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._quick = ThreadPoolExecutor(_THREADS, thread_name_prefix="quick")
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="slow")
        self.version = 0
        """Rises whenever something was worked out."""

    def get(
        self,
        key: Hashable,
        state: Hashable,
        make: Callable[[], Any],
        *,
        patience: float | None = None,
        slow: bool = False,
    ) -> Found:
        """The answer under a key for a state of the workspace.

        None as patience waits to the end, for an answer of this very state. Errors told to people are answers
        too. What is `slow` keeps nothing waiting that is not.
        """
        with self._lock:
            one = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
            self._forget_some()
            if one.found.ready and one.state == state:
                return one.found
            if one.under_way is None and patience is not None and (rest := self._rest_of(one)) > 0:
                self._tell_after(one, rest)
            elif one.under_way is None:
                one.of = state
                workers = self._slow if slow else self._quick
                one.under_way = workers.submit(self._make, one, state, make)
            under_way, of = one.under_way, one.of
        if under_way is not None:
            with suppress(TooSlow):
                under_way.result(patience)
            if patience is None and of != state:  # it was for an earlier state: once more, for this one
                return self.get(key, state, make, slow=slow)
        with self._lock:
            found = one.found
            return found if one.state == state else Found(found.value, found.error, found.ready, False)

    def close(self) -> None:
        """Begin nothing any more."""
        for workers in (self._quick, self._slow):
            workers.shutdown(wait=False, cancel_futures=True)

    def _rest_of(self, one: _Kept) -> float:
        """Seconds until it may be worked out anew."""
        return _REST * one.seconds - (time.monotonic() - one.ended) if one.found.ready else 0.0

    def _tell_after(self, one: _Kept, rest: float) -> None:
        """Have whoever looks at an old answer ask again when it has rested. With the lock held."""
        if one.alarm is None:
            one.alarm = threading.Timer(rest, self._tell, [one])
            one.alarm.daemon = True
            one.alarm.start()

    def _tell(self, one: _Kept) -> None:
        with self._lock:
            one.alarm = None
            self.version += 1

    def _make(self, one: _Kept, state: Hashable, make: Callable[[], Any]) -> None:
        begun = time.monotonic()
        try:
            found = Found(make(), ready=True, fresh=True)
        except Exception as error:
            found = Found(error=sentence_of(error), ready=True, fresh=True)
        with self._lock:
            one.found, one.state, one.under_way = found, state, None
            one.ended = time.monotonic()
            one.seconds = one.ended - begun
            self.version += 1

    def _forget_some(self) -> None:
        idle = [key for key, one in self._kept.items() if one.under_way is None]
        for key in idle[: max(0, len(self._kept) - self._most)]:
            del self._kept[key]
