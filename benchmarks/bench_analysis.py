"""Analysis against the engine's own speed, and against a plain python-chess loop, in the same run.

Positions come from the bundled example games, so that this runs everywhere.
"""

import dataclasses
import os
import random
import resource
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pyarrow as pa

from assay.analysis.backlog import AnalysisReport, analyse, plan
from assay.analysis.engines import EngineConfig, find_engine
from assay.analysis.ledger import Ledger
from assay.analysis.options import AnalysisRow
from assay.analysis.recipe import NAMED, Recipe
from assay.analysis.worker import Outcome, Task
from assay.domain.schema import ALONE, ANALYSES
from assay.errors import EngineError
from assay.store.replay import replay
from assay.store.tables import PartTable
from assay.workspace import Workspace
from benchmarks.measure import Missing, best_seconds, row

POSITIONS = 16  # per round: a few seconds of `standard` on two cores
ROUNDS = 4
STANDARD = NAMED["standard"]


def _games() -> pa.Table:
    with tempfile.TemporaryDirectory() as place:
        workspace = Workspace(Path(place) / "w.assay")
        workspace.import_games(Path(str(resources.files("assay"))) / "examples")
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


def _ours(games: pa.Table, recipe: Recipe, jobs: int) -> AnalysisReport:
    with tempfile.TemporaryDirectory() as place:
        tables = PartTable(Path(place) / "analyses", ANALYSES), PartTable(Path(place) / "alone", ALONE)
        return analyse(games, *tables, recipe=recipe, engine=EngineConfig(find_engine()), jobs=jobs)


def _in_parallel(work: Callable[[list[str]], None], keys: list[str], jobs: int) -> float:
    """Seconds for the positions, dealt out to `jobs` threads."""
    threads = [threading.Thread(target=work, args=(keys[start::jobs],)) for start in range(jobs)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def _engine_alone(keys: list[str]) -> None:
    """The engine by itself: all commands at once (Stockfish does them in turn), the answers thrown away."""
    options = f"setoption name Hash value {STANDARD.hash_mb}\nsetoption name MultiPV value {STANDARD.lines}\n"
    searches = "".join(f"ucinewgame\nposition fen {key} 0 1\ngo {STANDARD.limit}\n" for key in keys)
    # `ucinewgame` waits for the search before it; `quit` would not.
    commands = f"{options}setoption name UCI_ShowWDL value true\nisready\n{searches}ucinewgame\nquit\n"
    subprocess.run([find_engine()], input=commands.encode(), stdout=subprocess.DEVNULL, check=True)


def _python_chess(keys: list[str]) -> None:
    """The loop that one writes first, keeping what we keep: every line of every depth."""
    with chess.engine.SimpleEngine.popen_uci(find_engine()) as engine:
        engine.configure({"Hash": STANDARD.hash_mb})
        for number, key in enumerate(keys):
            board, limit = chess.Board(f"{key} 0 1"), chess.engine.Limit(nodes=STANDARD.nodes)
            # Another game each time: the engine's hash is cleared.
            with engine.analysis(board, limit, multipv=STANDARD.lines, game=number) as analysis:
                kept = list(analysis)
            assert kept


def _standard(keys: list[str]) -> list[dict[str, Any]]:
    """The engine by itself, our loop and python-chess's, in turn, several times; the best of each counts."""
    jobs = len(os.sched_getaffinity(0))
    games = _one_position_games(keys)
    own, ours, plain, shares = [], [], [], []
    for _ in range(ROUNDS):
        own.append(_in_parallel(_engine_alone, keys, jobs))
        before = _cpu_seconds()
        ours.append(_ours(games, STANDARD, jobs).seconds)
        driver, engines = (after - start for start, after in zip(before, _cpu_seconds(), strict=True))
        shares.append(engines / (driver + engines))
        plain.append(_in_parallel(_python_chess, keys, jobs))
    busy, gain, share = min(own) / min(ours), min(plain) / min(ours), max(shares)
    return [
        row("analysis: speed, of the engine's own", busy, "", ">= 0.97", busy >= 0.97),
        row("analysis: engines' share of the CPU time", share, "", ">= 0.97", share >= 0.97),
        row("analysis: standard against a python-chess loop", gain, "times", ">= 1.15", gain >= 1.15),
    ]


def _cpu_seconds() -> tuple[float, float]:
    """CPU time of this process and of its ended children: unlike time, not spoilt by a busy machine."""
    use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return use[0].ru_utime + use[0].ru_stime, use[1].ru_utime + use[1].ru_stime


def _walk(games: pa.Table) -> list[dict[str, Any]]:
    """What is saved by walking a game backwards with one hash table, at a fixed depth."""
    depth = dataclasses.replace(NAMED["ferreira2012"], depth=12, hash_mb=64)
    one = games.slice(0, 1)
    alone = min(_ours(one, depth, 1).seconds for _ in range(2))
    walked = min(_ours(one, dataclasses.replace(depth, walk=True), 1).seconds for _ in range(2))
    return [
        row("analysis: backward walk, kept hash, depth 12", alone / walked, "times", "> 1", alone > walked)
    ]


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
    return [row("analysis: second run, 10,000 decisions", seconds, "s", "< 1", seconds < 1)]


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
        raise Missing(str(error)) from error
    games = _games()
    return [*_standard(_spread(games, POSITIONS)), *_walk(games), *_second_run()]
