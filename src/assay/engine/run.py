"""Engines at work on a backlog: faults are met by restart and retry; what it gives, takes and costs."""

from __future__ import annotations

import os
import queue
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, chain
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from assay.answers.prepared import AnalysisEstimate, AnalysisReport
from assay.decisions import evaluation
from assay.decisions.evaluation import MATE
from assay.decisions.schema import ALONE, ANALYSES
from assay.engine.engines import EngineConfig, known_identity, open_engine, same_engine
from assay.engine.queue import Backlog, Unit
from assay.engine.recipe import PLY_COST, EngineIdentity, Recipe, recipe_id
from assay.engine.search import AloneRow, AnalysisRow, Task, rows_of_position
from assay.engine.uci import UciSession
from assay.errors import EngineError, InputError
from assay.executors import Dask, Executor, Serial, Threads, usable_cores

TRIES = 3
"""How often a position is tried before it is put aside."""


class Failure(NamedTuple):
    """A position that was put aside, and why."""

    position_key: str
    reason: str


@dataclass
class Outcome:
    """What came of some tasks."""

    rows: list[AnalysisRow] = field(default_factory=list)
    alone: list[AloneRow] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    tasks: int = 0
    busy: float = 0.0
    """Seconds that the engine searched."""
    lost: bool = False
    """Given up as a whole, since the machines that had it died: one fault, however many positions."""

    def add(self, other: Outcome) -> None:
        """Take in what came of other tasks."""
        self.rows += other.rows
        self.alone += other.alone
        self.failures += other.failures
        self.tasks += other.tasks
        self.busy += other.busy

    def tables(self, recipe_id: str) -> tuple[pa.Table, pa.Table]:
        """The rows as the tables `analyses` and `alone`."""
        return _analyses(self.rows, recipe_id), _alone(self.alone, recipe_id)


_PLAIN = frozenset(AnalysisRow._fields) & frozenset(ANALYSES.arrow.names)
"""Columns of the table analyses that are fields of its rows."""


def _analyses(rows: list[AnalysisRow], recipe_id: str) -> pa.Table:
    cp, mate = evaluation.decode(list(chain.from_iterable(row.values for row in rows)))
    ends = pa.array([0, *accumulate(len(row.values) for row in rows)], pa.int32())
    columns: dict[str, Any] = {name: [getattr(row, name) for row in rows] for name in _PLAIN}
    columns["recipe_id"] = [recipe_id] * len(rows)
    for place, name in enumerate(("trace_depth", "trace_move", "trace_value")):
        columns[name] = [[entry[place] for entry in row.trace] for row in rows]
    types = ANALYSES.arrow
    return pa.table(
        {name: pa.array(column, types.field(name).type) for name, column in columns.items()}
        | {"cp": pa.ListArray.from_arrays(ends, cp), "mate": pa.ListArray.from_arrays(ends, mate)}
    )


def _alone(rows: list[AloneRow], recipe_id: str) -> pa.Table:
    types = ALONE.arrow
    cp, mate = evaluation.decode([row.value for row in rows])
    columns = {
        name: pa.array([getattr(row, name) for row in rows], types.field(name).type)
        for name in ("position_key", "move", "depth", "nodes", "seconds")
    }
    for place, name in enumerate(("trace_depth", "trace_value")):
        lists = [None if row.trace is None else [step[place] for step in row.trace] for row in rows]
        columns[name] = pa.array(lists, types.field(name).type)
    columns["recipe_id"] = pa.array([recipe_id] * len(rows), pa.string())
    return pa.table({**columns, "cp": cp, "mate": mate})


class Cancelled(Exception):  # noqa: N818 - not an error: the run was told to end
    """The run was told to end."""


