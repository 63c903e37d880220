"""Where the engines run: in this thread, one per core, or on a cluster (assay.engine.cluster).

An executor takes units of work (tasks that one engine does in a row) and gives back their outcomes in any
order. Answers do not depend on the executor: each task states all that decides it.
"""

import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from assay.engine.engines import EngineConfig
from assay.engine.recipe import EngineIdentity, Recipe
from assay.engine.worker import Cancelled, Outcome, Task, Worker

Unit = Sequence[Task]


class Executor(Protocol):
    """Anything that does units of work."""

    n_engines: int
    unit_size: int
    """How many tasks should go into one unit."""

    def run(self, units: Iterable[Unit]) -> Iterator[Outcome]:
        """Outcomes of the units, as they come."""

    def close(self) -> None:
        """End all engines, at once."""


class Serial:
    """One engine, driven by the calling thread."""

    n_engines = 1
    unit_size = 1

    def __init__(self, config: EngineConfig, recipe: Recipe, identity: EngineIdentity) -> None:
        self._worker = Worker(config, recipe, identity)

    def run(self, units: Iterable[Unit]) -> Iterator[Outcome]:
        """Outcomes of the units, one after the other."""
        for unit in units:
            yield self._worker.run(unit)

    def close(self) -> None:
        """End the engine."""
        self._worker.close()


class LocalPool:
    """Several engines, each driven by a thread of its own.

    The threads only wait for their engines and split lines, so they do not hinder one another; and unlike a
    pool of Python processes this works from any script.
    """

    unit_size = 1

    def __init__(
        self, n_engines: int, config: EngineConfig, recipe: Recipe, identity: EngineIdentity
    ) -> None:
        self.n_engines = n_engines
        self._workers = [Worker(config, recipe, identity) for _ in range(n_engines)]
        self._threads: list[threading.Thread] = []

    def run(self, units: Iterable[Unit]) -> Iterator[Outcome]:
        """Outcomes of the units, as they come."""
        results: queue.SimpleQueue[Outcome | BaseException | None] = queue.SimpleQueue()
        source = _Shared(units)
        self._threads = [
            threading.Thread(target=_serve, args=(worker, source, results), daemon=True)
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()
        running = len(self._threads)
        while running:
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                running -= 1
            else:
                yield result

    def close(self) -> None:
        """End all engines, at once."""
        for worker in self._workers:
            worker.cancel()
        for thread in self._threads:
            thread.join()


class _Shared:
    """An iterator that several threads draw from."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self._units = iter(units)
        self._lock = threading.Lock()

    def draw(self) -> Unit | None:
        with self._lock:
            return next(self._units, None)


def _serve(
    worker: Worker, source: _Shared, results: "queue.SimpleQueue[Outcome | BaseException | None]"
) -> None:
    """Do units until there are none left. The engine must end with the thread that started it."""
    try:
        while (unit := source.draw()) is not None:
            results.put(worker.run(unit))
    except Cancelled:
        pass
    except BaseException as error:
        results.put(error)
    finally:
        worker.close()
        results.put(None)
