"""The backlog: which positions the store lacks for a recipe; getting them done, and kept.

Nothing is computed twice: what is stored under the recipe's id is left out, and a position of a thousand
games is one task. Nothing is lost: rows are appended every few seconds, whole parts only, so however a run
ends, the next one goes on where it was.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.analysis.engines import EngineConfig, identify
from assay.analysis.executors import Executor, LocalPool, Serial, Unit
from assay.analysis.ledger import Ledger, record_recipe, stored_bytes
from assay.analysis.recipe import EngineIdentity, Recipe, recipe_id
from assay.analysis.worker import Failure, Outcome, Task
from assay.errors import EngineError, InputError
from assay.store.replay import replay
from assay.store.tables import PartTable, query

_HOPELESS = 20
"""Failures in a row after which a run ends: the engine is at fault, not the positions."""

_SAMPLE = 12
_SAMPLE_SECONDS = 10.0

_MISSING = """
    with done as (select position_key, moves, depth from analyses where recipe_id = $1),
         tried as (select position_key, move from alone where recipe_id = $1)
    select wanted.position_key,
           done.depth,
           coalesce(list(distinct wanted.played order by wanted.played) filter (
               where wanted.played is not null and tried.move is null
                     and (done.depth is null or not list_contains(done.moves, wanted.played))
           ), []) as played,
           min(wanted.place) as place
    from wanted
    left join done on done.position_key = wanted.position_key
    left join tried on tried.position_key = wanted.position_key and tried.move = wanted.played
    group by wanted.position_key, done.depth
    having done.depth is null or len(played) > 0
    order by place