class Worker:
    """An engine with a recipe. Started when first needed, restarted after a fault."""

    def __init__(self, config: EngineConfig, recipe: Recipe, identity: EngineIdentity) -> None:
        self.config = config
        self.recipe = recipe
        self.identity = identity
        self._session: UciSession | None = None
        self._cancelled = threading.Event()

    def run(self, tasks: Sequence[Task]) -> Outcome:
        """Analyse the positions: one by one, or as a walk through a game where the recipe says so."""
        outcome = Outcome()
        units: Iterable[Sequence[Task]] = [tasks] if self.recipe.walk else ([task] for task in tasks)
        for unit in units:
            outcome.add(self._insist(unit))
        return outcome

    def cancel(self) -> None:
        """End at once; safe from any thread."""
        self._cancelled.set()
        session = self._session
        if session is not None:
            session.kill()

    def close(self) -> None:
        """End the engine."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def processor_seconds(self) -> float | None:
        """Processor time of the engine so far, which is started; None where the system does not tell."""
        return self._engine().processor_seconds

    def _insist(self, unit: Sequence[Task]) -> Outcome:
        """Do the tasks; after a fault all anew, since a walk's answers depend on its earlier searches."""
        tries: Counter[Task] = Counter()
        failures: list[Failure] = []
        left = list(unit)
        while True:
            outcome = Outcome()
            values: dict[int, int] = {}
            task = None
            try:
                fresh = True
                for task in left:
                    searched = self._examine(task, outcome, values, clear=fresh or not self.recipe.walk)
                    fresh = fresh and not searched
            except EngineError as error:
                assert task is not None
                self.close()
                if self._cancelled.is_set():
                    raise Cancelled from None
                tries[task] += 1
                if tries[task] == TRIES:
                    left.remove(task)
                    failures.append(Failure(task.position_key, str(error)))
                continue
            outcome.failures = failures
            outcome.tasks = len(unit)
            return outcome

    def _engine(self) -> UciSession:
        if self._session is None:
            if self._cancelled.is_set():
                raise Cancelled
            session, identity = open_engine(self.config, self.recipe)
            self._session = session
            if self._cancelled.is_set():
                session.kill()
            same_engine(self.identity, identity, socket.gethostname())
        return self._session

    def _examine(self, task: Task, outcome: Outcome, values: dict[int, int], *, clear: bool) -> bool:
        """Add the rows of one task to the outcome, and its value to those of the walk.

        Whether anything was searched: a walk that starts with a mate has yet to forget the game before.
        """
        import chess

        board = chess.Board(f"{task.position_key} 0 1")
        if not any(board.legal_moves):
            outcome.rows.append(AnalysisRow.without_options(task.position_key))
            values[task.ply] = -MATE if board.is_check() else 0
            return False
        if not board.is_valid():
            raise EngineError("the position is not possible in chess")
        start = time.monotonic()
        engine = self._engine()
        opened = time.monotonic() - start
        neighbours = [values[ply] for ply in (task.ply + 1, task.ply + 2) if ply in values]
        row, alone = rows_of_position(
            engine, self.identity, self.recipe, task, board, neighbours, clear=clear
        )
        if row is not None:
            outcome.rows.append(row)
            values[task.ply] = row.values[0]
        outcome.alone += alone
        outcome.busy += time.monotonic() - start - opened
        return True


class Engines:
    """The engines of one process: as many as units are at work at once, each started when first needed.

    An engine must not outlive the thread that started it (assay.engine.uci): the threads that call `run`
    stay until the engines are closed.
    """

    def __init__(self, config: EngineConfig, recipe: Recipe, identity: EngineIdentity) -> None:
        self._settings = (config, recipe, identity)
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._started: list[Worker] = []

    def run(self, unit: Sequence[Task]) -> Outcome:
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

    def close(self) -> None:
        """End idle engines politely, the others at once, in the middle of a search."""
        while not self._idle.empty():
            self._idle.get().close()
        for engine in self._started:
            engine.cancel()


# One position at a time: for a game that is being played.


