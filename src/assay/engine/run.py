"""Getting a backlog done: the engines at work, what comes of it, and what it costs in time and disk."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from assay.answers.prepared import AnalysisEstimate, AnalysisReport
from assay.engine.engines import EngineConfig
from assay.engine.queue import Backlog, Unit
from assay.engine.recipe import PLY_COST, Recipe
from assay.engine.worker import Engines, Failure, Outcome, Worker
from assay.errors import EngineError, InputError
from assay.executors import Dask, Executor, Serial, Threads
from assay.machine import usable_cores

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


def rough_seconds(backlog: Backlog, jobs: int | None = None) -> Rough:
    """How long a backlog takes here, without starting an engine."""
    each = _of_one_position(backlog.recipe)
    return each._replace(seconds=each.seconds * len(backlog) / engines_for(backlog, jobs))


def rough_for(recipe: Recipe, positions: int) -> float:
    """Seconds that so many positions take with an engine on every core, by the rule of thumb."""
    return _of_one_position(recipe).seconds * positions / usable_cores()


def seconds_for(backlog: Backlog, engine: EngineConfig, jobs: int | None, limit: float) -> float:
    """How long a backlog takes here, exact enough to tell whether it is more than `limit` seconds.

    Some positions are tried only where the rule of thumb leaves it open.
    """
    rough = rough_seconds(backlog, jobs)
    if limit / rough.factor < rough.seconds < limit * rough.factor:
        return estimate(backlog, engine, jobs).seconds
    return rough.seconds


def _of_one_position(recipe: Recipe) -> Rough:
    if recipe.depth is not None:
        lines = recipe.lines / 10
        return Rough(_DEPTH_SECONDS * lines * PLY_COST ** (recipe.depth - _DEPTH), 10.0)
    seconds = recipe.seconds or (recipe.nodes or 0) / NODES_PER_SECOND
    if recipe.enough is not None:
        return Rough(seconds / 3, 3.0)  # measured (docs/evidence/recipes.md)
    # A search that stops early takes some part of its limit, nobody knows which beforehand.
    return Rough(seconds / 4, 10.0) if recipe.adaptive else Rough(seconds, 3.0)
