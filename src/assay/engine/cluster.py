"""Engines on a Dask cluster: one persistent engine per worker, results to the coordinator only.

Needs the extra `cluster`. The workers need assay and the same engine installed; nothing else, no shared disk.
Dask runs what it is sent: docs/cluster.md says how to keep others out.
"""

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from distributed import Client, Future, WorkerPlugin, as_completed, get_worker

from assay.engine.engines import EngineConfig
from assay.engine.executors import Unit
from assay.engine.recipe import EngineIdentity, Recipe
from assay.engine.worker import TRIES, Failure, Outcome, Worker
from assay.errors import AssayError, MachineError

_CONNECT_SECONDS = 20
_WATCH_SECONDS = 5.0
"""How often is looked whether there are workers left."""
_UNITS_PER_ENGINE = 3
"""Units under way for each engine: one at work, the others at hand when it is done."""


_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado", "asyncio")
_FAILED = (Exception, asyncio.CancelledError)  # which is no Exception

_LOGGER = logging.getLogger("assay.cluster")


class Quiet:
    """Keeps what Dask and its libraries say of a lost connection to themselves: our own sentence says it."""

    def __init__(self) -> None:
        self._levels = {name: logging.getLogger(name).level for name in _LOGGERS}
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)

    def end(self) -> None:
        """Let them speak again."""
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)


class Watch:
    """Says when there are no workers left, since a run then waits for ever, and when there are some again."""

    def __init__(self, count: Callable[[], int], address: str, seconds: float = _WATCH_SECONDS) -> None:
        self._count, self._address, self._seconds = count, address, seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        waiting = False
        while not self._ended.wait(self._seconds):
            try:
                none = not self._count()
            except _FAILED:  # the scheduler has gone: the run sees it by itself
                return
            if none and not waiting:
                _LOGGER.warning(
                    "no workers are left at %s: waiting for some to join (Ctrl-C ends the run; what was "
                    "finished is kept)",
                    self._address,
                )
            elif waiting and not none:
                _LOGGER.warning("there are workers at %s again: going on", self._address)
            waiting = none

    def end(self) -> None:
        """Look no more."""
        self._ended.set()


class EnginePlugin(WorkerPlugin):  # type: ignore[misc]
    """Keeps the engines of one Dask worker: as many as tasks run at once, which is one with one thread."""

    def __init__(self, name: str, config: EngineConfig, recipe: Recipe, identity: EngineIdentity) -> None:
        self.name = name
        self._settings = (config, recipe, identity)

    def setup(self, worker: Any) -> None:
        """Called on the worker when it joins."""
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._started: list[Worker] = []

    def teardown(self, worker: Any) -> None:
        """Called on the worker when it leaves, or when the run has ended: also in the middle of a search."""
        for engine in self._started:
            engine.cancel()
        while not self._idle.empty():
            self._idle.get().close()

    def run(self, unit: Unit) -> Outcome:
        """Do a unit with an idle engine, or a new one."""
        try:
            engine = self._idle.get_nowait()
        except queue.Empty:
            engine = Worker(*self._settings)
            self._started.append(engine)
        try:
            outcome = engine.run(unit)
        except BaseException:
            engine.close()
            raise
        self._idle.put(engine)
        return outcome


def _run_unit(plugin: str, unit: Unit) -> Outcome:
    outcome: Outcome = get_worker().plugins[plugin].run(unit)
    return outcome


class DaskExecutor:
    """The engines of a Dask cluster."""

    unit_size = 8
    _watch: Watch | None = None

    def __init__(
        self, address: str, config: EngineConfig, recipe: Recipe, identity: EngineIdentity, name: str
    ) -> None:
        self.address = address
        self._walk = recipe.walk
        self._plugin = f"assay-{name}"
        self._quiet = Quiet()
        try:
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
            self._client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            self._quiet.end()
            raise MachineError(f"no Dask workers at {address}: start the cluster first ({error})") from None
        try:
            self._client.register_plugin(EnginePlugin(self._plugin, config, recipe, identity))
            self.n_engines = sum(self._client.nthreads().values())
        except (OSError, asyncio.CancelledError) as error:
            self.close()
            raise self._gone() from error
        self._watch = Watch(lambda: len(self._client.nthreads()), address, _WATCH_SECONDS)

    def run(self, units: Iterable[Unit]) -> Iterator[Outcome]:
        """Outcomes of the units, as they come. Units of workers that die go to others."""
        source = iter(units)
        under_way: dict[Future, tuple[Unit, int]] = {}
        suspects: list[Unit] = []
        arriving = as_completed(loop=self._client.loop)

        def submit(unit: Unit, tries: int) -> None:
            future = self._client.submit(_run_unit, self._plugin, unit, pure=False)
            under_way[future] = unit, tries
            arriving.add(future)

        for unit in islice(source, _UNITS_PER_ENGINE * self.n_engines):
            submit(unit, 1)
        while under_way or suspects:
            if not under_way:
                submit(suspects.pop(), TRIES)
            future = self._next(arriving)
            unit, tries = under_way.pop(future)
            outcome = self._result(future, unit)
            if outcome.lost and tries < TRIES:
                # One of its positions may be the cause: find out which. But a walk's answers depend on its
                # earlier searches, so it is done as a whole or not at all; the last time when nothing else
                # is under way, so that no game is put aside for the fault of another.
                if not self._walk:
                    for task in unit:
                        submit([task], TRIES)
                    continue
                if tries + 1 < TRIES:
                    submit(unit, tries + 1)
                    continue
                suspects.append(unit)
            else:
                yield outcome
            for fresh in islice(source, 1):
                submit(fresh, 1)

    def _next(self, arriving: Iterator[Future]) -> Future:
        try:
            return next(arriving)
        except _FAILED as error:
            raise self._gone() from error

    def _gone(self) -> MachineError:
        return MachineError(
            f"the cluster at {self.address} has gone: start it again and repeat the command, which goes on "
            "where it was"
        )

    def _result(self, future: Future, unit: Unit) -> Outcome:
        """The outcome of a unit: lost where Dask gave it up, having seen several workers die with it."""
        try:
            outcome: Outcome = future.result()
            return outcome
        except AssayError:
            raise
        except _FAILED as error:
            if self._client.status != "running":
                raise self._gone() from error
            reason = f"the Dask workers that had it died ({type(error).__name__})"
            failures = [Failure(task.position_key, reason) for task in unit]
            return Outcome(failures=failures, tasks=len(unit), lost=True)

    def close(self) -> None:
        """End the engines of this run and leave the cluster, if it is still there."""
        if self._watch is not None:
            self._watch.end()
        # What goes wrong here is a lost connection, of which the run's own error tells.
        with contextlib.suppress(*_FAILED):
            if self._client.status == "running":
                self._client.unregister_worker_plugin(self._plugin)
        with contextlib.suppress(*_FAILED):
            self._client.close()
        self._quiet.end()