"""


@dataclass(frozen=True)
class Backlog:
    """What is to be done for a recipe."""

    recipe: Recipe
    identity: EngineIdentity
    wanted: int
    """Different positions in the games that the recipe covers."""
    missing: pa.Table
    games: pa.Table

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
        start = self.games["start_fen"][task.game].as_py()
        moves = self.games["moves"][task.game].as_py()[: task.ply]
        return f"{f'fen {start}' if start else 'startpos'} moves {' '.join(moves)}"


def plan(
    games: pa.Table,
    analyses: PartTable,
    alone: PartTable,
    *,
    recipe: Recipe,
    engine: EngineConfig,
    limit: int | None = None,
) -> Backlog:
    """What is missing of these games for the recipe with this engine, at most `limit` positions of it."""
    if limit is not None and limit < 0:
        raise InputError(f"the limit must not be negative: {limit}")
    identity = identify(engine, recipe)
    wanted = positions_from(games, recipe.first_turn)
    if not recipe.alone:
        wanted = wanted.set_column(1, "played", pa.nulls(len(wanted), pa.string()))
    tables = {"analyses": analyses, "alone": alone, "wanted": wanted}
    missing = query(_MISSING, tables, [recipe_id(recipe, identity)])
    places = missing["place"].to_numpy()
    missing = missing.drop_columns(["place"])
    for name in ("game", "ply"):
        missing = missing.append_column(name, wanted[name].take(pa.array(places)))
    if recipe.walk:
        missing = missing.sort_by([("game", "ascending"), ("ply", "descending")])
    distinct = pc.count_distinct(wanted["position_key"]).as_py()
    return Backlog(recipe, identity, distinct, _limited(missing, recipe, limit), games)


def positions_from(games: pa.Table, first_turn: int) -> pa.Table:
    """Every position of the games from a turn on, with the move played there."""
    moves = games["moves"].combine_chunks() if games.num_rows else pa.array([], pa.list_(pa.string()))
    positions = replay(moves, games["start_fen"].to_pylist())
    sizes = np.diff(positions.offsets)
    game = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    ply = np.arange(len(game)) - positions.offsets[game]
    last = ply == sizes[game] - 1
    # One position more than moves in each game: count the games before to find the move.
    index = np.arange(len(game)) - game
    played = moves.flatten().take(pa.array(index, mask=last))
    table = pa.table(
        {"position_key": positions.keys, "played": played, "game": game, "ply": ply.astype(np.int16)}
    )
    covered = table.filter(pa.array(ply >= 2 * (first_turn - 1)))
    return covered.append_column("place", pa.array(np.arange(covered.num_rows)))


def _limited(missing: pa.Table, recipe: Recipe, limit: int | None) -> pa.Table:
    """The first positions; whole games where the recipe walks, since a walk is one piece of work."""
    if limit is None or limit >= missing.num_rows:
        return missing
    if recipe.walk and limit:
        last = missing["game"][limit - 1]
        return missing.filter(pc.less_equal(missing["game"], last))
    return missing.slice(0, limit)


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
    games: pa.Table,
    analyses: PartTable,
    alone: PartTable,
    *,
    recipe: Recipe,
    engine: EngineConfig | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit: int | None = None,
    progress: Callable[[AnalysisReport], None] | None = None,
) -> AnalysisReport:
    """Analyse what the store lacks of these games. The caller holds the writer's lock.

    `jobs` engines run on this machine, by default one per core; or those of the Dask scheduler at
    `cluster`. `progress` is called with the report so far. Interrupted, it keeps what was finished.
    """
    config = engine or EngineConfig()
    backlog = plan(games, analyses, alone, recipe=recipe, engine=config, limit=limit)
    report = AnalysisReport(
        recipe.name, backlog.recipe_id, backlog.identity.name, backlog.wanted, len(backlog)
    )
    about = {"recipe": recipe.describe(), "engine": backlog.identity.describe()}
    record_recipe(analyses, backlog.recipe_id, about)
    if not len(backlog):
        return report
    executor = _executor(backlog, config, jobs, cluster)
    report.n_engines = executor.n_engines
    ledger = Ledger(analyses, alone, backlog.recipe_id)
    try:
        _run(executor, backlog, ledger, report, progress)
    finally:
        try:
            executor.close()
        finally:
            ledger.close()
    return report


def _run(
    executor: Executor,
    backlog: Backlog,
    ledger: Ledger,
    report: AnalysisReport,
    progress: Callable[[AnalysisReport], None] | None,
) -> None:
    start = time.monotonic()
    hopeless = 0
    for outcome in executor.run(backlog.units(executor.unit_size)):
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


def _executor(backlog: Backlog, config: EngineConfig, jobs: int | None, cluster: str | None) -> Executor:
    if cluster is not None:
        try:
            from assay.analysis.cluster import DaskExecutor
        except ImportError:
            raise InputError("a cluster needs Dask: pip install 'assay-chess[cluster]'") from None
        return DaskExecutor(cluster, config, backlog.recipe, backlog.identity, backlog.recipe_id)
    n_engines = min(_jobs(jobs, backlog.recipe), backlog.n_units)
    if n_engines == 1:
        return Serial(config, backlog.recipe, backlog.identity)
    return LocalPool(n_engines, config, backlog.recipe, backlog.identity)


def _jobs(jobs: int | None, recipe: Recipe) -> int:
    """How many engines to run here; refused where their hash tables cannot fit."""
    if jobs is not None and jobs < 1:
        raise InputError(f"the number of jobs must be at least 1, not {jobs}")
    n_engines = jobs or usable_cores()
    memory_mb = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    if n_engines * recipe.hash_mb > 0.8 * memory_mb:
        raise InputError(
            f"{n_engines} engines with hash tables of {recipe.hash_mb} MB need more than the {memory_mb} MB "
            "here: use fewer --jobs, or a smaller --scale"
        )
    return n_engines


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    n_engines = min(_jobs(jobs, backlog.recipe), max(1, backlog.n_units))
    step = max(1, len(backlog) // _SAMPLE)
    tasks = [task for index, task in enumerate(backlog.tasks()) if index % step == 0][:_SAMPLE]
    outcome = Outcome()
    executor = Serial(engine, backlog.recipe, backlog.identity)
    try:
        start = time.monotonic()
        for result in executor.run([task] for task in tasks):
            outcome.add(result)
            if time.monotonic() - start > _SAMPLE_SECONDS:
                break
    finally:
        executor.close()
    share = len(backlog) / max(1, outcome.tasks)
    return Estimate(
        len(backlog),
        n_engines,
        outcome.busy * share / n_engines,
        round(stored_bytes(outcome, backlog.recipe_id) * share),
        outcome.tasks,
    )
