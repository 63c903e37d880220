"""A month of a server: evaluated games streamed into ratings, against import alone and a python-chess loop.

ASSAY_BENCH_GAMES says how many games (a million). They are real ones, over and over, under the names of other
players: one for each fifty games. One process against two, and one Dask worker against two, are measured on a
hundred thousand of them: a ratio does not take more. CPU seconds stand beside seconds by the clock, for
machines on which others work too.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import chess.pgn
import pyarrow as pa

from assay.pgn.sources import open_stream, split_games
from benchmarks.measure import row, shared

GAMES = int(os.environ.get("ASSAY_BENCH_GAMES", "1000000"))
PER_PLAYER = 50  # games of the file for each player: 20,000 players of a million games
FOR_RATIOS = min(GAMES, 100_000)
FEW = min(GAMES, 20_000)  # games that warm Dask's workers up: blocks, and names to rate, for every one
SAMPLE = 300  # games for python-chess
COURSE = 5  # how often memory is told on the way
_FILES = ("lichess-bullet.pgn.zst", "lichess-rapid.pgn.zst")
_POLL = 0.5  # seconds between two looks at memory, which take time themselves

_RATE = """
import json, multiprocessing, resource, sys, time
from assay.answers.ratings import StreamedRatings
from assay.study import Study
if sys.argv[3]:
    import distributed

def tell(name, size, position, games):
    print("games", games, time.time(), flush=True)

study = Study(sys.argv[1], evaluations="file", jobs=int(sys.argv[2]))
start = time.perf_counter()
ratings, found = study.stream(cluster=sys.argv[3] or None, progress=tell)
text = json.dumps(StreamedRatings(ratings, found.counted.games).to_dict())
for worker in multiprocessing.active_children():
    worker.join()  # what it took is told when it has ended
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
print(json.dumps({"cpu": cpu, "inside": time.perf_counter() - start, "games": found.counted.games,
    "players": sum(map(len, ratings)), "length": len(text)}))
