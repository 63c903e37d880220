"""Pages of a workspace of 5,000 evaluated games: how fast, how much memory, 50 at once, beside an analysis.

Pages are timed by the clock, the best of three views, and by the processor: other work does not change that.
"""

import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import zstandard

from benchmarks.measure import row, shared

GAMES = 5000
PLAYERS = 1000
VIEWS = 200
AT_ONCE = 50
SECONDS = 30.0
"""Of an analysis that are watched, alone and beside requests."""


def evaluated_games(path: Path) -> int:
    """Write 5,000 evaluated games; how many players they have."""
    with zstandard.open(shared("evaluated/twic-fide-stockfish.pgn.zst"), "rt", errors="replace") as file:
        games = ["[Event " + game for game in file.read().split("[Event ")[1 : GAMES + 1]]
    path.write_text("\n".join(games))
    return len({name for game in games for name in re.findall(r'\[(?:White|Black) "([^"]*)"', game)[:2]})


class Served:
    """`assay serve` as a process."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [
            sys.executable,
            "-m",
            "assay",
            "serve",
            str(folder),
            "--no-browser",
            "--port",
            "0",
            *options,
        ]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        address = re.search(r"http://\S+/", self.process.stderr.readline())
        assert address is not None
        self.address = address[0].rstrip("/")
        self.first_paint = 0.0
        self.get("/")
        self.first_paint = self.processor_seconds()

    def get(self, address: str, body: bytes | None = None, **headers: str) -> bytes:
        """What is answered at an address."""
        asked = urllib.request.Request(self.address + address, body, headers=headers)
        with urllib.request.urlopen(asked, timeout=600) as answer:
            content: bytes = answer.read()
        return content

    def seconds(self, address: str, times: int = 3) -> tuple[float, float]:
        """Wall and processor seconds of a page, each the least of some views."""
        views = []
        for _ in range(times):
            begun, at = self.processor_seconds(), time.perf_counter()
            self.get(address)
            views.append((time.perf_counter() - at, self.processor_seconds() - begun))
        return min(wall for wall, _ in views), min(processor for _, processor in views)

    def post(self, address: str, **fields: str) -> None:
        """Ask for something to be done."""
        self.get(address, urlencode(fields).encode())

    def engines_runnable(self) -> float:
        """Seconds that the engines ran or waited for a core, so far; else they waited for the server."""
        seconds = 0.0
        for engine in _children(self.process.pid):
            with suppress(OSError):
                for task in Path(f"/proc/{engine}/task").iterdir():
                    ran, waited, _ = (task / "schedstat").read_text().split()
                    seconds += (int(ran) + int(waited)) / 1e9
        return seconds

    def positions(self) -> int:
        """How many positions the analysis has done."""
        jobs = json.loads(self.get("/work?as=json"))["jobs"]
        return next((int(job["done"]) for job in jobs if job["kind"] == "analyse"), 0)

    def whole(self, address: str) -> None:
        """Ask until everything on the page is worked out."""
        while b"data-pending" in self.get(address):
            time.sleep(0.2)

    def megabytes(self) -> float:
        """Memory of the server now."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def processor_seconds(self) -> float:
        """Processor time of the server so far."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """End it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=60)


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        players = evaluated_games(folder / "games.pgn")
        assert players >= PLAYERS
        subprocess.run(
            [sys.executable, "-m", "assay", "import", folder / "games.pgn", "-w", folder / "games.assay"],
            check=True,
            capture_output=True,
        )
        return of_folder(folder, players)


def of_folder(folder: Path, players: int) -> list[dict[str, Any]]:
    """The pages of a folder with such games, and the same beside an analysis where there is an engine."""
    served = Served(folder, "--engine", "/none")
    try:
        rows, pages = measured(served, players)
    finally:
        served.end()
    if shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games") is None:
        return rows
    served = Served(folder, "--recipe", "quick", "--jobs", "1")
    try:
        return rows + beside_analysis(served, pages)
    finally:
        served.post("/work/stop")
        served.end()


def _children(pid: int) -> list[int]:
    """The processes that a process started, and theirs."""
    children: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            children += [int(child) for child in (task / "children").read_text().split()]
    return children + [pid for child in children for pid in _children(child)]


