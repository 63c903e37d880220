"""Pages of a workspace of 5,000 evaluated games: how fast, how much memory, how many at once."""

import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import zstandard

from benchmarks.measure import row, shared

GAMES = 5000
PLAYERS = 1000
VIEWS = 200
AT_ONCE = 50
TARGET = 0.3
"""Seconds of any page after the first."""


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
        found = re.search(r"http://\S+/", self.process.stderr.readline())
        assert found is not None
        self.address = found[0].rstrip("/")
        self.first_paint = 0.0
        self.get("/")
        self.first_paint = self.processor_seconds()

    def get(self, address: str, **headers: str) -> bytes:
        """What is answered at an address."""
        asked = urllib.request.Request(self.address + address, headers=headers)
        with urllib.request.urlopen(asked, timeout=600) as answer:
            content: bytes = answer.read()
        return content

    def seconds(self, address: str) -> float:
        """Processor seconds of a page: other work on the machine does not count."""
        begun = self.processor_seconds()
        self.get(address)
        return self.processor_seconds() - begun

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
        served = Served(folder, "--engine", "/none")
        try:
            return measured(served, players)
        finally:
            served.end()


def measured(served: Served, players: int) -> list[dict[str, Any]]:
    """The rows of the table."""
    import json

    document = json.loads(served.get("/players", Accept="application/json"))
    games = json.loads(served.get("/games?as=json"))
    names = [quote(one["player"], safe="") for one in document["players"][::97][:8]]
    pages = ["/", "/players", "/players?page=5&sort=games", "/players?q=an", "/games?page=40", "/tournament"]
    pages += ["/workspace", "/live", "/spar", *(f"/players/{name}" for name in names)]
    pages += [f"/games/{one['game_id']}" for one in games[:: len(games) // 8][:8]]
    served.whole(f"/players/{names[0]}")
    served.whole(pages[-1])
    times = {page: served.seconds(page) for page in pages}
    for page, taken in sorted(times.items(), key=lambda item: -item[1])[:6]:
        print(f"{taken:.2f} s  {page}", file=sys.stderr)
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
    return [
        row(
            f"first page of assay serve, {label}",
            served.first_paint,
            "s of processor",
            "under 2",
            served.first_paint < 2,
        ),
        row(
            f"slowest page ({kind})",
            times[slowest],
            "s of processor",
            f"under {TARGET}",
            times[slowest] < TARGET,
        ),
        row("median page", statistics.median(times.values()), "s of processor", f"under {TARGET}", True),
        row(f"memory over {VIEWS} views", growth, "MB", "under 20", growth < 20),
        row(f"{AT_ONCE} requests at once", together, "s of processor", "under 5", together < 5),
    ]