class SingleEvaluator:
    """An engine that is asked about single positions. Close it when done."""

    def __init__(self, recipe: Recipe, config: EngineConfig) -> None:
        self.identity = known_identity(config, recipe)
        self.recipe = recipe
        self.recipe_id = recipe_id(recipe, self.identity)
        self._worker = Worker(config, recipe, self.identity)

    def analyse(
        self, position_key: str, history: str, played: str | None = None, depth: int | None = None
    ) -> Outcome:
        """The lines of a position, and the played move searched alone where it is not among them.

        Where the lines are known already, to a `depth`, only the played move is searched.
        """
        moves = () if played is None else (played,)
        task = Task(position_key, moves, depth, history=history if self.recipe.history else "")
        outcome = self._worker.run([task])
        if outcome.failures:
            raise EngineError(f"the engine failed on {position_key}: {outcome.failures[0].reason}")
        return outcome

    def close(self) -> None:
        """End the engine."""
        self._worker.close()


# A whole backlog.

_HOPELESS = 20
"""Failures in a row after which a run ends: the engine is at fault, not the positions."""

_UNIT_ON_CLUSTER = 8
"""Positions that a worker of a cluster does in a row, so that it need not be sent each by itself."""

_SAMPLE = 12
_SAMPLE_SECONDS = 10.0


def new_report(backlog: Backlog) -> AnalysisReport:
    """The report of a run that has yet to begin."""
    engine = backlog.identity.name
    return AnalysisReport(backlog.recipe.name, backlog.recipe_id, engine, backlog.wanted, len(backlog))


def run(
    backlog: Backlog,
    config: EngineConfig,
    report: AnalysisReport,
    keep: Callable[[Outcome], None],
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Callable[[AnalysisReport], None] | None = None,
) -> None:
    """Do a backlog with `jobs` engines here, or with those of the Dask scheduler at `cluster`.

    `keep` is given what came of each unit, as it comes; `report` is filled while it runs.
    """
    make = partial(Engines, config, backlog.recipe, backlog.identity)
    here = make()
    executor: Executor
    if cluster is not None:
        executor = Dask(cluster, backlog.recipe_id, make)
        outcomes = executor.map_held(
            backlog.units(_UNIT_ON_CLUSTER),
            # What may be the cause where a unit is lost; a walk's answers depend on its earlier searches.
            parts=lambda unit: [unit] if backlog.recipe.walk else [[task] for task in unit],
            lost=_lost,
        )
    else:
        n = min(_jobs(jobs, backlog.recipe), backlog.n_units)
        executor = Serial() if n == 1 else Threads(n)
        outcomes = executor.map(here.run, backlog.units(1))
    report.n_engines = executor.workers
    start = time.monotonic()
    hopeless = 0
    try:
        for outcome in outcomes:
            keep(outcome)
            report.done += outcome.tasks - len(outcome.failures)
            report.alone += len(outcome.alone)
            report.nodes += sum(row.nodes for row in (*outcome.rows, *outcome.alone))
            report.busy += outcome.busy
            report.failures += outcome.failures
            report.seconds = time.monotonic() - start
            if progress is not None:
                progress(report)
            faults = 1 if outcome.lost else len(outcome.failures)
            hopeless = 0 if outcome.rows or outcome.alone else hopeless + faults
            if hopeless >= _HOPELESS:
                raise EngineError(
                    f"{_HOPELESS} positions in a row failed, the last because {outcome.failures[-1].reason}: "
                    "check the engine with assay doctor"
                )
    finally:
        here.close()  # in the middle of a search
        executor.close()
        here.close()  # engines that ended their unit in between


def _lost(unit: Unit, reason: str) -> Outcome:
    failures = [Failure(task.position_key, reason) for task in unit]
    return Outcome(failures=failures, tasks=len(unit), lost=True)


def _jobs(jobs: int | None, recipe: Recipe) -> int:
    """How many engines to run here; refused where their hash tables cannot fit."""
    if jobs is not None and jobs < 1:
        raise InputError(f"the number of jobs must be at least 1, not {jobs}")
    n_engines = jobs or usable_cores()
    memory_mb = _memory_mb()
    if memory_mb is not None and n_engines * recipe.hash_mb > 0.8 * memory_mb:
        raise InputError(
            f"{n_engines} engines with hash tables of {recipe.hash_mb} MB need more than the {memory_mb} MB "
            "here: use fewer --jobs, or a cheaper --recipe (NAME:0.1)"
        )
    return n_engines


