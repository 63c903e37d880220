"""Analysis against the engine's own speed, and against a plain python-chess loop, in the same run.

Positions come from the bundled example games, so that this runs everywhere.
"""

import dataclasses
import itertools
import math
import os
import random
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pyarrow as pa

from assay.answers.prepared import AnalysisReport
from assay.decisions.schema import ALONE, ANALYSES
from assay.engine.engines import EngineConfig, find_engine, identify
from assay.engine.recipe import NAMED, Recipe
from assay.engine.replay import replay
from assay.engine.run import Outcome, Task, Worker
from assay.engine.search import AnalysisRow
from assay.errors import EngineError
from assay.workspace import Workspace
from assay.workspace.analyses import Ledger, analyse, plan
from assay.workspace.tables import PartTable
from benchmarks.measure import MissingError, best_seconds, row

POSITIONS = 30
ROUNDS = 5
STANDARD = NAMED["standard"]


def _games() -> pa.Table:
    with tempfile.TemporaryDirectory() as place:
        workspace = Workspace(Path(place) / "w.assay")
        workspace.import_games(Path(str(resources.files("assay"))) / "data" / "examples")
        return workspace.games().select(["moves", "start_fen"])


def _spread(games: pa.Table, n: int) -> list[str]:
    """Positions spread over the games, those with nothing to search left out."""
    keys = list(dict.fromkeys(replay(games["moves"]).keys.to_pylist()))
    chosen = [key for key in keys if chess.Board(f"{key} 0 1").legal_moves.count() > 1]
    return chosen[:: max(1, len(chosen) // n)][:n]


def _one_position_games(keys: list[str]) -> pa.Table:
    """Positions as games without moves, so that nothing but their lines is asked for."""
    return pa.table(
        {
            "moves": pa.array([[]] * len(keys), pa.list_(pa.string())),
            "start_fen": pa.array([f"{key} 0 1" for key in keys]),
        }
    )


def _ours(
    games: pa.Table, recipe: Recipe, jobs: int, progress: Callable[[AnalysisReport], None] | None = None
) -> AnalysisReport:
    with tempfile.TemporaryDirectory() as place:
        tables = PartTable(Path(place) / "analyses", ANALYSES), PartTable(Path(place) / "alone", ALONE)
        config = EngineConfig(find_engine())
        return analyse(games, *tables, recipe=recipe, engine=config, jobs=jobs, progress=progress)


class _EngineAlone:
    """The engine by itself: its answers are thrown away unread but for the end of each."""

    def __init__(self) -> None:
        self._engine = subprocess.Popen(
            [find_engine()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        options = {"Hash": STANDARD.hash_mb, "MultiPV": STANDARD.lines, "UCI_ShowWDL": "true"}
        self._send("".join(f"setoption name {name} value {value}\n" for name, value in options.items()))

    def _send(self, text: str) -> None:
        assert self._engine.stdin is not None
        self._engine.stdin.write(text.encode())

    def __call__(self, key: str) -> None:
        assert self._engine.stdout is not None
        self._send(f"ucinewgame\nposition fen {key} 0 1\ngo {STANDARD.limit}\n")
        answer = b""
        while b"bestmove" not in answer:
            answer = answer[-8:] + self._engine.stdout.read(1 << 16)

    def close(self) -> None:
        self._engine.communicate(b"quit\n")


class _PythonChess:
    """The loop that one writes first, keeping what we keep: every line of every depth."""

    def __init__(self) -> None:
        self._engine = chess.engine.SimpleEngine.popen_uci(find_engine())
        self._engine.configure({"Hash": STANDARD.hash_mb})
        self._games = itertools.count()

    def __call__(self, key: str) -> None:
        board, limit = chess.Board(f"{key} 0 1"), chess.engine.Limit(nodes=STANDARD.nodes)
        # Another game each time: the engine's hash is cleared.
        with self._engine.analysis(board, limit, multipv=STANDARD.lines, game=next(self._games)) as analysis:
            assert list(analysis)

    def close(self) -> None:
        self._engine.quit()


class _Ours:
    """One engine of a run, as it works through a backlog."""

    def __init__(self) -> None:
        config = EngineConfig(find_engine())
        self._worker = Worker(config, STANDARD, identify(config, STANDARD))

    def __call__(self, key: str) -> None:
        assert self._worker.run([Task(key)]).rows

    def close(self) -> None:
        self._worker.close()


def _on_one_core(keys: list[str]) -> list[dict[str, Any]]:
    """Driver and engine share one core, as in a run with an engine per core; loops in turn on each position.

    The best of several rounds counts for each position: other work on the machine only slows a search down.
    """
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    loops = {"own": _EngineAlone(), "ours": _Ours(), "plain": _PythonChess()}
    best = {name: dict.fromkeys(keys, math.inf) for name in loops}
    try:
        for key, _ in itertools.product(keys, range(ROUNDS)):
            for name, search in loops.items():
                start = time.perf_counter()
                search(key)
                best[name][key] = min(best[name][key], time.perf_counter() - start)
    finally:
        for loop in loops.values():
            loop.close()
        os.sched_setaffinity(0, cores)
    seconds = {name: sum(times.values()) for name, times in best.items()}
    busy, gain = seconds["own"] / seconds["ours"], seconds["plain"] / seconds["ours"]
    return [
        row("analysis: standard, of the engine's own speed, one core", busy, least=0.97),
        row("analysis: standard against a python-chess loop, one core", gain, "times", least=1.15),
    ]


def _on_all_cores(keys: list[str]) -> list[dict[str, Any]]:
    """How much of the CPU time goes to the engines, from the first answer of a run to the last."""
    driver: list[float] = []
    before = _cpu_seconds()[1]
    jobs = len(os.sched_getaffinity(0))
    _ours(_one_position_games(keys), STANDARD, jobs, lambda _: driver.append(_cpu_seconds()[0]))
    engines = (_cpu_seconds()[1] - before) * (len(driver) - 1) / len(driver)
    share = engines / (driver[-1] - driver[0] + engines)
    return [row("analysis: engines' share of a run, all cores", share, least=0.97)]


def _cpu_seconds() -> tuple[float, float]:
    """CPU time of this process and of its ended children: not spoilt by other work on the machine."""
    use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return use[0].ru_utime + use[0].ru_stime, use[1].ru_utime + use[1].ru_stime


def _walk(games: pa.Table) -> list[dict[str, Any]]:
    """What is saved by walking a game backwards with one hash table, at a fixed depth."""
    depth = dataclasses.replace(NAMED["ferreira2012"], depth=12, hash_mb=64)
    game = games.slice(0, 1)
    alone = min(_ours(game, depth, 1).seconds for _ in range(2))
    walked = min(_ours(game, dataclasses.replace(depth, walk=True), 1).seconds for _ in range(2))
    return [row("analysis: backward walk, kept hash, depth 12", alone / walked, "times", least=1)]


def _second_run() -> list[dict[str, Any]]:
    """A run over 10,000 decisions that are all analysed; the stored rows are made up."""
    games = pa.table({"moves": _random_games(), "start_fen": pa.nulls(100, pa.string())})
    engine = EngineConfig(find_engine())
    with tempfile.TemporaryDirectory() as place:
        tables = PartTable(Path(place) / "analyses", ANALYSES), PartTable(Path(place) / "alone", ALONE)
        backlog = plan(games, *tables, recipe=STANDARD, engine=engine)
        ledger = Ledger(*tables, backlog.recipe_id)
        ledger.add(Outcome(rows=[_made_up(task) for task in backlog.tasks()]))
        ledger.close()
        seconds = best_seconds(lambda: analyse(games, *tables, recipe=STANDARD, engine=engine), ROUNDS)
        assert not len(plan(games, *tables, recipe=STANDARD, engine=engine))
    return [row("analysis: second run, 10,000 decisions", seconds, "s", most=1)]


def _made_up(task: Task) -> AnalysisRow:
    moves = (*task.played, "a1a2", "b1b2", "c1c2", "d1d2", "e1e2", "f1f2", "g1g2", "h1h2", "a7a6")
    trace = tuple((depth, move, 0) for depth in range(1, 10) for move in moves)
    return AnalysisRow(task.position_key, 30, 9, 150_000, 0.3, moves, (0,) * len(moves), None, 9, 0, trace)


def _random_games() -> pa.Array:
    """A hundred games of a hundred random moves."""
    chance = random.Random(1)
    games = []
    while len(games) < 100:
        board = chess.Board()
        while len(board.move_stack) < 100 and (legal := list(board.legal_moves)):
            board.push(chance.choice(legal))
        if len(board.move_stack) == 100:
            games.append([move.uci() for move in board.move_stack])
    return pa.array(games, pa.list_(pa.string()))


def run() -> list[dict[str, Any]]:
    try:
        find_engine()
    except EngineError as error:
        raise MissingError(str(error)) from error
    games = _games()
    keys = _spread(games, POSITIONS)
    return [*_on_one_core(keys[::3]), *_on_all_cores(keys), *_walk(games), *_second_run()]
