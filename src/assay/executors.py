"""Where units of work are done: in this process, in several threads or processes, or on a Dask cluster.

Answers come in any order and do not depend on the executor. Dask needs the extra `cluster`; its workers need
assay installed, and no shared disk. Dask runs what it is sent: keep its ports closed to others.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from assay.errors import AssayError, InputError, MachineError

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 2
"""Units under way for each worker: one at work, one at hand."""

SPARE = 4
"""Units under way besides: workers go on while whoever deals out is busy, as with adding up answers."""

_CONNECT_SECONDS = 20
_WATCH_SECONDS = 5.0
"""How often a cluster is checked for workers."""

_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado", "asyncio")
_LOGGER = logging.getLogger("assay.cluster")


class Executor(Protocol):
    """Anything that does units of work, in any order."""

    workers: int

    def map(self, function: Callable[[T], R], units: Iterable[T]) -> Iterator[R]:
        """The answer of each unit, as it comes; few units are held at once."""

    def close(self) -> None:
        """End the workers."""


class Serial:
    """The process that asks."""

    workers = 1

    def map(self, function: Callable[[T], R], units: Iterable[T]) -> Iterator[R]:
        """The answer of each unit, in order."""
        return map(function, units)

    def close(self) -> None:
        """Nothing to end."""


class Threads:
    """Several threads of this process: for work that waits for other programs, such as engines."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: futures.Executor = futures.ThreadPoolExecutor(workers)

    def map(self, function: Callable[[T], R], units: Iterable[T]) -> Iterator[R]:
        """The answer of each unit, as it comes."""
        source = iter(units)
        under_way: set[futures.Future[R]] = set()
        while True:
            room = AHEAD * self.workers + SPARE - len(under_way)
            under_way |= {self._pool.submit(function, unit) for unit in islice(source, room)}
            if not under_way:
                return
            done, under_way = futures.wait(under_way, return_when=futures.FIRST_COMPLETED)
            for future in done:
                yield future.result()

    def close(self) -> None:
        """Wait for the units at work, and begin no others."""
        self._pool.shutdown(cancel_futures=True)


class Processes(Threads):
    """Several processes of this machine."""

    def __init__(self, workers: int) -> None:
        import multiprocessing

        self.workers = workers
        # Forked before anything is read, where that is safe: nothing is imported again.
        forks = sys.platform == "linux" and threading.active_count() == 1
        context = multiprocessing.get_context("fork" if forks else "spawn")
        self._pool = futures.ProcessPoolExecutor(workers, mp_context=context)
        if forks:
            self._pool.submit(int).result()

    def map(self, function: Callable[[T], R], units: Iterable[T]) -> Iterator[R]:
        """The answer of each unit, as it comes."""
        try:
            yield from super().map(function, units)
        except futures.BrokenExecutor as error:
            raise MachineError(
                "a worker process died, perhaps for want of memory: repeat the command with --jobs 1, which "
                "goes on where it was"
            ) from error

    def close(self) -> None:
        """End the processes, without waiting for the units at work."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Held(Protocol):
    """What each worker of a cluster holds while a run lasts, such as its engines."""

    def close(self) -> None:
        """End it; units may still be at work."""


class Dask:
    """The workers of a Dask cluster, each holding what `make` makes there, under `name`."""

    def __init__(self, address: str, name: str = "", make: Callable[[], Held] | None = None) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError("a cluster needs Dask: pip install distributed") from None
        self.address, self._name = address, f"assay-{name}"
        # What Dask and its libraries log of a lost connection is told in a sentence of our own.
        self._levels = {logger: logging.getLogger(logger).level for logger in _LOGGERS}
        for logger in _LOGGERS:
            logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
        self._closed = threading.Event()
        try:
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
            self._client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            self._let_loggers_speak()
            raise MachineError(f"no Dask workers at {address}: start the cluster first ({error})") from None
        try:
            if make is not None:
                self._client.register_plugin(_holder(self._name, make))
            self.workers = sum(self._client.nthreads().values())
        except _failures() as error:
            self.close()
            raise self._failure(error) from error
        threading.Thread(
            target=watch, args=(lambda: len(self._client.nthreads()), address, self._closed), daemon=True
        ).start()

    def map(
        self,
        function: Callable[[T], R],
        units: Iterable[T],
        *,
        parts: Callable[[T], Iterable[T]] | None = None,
        lost: Callable[[T, str], R] | None = None,
    ) -> Iterator[R]:
        """The answer of each unit, as it comes.

        Dask gives a unit up after several workers died with it. Its `parts` are then tried once more, each
        while nothing else is under way, so that none is blamed for the fault of another; `lost` is the
        answer of one that fails again. Without these the run ends with an error.
        """
        from distributed import as_completed

        source = iter(units)
        arriving = as_completed(loop=self._client.loop)
        under_way: dict[Any, tuple[T, bool]] = {}
        suspects: list[T] = []

        def submit(unit: T, suspect: bool) -> None:
            future = self._client.submit(function, unit, pure=False)
            under_way[future] = unit, suspect
            arriving.add(future)

        try:
            for unit in islice(source, AHEAD * self.workers + SPARE):
                submit(unit, suspect=False)
            while under_way or suspects:
                if not under_way:
                    submit(suspects.pop(), suspect=True)
                future = next(arriving)
                unit, suspect = under_way.pop(future)
                for fresh in islice(source, 1):
                    submit(fresh, suspect=False)
                try:
                    answer: R = future.result()
                    future.release()
                except AssayError:
                    raise
                except _failures() as error:
                    if self._client.status != "running" or parts is None or lost is None:
                        raise
                    if not suspect:
                        suspects += parts(unit)
                        continue
                    answer = lost(unit, f"the Dask workers that had it died ({type(error).__name__})")
                yield answer
        except AssayError:
            raise
        except _failures() as error:
            raise self._failure(error) from error

    def map_held(self, units: Iterable[T], **how: Any) -> Iterator[Any]:
        """The same by the method `run` of what the workers hold."""
        return self.map(partial(_run_held, self._name), units, **how)

    def _failure(self, error: BaseException) -> MachineError:
        gone = self._client.status != "running"
        what = "has gone" if gone else f"failed ({type(error).__name__})"
        return MachineError(
            f"the cluster at {self.address} {what}: start it again and repeat the command, which goes on "
            "where it was"
        )

    def close(self) -> None:
        """End what the workers hold and leave the cluster, if it is still there."""
        self._closed.set()
        # What goes wrong here is a lost connection, of which the run's own error tells.
        with contextlib.suppress(*_failures()):
            if self._client.status == "running":
                self._client.unregister_worker_plugin(self._name)
        with contextlib.suppress(*_failures()):
            self._client.close()
        self._let_loggers_speak()

    def _let_loggers_speak(self) -> None:
        for logger, level in self._levels.items():
            logging.getLogger(logger).setLevel(level)


def _failures() -> tuple[type[BaseException], ...]:
    """What Dask raises for a cluster that has gone: errors of many kinds, and one that is no Exception."""
    from asyncio import CancelledError

    return Exception, CancelledError


def _holder(name: str, make: Callable[[], Held]) -> Any:
    """A plugin for Dask's workers: made on each when it joins, ended when it leaves or the run ends."""
    from distributed import WorkerPlugin

    class Holder(WorkerPlugin):  # type: ignore[misc]
        def __init__(self) -> None:
            self.name = name

        def setup(self, worker: Any) -> None:
            self.held = make()

        def teardown(self, worker: Any) -> None:
            self.held.close()

    return Holder()