def _memory_mb() -> int | None:
    """Memory of this machine; None where the system does not tell (Windows)."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    except (AttributeError, ValueError, OSError):
        return None


def engines_for(backlog: Backlog, jobs: int | None = None) -> int:
    """How many engines would be at work on a backlog here."""
    return min(_jobs(jobs, backlog.recipe), max(1, backlog.n_units))


def estimate(backlog: Backlog, engine: EngineConfig, jobs: int | None = None) -> AnalysisEstimate:
    """Time and disk for a backlog, from the first few seconds of some of it; nothing is stored.

    By processor time, so that what else a machine does at the moment does not count; a recipe that is limited
    by the clock takes its time.
    """
    n_engines = engines_for(backlog, jobs)
    step = max(1, len(backlog) // _SAMPLE)
    sample = backlog.missing.take(pa.array(range(0, len(backlog), step)[:_SAMPLE], pa.int64()))
    tasks = list(replace(backlog, missing=sample).tasks())
    outcome = Outcome()
    worker = Worker(engine, backlog.recipe, backlog.identity)
    try:
        start, begun = time.monotonic(), worker.processor_seconds()
        for task in tasks:
            outcome.add(worker.run([task]))
            if time.monotonic() - start > _SAMPLE_SECONDS:
                break
        ended = worker.processor_seconds()
    finally:
        worker.close()
    seconds = outcome.busy
    if backlog.recipe.seconds is None and begun is not None and ended is not None and ended > begun:
        seconds = min(seconds, ended - begun)
    disk_bytes = 0
    for table in outcome.tables(backlog.recipe_id):
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        disk_bytes += len(sink.getvalue())
    share = len(backlog) / max(1, outcome.tasks)
    return AnalysisEstimate(
        len(backlog),
        n_engines,
        seconds * share / n_engines,
        round(disk_bytes * share),
        outcome.tasks,
        backlog.recipe.name,
        backlog.recipe_id,
        backlog.identity.name,
        backlog.wanted,
    )


NODES_PER_SECOND = 600_000
"""Of Stockfish with one thread on a machine of today, searched moves alone included."""

_DEPTH, _DEPTH_SECONDS = 16, 0.3
"""A depth, and the seconds that ten lines of it take."""


class Rough(NamedTuple):
    """Seconds by a rule of thumb, and the factor by which they may be wrong either way."""

    seconds: float
    factor: float


def rough_for(recipe: Recipe, positions: int) -> float:
    """Seconds that so many positions take with an engine on every core, by the rule of thumb."""
    return rough_each(recipe).seconds * positions / usable_cores()


def seconds_for(backlog: Backlog, engine: EngineConfig, jobs: int | None, limit: float) -> float:
    """How long a backlog takes here, exact enough to tell whether it is more than `limit` seconds.

    Some positions are tried only where the rule of thumb leaves it open.
    """
    each = rough_each(backlog.recipe)
    seconds = each.seconds * len(backlog) / engines_for(backlog, jobs)
    if limit / each.factor < seconds < limit * each.factor:
        return estimate(backlog, engine, jobs).seconds
    return seconds


def rough_each(recipe: Recipe) -> Rough:
    """What one position takes, by the rule of thumb."""
    if recipe.depth is not None:
        lines = recipe.lines / 10
        return Rough(_DEPTH_SECONDS * lines * PLY_COST ** (recipe.depth - _DEPTH), 10.0)
    seconds = recipe.seconds or (recipe.nodes or 0) / NODES_PER_SECOND
    if recipe.enough is not None:
        return Rough(seconds / 3, 3.0)  # as measured with Stockfish 15.1
    # A search that stops early takes some part of its limit, nobody knows which beforehand.
    return Rough(seconds / 4, 10.0) if recipe.adaptive else Rough(seconds, 3.0)
