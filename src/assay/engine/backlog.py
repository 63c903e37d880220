"""The backlog: which positions the store lacks for a recipe; getting them done, and kept.

Nothing is computed twice: what is stored under the recipe's id is left out, and a position of a thousand
games is one task. Nothing is lost: rows are appended every few seconds, whole parts only, so however a run
ends, the next one goes on where it was.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, islice

import pyarrow as pa
import pyarrow.compute as pc

from assay.engine.engines import EngineConfig
from assay.engine.identity import known_identity
from assay.engine.ledger import Ledger, record_recipe, stored_bytes
from assay.engine.lines import GameLines
from assay.engine.recipe import EngineIdentity, Recipe, recipe_id
from assay.engine.signature import check_signature
from assay.engine.wanted import Wanted
from assay.engine.worker import Engines, Failure, Outcome, Task, Worker
from assay.errors import EngineError, InputError
from assay.executors import Dask, Executor, Serial, Threads
from assay.machine import usable_cores
from assay.store.tables import PartTable

_HOPELESS = 20
"""Failures in a row after which a run ends: the engine is at fault, not the positions."""

_UNIT_ON_CLUSTER = 8
"""Positions that a worker of a cluster does in a row, so that it need not be sent each by itself."""

_SAMPLE = 12
_SAMPLE_SECONDS = 10.0

_ROWS_AT_ONCE = 50_000

Unit = Sequence[Task]


@dataclass(frozen=True)
class Backlog:
    """What is to be done for a recipe."""

    recipe: Recipe
    identity: EngineIdentity
    wanted: int
    """Different positions in the games that the recipe covers."""
    missing: pa.Table
    games: GameLines

    @property
    def recipe_id(self) -> str:
        """The recipe's id with this engine."""
        return recipe_id(self.recipe, self.identity)

    def __len__(self) -> int:
        return int(self.missing.num_rows)

    @property
    def n_units(self) -> int:
        """How many pieces of work could go on at once."""
        return pc.count_distinct(self.missing["game"]).as_py() if self.recipe.walk else len(self)

    def tasks(self) -> Iterator[Task]:
        """The tasks in order: game by game, backwards through each where the recipe walks."""
        for batch in self.missing.to_batches(max_chunksize=1000):
            for row in batch.to_pylist():
                task = Task(row["position_key"], tuple(row["played"]), row["depth"], row["ply"], row["game"])
                yield task._replace(history=self._history(task)) if self.recipe.history else task

    def units(self, size: int) -> Iterator[Unit]:
        """The tasks in units: games where the recipe walks, else `size` tasks."""
        tasks = self.tasks()
        if self.recipe.walk:
            for _, walk in groupby(tasks, key=lambda task: task.game):
                yield list(walk)
        else:
            while unit := list(islice(tasks, size)):
                yield unit

    def _history(self, task: Task) -> str:
        start = self.games.starts.get(task.game)
        moves = self.games.moves(task.game, task.ply)
        return f"{f'fen {start}' if start else 'startpos'} moves {' '.join(moves)}"


def plan(
    games: pa.Table | Iterable[pa.Table],
    analyses: PartTable,
    alone: PartTable,
    *,
    recipe: Recipe,
    engine: EngineConfig,
    limit: int | None = None,
) -> Backlog:
    """What is missing of these games for the recipe with this engine, at most `limit` positions of it.

    Games are a table with the columns `moves` and `start_fen`, or several that need not be there at once.
    """
    if limit is not None and limit < 0:
        raise InputError(f"the limit must not be negative: {limit}")
    identity = known_identity(engine, recipe)
    lines = GameLines.of(games)
    wanted = Wanted(lines, recipe.first_turn, alone=recipe.alone)
    stored = recipe_id(recipe, identity)
    columns = ["moves"] if recipe.alone else []
    wanted.note_lines(rows_of(analyses, stored, ["position_key", "depth", *columns]))
    if recipe.alone:
        wanted.note_alone(rows_of(alone, stored, ["position_key", "move"]))
    missing = wanted.missing(limit, whole_games=recipe.walk)
    if recipe.walk:
        missing = missing.sort_by([("game", "ascending"), ("ply", "descending")])
    return Backlog(recipe, identity, len(wanted), missing, lines)


def rows_of(table: PartTable, recipe_id: str, columns: list[str]) -> Iterator[pa.Table]:
    """What is stored for one recipe, some rows at a time."""
    for rows in table.chunks(_ROWS_AT_ONCE, [*columns, "recipe_id"]):
        yield rows.filter(pc.equal(rows["recipe_id"], recipe_id)).select(columns)