def _run_held(name: str, unit: Any) -> Any:
    from distributed import get_worker

    return get_worker().plugins[name].held.run(unit)


def watch(count: Callable[[], int], address: str, ended: threading.Event) -> None:
    """Warn when there are no workers left, since a run then waits for ever, and when some have joined."""
    waiting = False
    while not ended.wait(_WATCH_SECONDS):
        try:
            none = not count()
        except _failures():  # the scheduler has gone: the run sees it by itself
            return
        if none and not waiting:
            _LOGGER.warning(
                "no workers are left at %s: waiting for some to join (Ctrl-C ends the run; what was "
                "finished is kept)",
                address,
            )
        elif waiting and not none:
            _LOGGER.warning("there are workers at %s again: going on", address)
        waiting = none


def executor_for(jobs: int, cluster: str | None = None) -> Executor:
    """Where to work: on the cluster, if there is one, else in so many processes."""
    if cluster is not None:
        return Dask(cluster)
    return Serial() if jobs == 1 else Processes(jobs)


# What the machine gives to this process.


def usable_cores() -> int:
    """How many cores this process may use: not all there are where it is bound to some, as batch jobs are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def return_memory() -> None:
    """Give memory that was freed back to the system, where the C library keeps it for itself (glibc)."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library has no such call
            ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep numpy's and scipy's linear algebra to one thread: on many small matrices the others only spin."""
    calls = _blas()
    before = [get() for get, _ in calls]
    try:
        for _, set_number in calls:
            set_number(1)
        yield
    finally:
        for number, (_, set_number) in zip(before, calls, strict=True):
            set_number(number)


@cache
def _blas() -> tuple[tuple[Callable[[], int], Callable[[int], object]], ...]:
    """Calls that get and set the threads of each OpenBLAS that came with the wheels of numpy and scipy."""
    calls = []
    for name in ("numpy", "scipy"):
        package = sys.modules.get(name)
        if package is None or package.__file__ is None:
            continue
        for path in (Path(package.__file__).parents[1] / f"{name}.libs").glob("*openblas*"):
            for end in ("64_", ""):
                with suppress(OSError, AttributeError):
                    library = ctypes.CDLL(str(path))
                    names = [f"scipy_openblas_{verb}_num_threads{end}" for verb in ("get", "set")]
                    calls.append((getattr(library, names[0]), getattr(library, names[1])))
    return tuple(calls)