def beside_analysis(served: Served, pages: list[str]) -> list[dict[str, Any]]:
    """What requests take from an analysis: time that the engine waited for the server, and positions."""
    served.whole("/games")
    served.post("/analyse", recipe="quick")
    while served.positions() < 20:
        time.sleep(0.5)
    alone, beside = _window(served, []), _window(served, pages)
    lost = SECONDS * (alone["runnable"] - beside["runnable"])
    took = beside["processor"] - alone["processor"]
    print(f"alone {alone}\nbeside {AT_ONCE} requests at a time {beside}", file=sys.stderr)
    return [
        row("engine at work while nobody asks", 100 * alone["runnable"], "% of the time"),
        row(f"engine kept waiting by {AT_ONCE} requests at once", lost, f"s of {SECONDS:.0f}", most=took),
        row("positions a second, nobody asks", alone["positions"], "1/s"),
        row("positions a second, beside requests", beside["positions"], "1/s"),
    ]


def _window(served: Served, pages: list[str]) -> dict[str, float]:
    """Some time of an analysis, while these pages are asked for once, all at the same time."""
    before = served.engines_runnable(), served.positions(), served.processor_seconds()
    begun = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(served.get, (pages[place % len(pages)] for place in range(AT_ONCE if pages else 0))))
        asked = time.perf_counter() - begun
        time.sleep(max(0.0, SECONDS - asked))
    wall = time.perf_counter() - begun
    after = served.engines_runnable(), served.positions(), served.processor_seconds()
    return {
        "wall": wall,
        "requests_answered_after": asked,
        "runnable": (after[0] - before[0]) / wall,
        "positions": (after[1] - before[1]) / wall,
        "processor": (after[2] - before[2]) * SECONDS / wall,
    }


def measured(served: Served, players: int) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of the table, and the pages that were asked for."""
    document = json.loads(served.get("/players", Accept="application/json"))
    games = json.loads(served.get("/games?as=json"))
    names = [quote(entry["player"], safe="") for entry in document["players"][::97][:8]]
    pages = ["/", "/players", "/players?page=5&sort=games", "/players?q=an", "/games?page=40", "/tournament"]
    pages += ["/workspace", "/live", "/spar", *(f"/players/{name}" for name in names)]
    pages += [f"/games/{game['game_id']}" for game in games[:: len(games) // 8][:8]]
    served.whole(f"/players/{names[0]}")
    served.whole(pages[-1])
    first = {page: served.seconds(page, 1) for page in pages}
    for page in pages:
        served.whole(page)
    times = {page: served.seconds(page) for page in pages}
    for kind, some in (("first view", first), ("later", times)):
        for page, (wall, taken) in sorted(some.items(), key=lambda item: -item[1][0])[:6]:
            print(f"{kind}: {wall:.2f} s, {taken:.2f} s of processor  {page}", file=sys.stderr)
    slowest = max(times, key=lambda page: times[page])
    for page in pages:  # everything that is kept is there before the memory is counted
        served.get(page)
    before = served.megabytes()
    for view in range(VIEWS):
        served.get(pages[view % len(pages)])
    growth = served.megabytes() - before
    begun = served.processor_seconds()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(served.get, (pages[place % len(pages)] for place in range(AT_ONCE))))
    together = served.processor_seconds() - begun
    kind = "/".join(slowest.split("?")[0].split("/")[:2])
    label = f"{GAMES:,} games, {players:,} players"
    rows = [
        row(f"first page of assay serve, {label}", served.first_paint, "s of processor", most=2),
        row(f"slowest page ({kind})", times[slowest][0], "s", most=0.3),
        row("slowest first view", max(wall for wall, _ in first.values()), "s"),
        row("slowest page", max(taken for _, taken in times.values()), "s of processor"),
        row("median page", statistics.median(wall for wall, _ in times.values()), "s"),
        row(f"memory over {VIEWS} views", growth, "MB", most=20),
        row(f"{AT_ONCE} requests at once", together, "s of processor", most=5),
    ]
    return rows, pages