"""
_IMPORT = """
import json, resource, sys
from assay import Workspace
Workspace(sys.argv[1]).import_games(sys.argv[2])
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({"cpu": own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime}))
"""
_READ = """
import json, sys, time
from pathlib import Path
from assay.rating.stream import deal
start = time.process_time()
games = sum(len(block.texts) for block in deal([Path(sys.argv[1])], lambda *_: None, []))
print(json.dumps({"cpu": time.process_time() - start, "games": games}))
"""


@dataclass(frozen=True)
class Measured:
    """What a fresh process took."""

    said: dict[str, float]
    """What it printed of itself at the end."""
    wall: float
    peak: float
    """MB of the process and its workers, pages that they share counted once."""
    course: list[tuple[int, float]]
    """MB after so many games."""

    @property
    def cpu(self) -> float:
        """Its CPU seconds, those of its workers among them."""
        return self.said["cpu"]


def texts() -> list[str]:
    games = []
    for name in _FILES:
        with open_stream(shared("evaluated") / name) as source:
            games += [game.text for game in split_games(source.stream, name)]
    return games


def make_month(out: Path, games: int, seed: int = 1) -> None:
    """A packed file of so many games under other names."""
    chosen = Random(seed)
    players = max(games // PER_PLAYER, 100)
    with pa.CompressedOutputStream(str(out), "zstd") as file:
        for number, text in zip(range(games), cycle(texts()), strict=False):
            white, black = chosen.sample(range(players), 2)
            head, _, moves = text.partition("\n\n")
            lines = [
                line for line in head.splitlines() if not line.startswith(("[White ", "[Black ", "[Site "))
            ]
            tags = f'[Site "https://lichess.org/g{number}"]\n[White "user{white}"]\n[Black "user{black}"]'
            file.write(("\n".join([*lines, tags]) + "\n\n" + moves.strip() + "\n\n").encode())


def measured(code: str, *arguments: str, look: bool = True) -> Measured:
    """Run a fresh process, and look at its memory on the way: not where every core is wanted."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=out)
        seen = [(time.time(), 0.0)]
        while look and process.poll() is None:
            seen.append((time.time(), _megabytes(process.pid)))
            time.sleep(_POLL)
        process.wait()
        wall = time.perf_counter() - start
        out.seek(0)
        lines = out.read().splitlines()
    if process.returncode:
        raise RuntimeError(f"a process of the benchmark ended with {process.returncode}")
    progress = [line.split() for line in lines if line.startswith("games ")]
    course = []
    for _, games, when in progress[:: max(len(progress) // COURSE, 1)]:
        course.append((int(games), min(seen, key=lambda one: abs(one[0] - float(when)))[1]))
    return Measured(json.loads(lines[-1]), wall, max(mb for _, mb in seen), course)


def _megabytes(pid: int) -> float:
    """Memory of a process and its children now (Pss: pages that several share are counted once)."""
    total = 0.0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) / 1024
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            total += _megabytes(int(child))
    except OSError:  # it has ended meanwhile
        pass
    return total


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
                of_player = sums.setdefault(game.headers["White" if ply % 2 == 0 else "Black"], [0, 0, 0])
                for place, added in enumerate((1, lost, lost <= 50)):
                    of_player[place] += added
            before = None if white is None else max(-1000, min(1000, white))
    assert sums
    return time.process_time() - start


def dask_seconds(month: Path, warm: Path, workers: int) -> float:
    """Seconds on a cluster of so many workers with one thread each, that have loaded what they need."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
        for path in (warm, month):
            rated = measured(_RATE, str(path), "1", cluster.scheduler_address, look=False)
    return rated.said["inside"]


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as place:
        month, some, few = (Path(place) / f"{name}.pgn.zst" for name in ("month", "some", "few"))
        for path, games in ((month, GAMES), (some, FOR_RATIOS), (few, FEW)):
            make_month(path, games)
        two = measured(_RATE, str(month), "2", "")
        alone = measured(_IMPORT, str(Path(place) / "w.assay"), str(month))
        pair, single = (measured(_RATE, str(some), jobs, "") for jobs in ("2", "1"))
        reader = measured(_READ, str(some))
        slow = python_chess_seconds(texts()[:SAMPLE]) / SAMPLE
        dask = {workers: dask_seconds(some, few, workers) for workers in (1, 2)}
    assert two.said["games"] == GAMES
    return rows(two, alone, pair, single, reader, slow, dask)


def rows(
    two: Measured,
    alone: Measured,
    pair: Measured,
    single: Measured,
    reader: Measured,
    slow: float,
    dask: dict[int, float],
) -> list[dict[str, Any]]:
    """The table, from what was measured."""
    by_clock, by_cpu = GAMES / two.wall, 2 * GAMES / two.cpu
    against = two.wall / alone.wall
    speed_up = dask[1] / dask[2]
    table = [
        row(f"{GAMES:,} games streamed into ratings", by_clock, "games/s", least=3000),
        row("  by CPU seconds of two cores", by_cpu, "games/s"),
        row("  ratings written", two.said["players"]),
        row("peak memory of all its processes", two.peak, "MB", most=2000),
    ]
    table += [row(f"  after {games:,} games", mb, "MB") for games, mb in two.course]
    table += [
        row("its time, against import alone", against, "times", most=1.5),
        row("  the same by CPU seconds", two.cpu / alone.cpu, "times"),
        row("a python-chess loop, of its CPU seconds", slow * GAMES / two.cpu, "times"),
        row(f"two processes against one, {FOR_RATIOS:,} games", single.wall / pair.wall, "times"),
        row("two Dask workers against one", speed_up, "times", least=1.7),
        row("one reader, unpacking and cutting", FOR_RATIOS / reader.cpu, "games/s"),
    ]
    return table
