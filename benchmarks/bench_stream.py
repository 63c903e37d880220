"""A month of a server: evaluated games streamed into ratings, against import alone and a python-chess loop.

ASSAY_BENCH_GAMES says how many games (a million; CPU seconds are compared, so that a busy machine matters
less). They are real ones, over and over, under the names of other players: one for each fifty games.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import chess.pgn
import pyarrow as pa

from assay.ingest.sources import open_stream
from assay.ingest.splitter import split_games
from benchmarks.measure import row, shared

GAMES = int(os.environ.get("ASSAY_BENCH_GAMES", "1000000"))
PLAYERS = max(GAMES // 50, 100)  # 20,000 of a million
SAMPLE = 300  # games for python-chess
_FILES = ("lichess-bullet.pgn.zst", "lichess-rapid.pgn.zst")

_RATE = """
import json, resource, sys, time
from assay.study import Study
start = time.perf_counter()
study = Study(sys.argv[1], evaluations="file", jobs=int(sys.argv[2]))
ratings, found = study.stream(cluster=sys.argv[3] or None)
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
peak = (own.ru_maxrss + int(sys.argv[2]) * children.ru_maxrss) / 1024
print(json.dumps({"wall": time.perf_counter() - start, "cpu": cpu, "peak": peak, "games": found.counted.games,
    "players": sum(map(len, ratings))}))
"""
_IMPORT = """
import json, resource, sys, time
from assay import Workspace
start = time.perf_counter()
Workspace(sys.argv[1]).import_games(sys.argv[2])
own = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"wall": time.perf_counter() - start, "cpu": own.ru_utime + own.ru_stime}))
"""


def texts() -> list[str]:
    found = []
    for name in _FILES:
        with open_stream(shared("evaluated") / name) as source:
            found += [game.text for game in split_games(source.stream, name)]
    return found


def make_month(out: Path, games: int, seed: int = 1) -> None:
    """A packed file of so many games under other names."""
    chosen = Random(seed)
    with pa.CompressedOutputStream(str(out), "zstd") as file:
        for number, text in zip(range(games), cycle(texts()), strict=False):
            white, black = chosen.sample(range(PLAYERS), 2)
            head, _, moves = text.partition("\n\n")
            lines = [
                line for line in head.splitlines() if not line.startswith(("[White ", "[Black ", "[Site "))
            ]
            own = f'[Site "https://lichess.org/g{number}"]\n[White "user{white}"]\n[Black "user{black}"]'
            file.write(("\n".join([*lines, own]) + "\n\n" + moves.strip() + "\n\n").encode())


def measured(code: str, *arguments: str) -> dict[str, float]:
    """What a fresh process measured of itself."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True
    )
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def python_chess_seconds(some: list[str]) -> float:
    """CPU seconds of a loop that reads games, and adds up losses and conformance by player."""
    start = time.process_time()
    sums: dict[str, list[float]] = {}
    for text in some:
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None
        before: int | None = None
        for ply, node in enumerate(game.mainline()):
            value = node.eval()
            white = None if value is None else value.white().score(mate_score=1000)
            if white is not None and before is not None and ply >= 16:
                after = max(-1000, min(1000, white))
                lost = max(0, (before - after) * (1 if ply % 2 == 0 else -1))
                own = sums.setdefault(game.headers["White" if ply % 2 == 0 else "Black"], [0, 0, 0])
                own[0], own[1], own[2] = own[0] + 1, own[1] + lost, own[2] + (lost <= 50)
            before = None if white is None else max(-1000, min(1000, white))
    assert sums
    return time.process_time() - start


def dask_seconds(month: Path, workers: int) -> float:
    """Wall seconds on a cluster of so many workers with one thread each."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster:
        return measured(_RATE, str(month), "1", cluster.scheduler_address)["wall"]


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as place:
        month = Path(place) / "month.pgn.zst"
        make_month(month, GAMES)
        two = measured(_RATE, str(month), "2", "")
        single = measured(_RATE, str(month), "1", "")
        alone = measured(_IMPORT, str(Path(place) / "w.assay"), str(month))
        slow = python_chess_seconds(texts()[:SAMPLE]) / SAMPLE
        dask = {workers: dask_seconds(month, workers) for workers in (1, 2)}
    assert two["games"] == GAMES
    per_second = 2 * GAMES / two["cpu"]
    against_import = two["wall"] / alone["wall"]
    speed_up = dask[1] / dask[2]
    return [
        row(
            "streamed into ratings, by CPU seconds of two cores",
            per_second,
            "games/s",
            "at least 3000",
            per_second >= 3000,
        ),
        row("  by the clock, two processes", GAMES / two["wall"], "games/s", "", True),
        row("  two processes against one", single["wall"] / two["wall"], "times", "", True),
        row("peak memory of all its processes", two["peak"], "MB", "under 2000", two["peak"] < 2000),
        row(
            "streamed on two cores, against import alone",
            against_import,
            "times",
            "at most 1.5",
            against_import <= 1.5,
        ),
        row("  the same by CPU seconds", two["cpu"] / alone["cpu"], "times", "", True),
        row("a python-chess loop, against it on one core", slow * GAMES / single["cpu"], "times", "", True),
        row("two Dask workers against one", speed_up, "times", "at least 1.7", speed_up >= 1.7),
    ]
