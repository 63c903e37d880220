"""Where blocks are read: in this process, in one process per core, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Protocol, TypeVar

from assay.errors import AssayError, MachineError

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 2
"""Units under way for each worker: one at work, one at hand."""

SPARE = 4
"""Units under way besides: workers go on while whoever deals out is busy, as with adding up answers."""

_CONNECT_SECONDS = 20


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


class Processes:
    """Several processes of this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        # Forked before anything is read, where that is safe: nothing is imported again.
        forks = sys.platform == "linux" and threading.active_count() == 1
        context = multiprocessing.get_context("fork" if forks else "spawn")
        self._pool = ProcessPoolExecutor(workers, mp_context=context)
        if forks:
            self._pool.submit(int).result()

    def map(self, function: Callable[[T], R], units: Iterable[T]) -> Iterator[R]:
        """The answer of each unit, as it comes."""
        source = iter(units)
        under_way: set[Future[R]] = set()
        try:
            while True:
                room = AHEAD * self.workers + SPARE - len(under_way)
                under_way |= {self._pool.submit(function, unit) for unit in islice(source, room)}
                if not under_way:
                    return
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for one in done:
                    yield one.result()
        except BrokenProcessPool as error:
            raise MachineError(
                "a worker process died, perhaps for want of memory: repeat the command with --jobs 1, which "
                "goes on where it was"
            ) from error

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Dask:
    """The workers of a Dask cluster. They need assay installed; nothing else, no shared disk."""

    def __init__(self, address: str) -> None:
        from distributed import Client

        self.address = address
        try:
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
            self._client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            raise MachineError(f"no Dask workers at {address}: start the cluster first ({error})") from None
        self.workers = sum(self._client.nthreads().values())

    def map(self, function: Callable[[T], R], units: Iterable[T]) -> Iterator[R]:
        """The answer of each unit, as it comes."""
        from distributed import as_completed

        source = iter(units)
        arriving = as_completed(loop=self._client.loop)
        under_way = 0

        def submit(most: int) -> int:
            some = [self._client.submit(function, unit, pure=False) for unit in islice(source, most)]
            arriving.update(some)
            return len(some)

        try:
            under_way = submit(AHEAD * self.workers + SPARE)
            while under_way:
                future = next(arriving)
                under_way -= 1
                answer: R = future.result()
                future.release()
                under_way += submit(1)
                yield answer
        except AssayError:
            raise
        except Exception as error:  # Dask raises errors of many kinds for a cluster that has gone
            raise MachineError(
                f"the cluster at {self.address} failed ({type(error).__name__}): start it again and repeat "
                "the command, which goes on where it was"
            ) from error

    def close(self) -> None:
        """Leave the cluster."""
        with contextlib.suppress(Exception):
            self._client.close()


def executor_for(jobs: int, cluster: str | None = None) -> Executor:
    """Where to work: on the cluster, if there is one, else in so many processes."""
    if cluster is not None:
        return Dask(cluster)
    return Serial() if jobs == 1 else Processes(jobs)