@dataclass
class AnalysisReport:
    """What a run did; also what the progress display shows while it runs."""

    recipe: str
    recipe_id: str
    engine: str
    wanted: int
    missing: int
    n_engines: int = 0
    done: int = 0
    alone: int = 0
    nodes: int = 0
    seconds: float = 0.0
    busy: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Positions per second."""
        return self.done / self.seconds if self.seconds else 0.0

    @property
    def busy_share(self) -> float:
        """Share of the time that the engines were at work."""
        return min(1.0, self.busy / (self.seconds * self.n_engines)) if self.seconds else 0.0


def analyse(
    games: pa.Table | Iterable[pa.Table],
    analyses: PartTable,
    alone: PartTable,
    *,
    recipe: Recipe,
    engine: EngineConfig | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit: int | None = None,
    before: Callable[[Backlog, EngineConfig], None] | None = None,
    progress: Callable[[AnalysisReport], None] | None = None,
) -> AnalysisReport:
    """Analyse what the store lacks of these games. The caller holds the writer's lock.

    `jobs` engines run on this machine, by default one per core; or those of the Dask scheduler at
    `cluster`. `before` is shown what is to be done, and may object by raising an error. `progress` is
    called with the report so far. Interrupted, it keeps what was finished. An engine that goes by the name
    of a known one is refused: an Elo scale may rest on it.
    """
    config = engine or EngineConfig()
    backlog = plan(games, analyses, alone, recipe=recipe, engine=config, limit=limit)
    report = AnalysisReport(
        recipe.name, backlog.recipe_id, backlog.identity.name, backlog.wanted, len(backlog)
    )
    about = {"recipe": recipe.describe(), "engine": backlog.identity.describe()}
    record_recipe(analyses, backlog.recipe_id, about)
    if not len(backlog):
        for table in (analyses, alone):  # a run may have been killed while it joined its last parts
            table.clean()
        return report
    if before is not None:
        before(backlog, config)
    check_signature(config, recipe)
    engines = _EnginesAtWork(backlog, config, jobs, cluster)
    report.n_engines = engines.n
    ledger = Ledger(analyses, alone, backlog.recipe_id)
    try:
        _run(engines, ledger, report, progress)
    finally:
        try:
            engines.close()
        finally:
            ledger.close()
    return report


def _run(
    engines: _EnginesAtWork,
    ledger: Ledger,
    report: AnalysisReport,
    progress: Callable[[AnalysisReport], None] | None,
) -> None:
    start = time.monotonic()
    hopeless = 0
    for outcome in engines.outcomes():
        ledger.add(outcome)
        _count(report, outcome)
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


def _count(report: AnalysisReport, outcome: Outcome) -> None:
    report.done += outcome.tasks - len(outcome.failures)
    report.alone += len(outcome.alone)
    report.nodes += sum(row.nodes for row in outcome.rows) + sum(row.nodes for row in outcome.alone)
    report.busy += outcome.busy
    report.failures += outcome.failures


class _EnginesAtWork:
    """The engines of a run: in this thread, one a core, or those of a cluster."""

    def __init__(self, backlog: Backlog, config: EngineConfig, jobs: int | None, cluster: str | None) -> None:
        self._backlog = backlog
        make = partial(Engines, config, backlog.recipe, backlog.identity)
        self._here = make()
        self._executor: Executor
        if cluster is not None:
            self._executor = Dask(cluster, backlog.recipe_id, make)
        else:
            n = min(_jobs(jobs, backlog.recipe), backlog.n_units)
            self._executor = Serial() if n == 1 else Threads(n)
        self.n = self._executor.workers

    def outcomes(self) -> Iterator[Outcome]:
        """What comes of the backlog, in any order."""
        if not isinstance(self._executor, Dask):
            return self._executor.map(self._here.run, self._backlog.units(1))
        return self._executor.map_held(self._backlog.units(_UNIT_ON_CLUSTER), parts=self._parts, lost=_lost)

    def _parts(self, unit: Unit) -> list[Unit]:
        """What of a unit that was lost may be the cause; a walk's answers depend on its earlier searches."""
        return [unit] if self._backlog.recipe.walk else [[task] for task in unit]

    def close(self) -> None:
        """End all engines, at once."""
        self._here.close()
        self._executor.close()


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
            "here: use fewer --jobs, or a smaller --scale"
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


@dataclass(frozen=True)
class Estimate:
    """What a backlog will cost here, from a short measurement."""

    positions: int
    n_engines: int
    seconds: float
    disk_bytes: int
    sampled: int


def estimate(backlog: Backlog, engine: EngineConfig, jobs: int | None = None) -> Estimate:
    """Time and disk for a backlog, from the first few seconds of some of it; nothing is stored."""
    n_engines = engines_for(backlog, jobs)
    step = max(1, len(backlog) // _SAMPLE)
    some = backlog.missing.take(pa.array(range(0, len(backlog), step)[:_SAMPLE], pa.int64()))
    tasks = list(replace(backlog, missing=some).tasks())
    outcome = Outcome()
    worker = Worker(engine, backlog.recipe, backlog.identity)
    try:
        start = time.monotonic()
        for task in tasks:
            outcome.add(worker.run([task]))
            if time.monotonic() - start > _SAMPLE_SECONDS:
                break
    finally:
        worker.close()
    share = len(backlog) / max(1, outcome.tasks)
    return Estimate(
        len(backlog),
        n_engines,
        outcome.busy * share / n_engines,
        round(stored_bytes(outcome, backlog.recipe_id) * share),
        outcome.tasks,
    )
