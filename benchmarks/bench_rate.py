"""The main job after the engine's work: 10,000 decisions of 40 players, all methods, intervals, report."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.evidence import groups_of
from assay.rating.group_ratings import Rater
from assay.workspace import Workspace
from benchmarks.measure import best_seconds, peak_megabytes, row, shared

DECISIONS = 10_000
PLAYERS = 40
NAME = "One, Player"
COPIES = 36
_MIX = 0x9E3779B97F4A7C15
_COMMAND = f"import sys\nfrom assay.cli import main\nmain(['rate', sys.argv[1], '-p', '{NAME}', '--json'])"
_AT_ONCE = f"""
import sys
from assay.rating.calibration import find_calibration
from assay.rating.pipeline import rate_decisions
from assay.workspace import Workspace
workspace = Workspace(sys.argv[1])
recipe_id = workspace.recipe_id()
rate_decisions(workspace.decisions(recipe_id, players=["{NAME}"]), find_calibration(recipe_id))
"""


def forty_players(decisions: Decisions) -> Decisions:
    """The first decisions, their players dealt to forty names."""
    first = decisions.take(np.arange(DECISIONS))
    table = first.table()
    for column, shift in (("player", 0), ("opponent", 1)):
        names = [f"Player {(code + shift) % PLAYERS:02d}" for code in first.codes("player")]
        table = table.set_column(table.schema.get_field_index(column), column, [names])
    return Decisions.from_table(table)


def one_by_one(decisions: Decisions, calibration: Calibration) -> None:
    """The alternative: each player's decisions profiled and rated apart, one call each."""
    for player in decisions.players:
        appearances = Appearances.of(decisions.select(player=player))
        list(Rater(appearances, calibration).rate([group.rows for group in groups_of(appearances)]))


def together(decisions: Decisions, calibration: Calibration) -> None:
    """What `assay rate` does."""
    appearances = Appearances.of(decisions)
    list(Rater(appearances, calibration).rate([group.rows for group in groups_of(appearances)]))


def _call(*arguments: object) -> float:
    """Seconds of one command, its start included."""
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "assay", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - begun


def run() -> list[dict[str, Any]]:
    everything = Workspace(shared("analysed/mileposts-standard")).decisions("standard", trace=True)
    calibration = Calibration.fit(Appearances.of(everything))
    decisions = forty_players(everything)
    slow = best_seconds(lambda: one_by_one(decisions, calibration), runs=2)
    fast = best_seconds(lambda: together(decisions, calibration), runs=3)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        os.environ["ASSAY_CALIBRATIONS"] = place
        calibration.write(folder / f"{calibration.recipe_id}.npz")
        decisions.write(folder / "forty.parquet")
        whole = min(
            _call("rate", folder / "forty.parquet", "--report", folder / "out.html") for _ in range(3)
        )
        second = _second_rate(folder)
    return [
        row("40 players of 10,000 decisions rated, against one by one", slow / fast, "times", least=1),
        row("the same as a command, all methods, intervals and report", whole, "s", most=15),
        row("a second assay rate, 10,000 decisions analysed", second, "s", most=4),
        *_one_player(),
    ]


def _one_player() -> list[dict[str, Any]]:
    """`assay rate` of one player with 20,160 games: seconds, peak memory; and in pieces or at once."""
    with tempfile.TemporaryDirectory() as place:
        many, few = (many_games(Path(place) / f"{copies}.assay", copies) for copies in (COPIES, 6))
        began = time.monotonic()
        memory = peak_megabytes(_COMMAND, str(many))
        seconds = time.monotonic() - began
        pieces, at_once = (peak_megabytes(code, str(few)) for code in (_COMMAND, _AT_ONCE))
    name = f"one player's {560 * COPIES:,} games"
    return [
        row(f"{name} rated", seconds, "s", most=30),
        row(f"{name} rated, memory", memory, "MB", most=1000),
        row("memory of 3,360 games, against all their decisions at once", pieces / at_once, "times", most=1),
    ]


def many_games(path: Path, copies: int) -> Path:
    """The analysed milepost games, each so many times under other ids, all with one player on one side."""
    workspace = Workspace(_writable_copy(path))
    games = workspace.table_games.read()
    tables = []
    for copy in range(copies):
        ids = [f"{int(game, 16) ^ copy * _MIX % 2**64:016x}" for game in games["game_id"].to_pylist()]
        renamed = {"game_id": ids, ("white_name", "black_name")[copy % 2]: [NAME] * len(ids)}
        columns = {name: renamed.get(name, games[name]) for name in games.column_names}
        tables.append(pa.table(columns, schema=games.schema))
    workspace.table_games.replace(pa.concat_tables(tables))
    player = {"name": [NAME], "player": [NAME], "method": ["as_written"]}
    workspace.table_players.append(pa.table(player, schema=workspace.table_players.read().schema))
    return path


def _second_rate(folder: Path) -> float:
    """Seconds of `assay rate` on 132 games whose positions are analysed: every fourth milepost game."""
    path = _writable_copy(folder / "second.assay")
    workspace = Workspace(path)
    games = workspace.table_games.read()
    workspace.table_games.replace(games.take(pa.array(range(0, games.num_rows, 4)[:132])))
    return min(_call("rate", path, "--json") for _ in range(3))


def _writable_copy(path: Path) -> Path:
    """A copy of the analysed milepost games."""
    shutil.copytree(shared("analysed/mileposts-standard"), path)
    for file in (path, *path.rglob("*")):
        file.chmod(0o755 if file.is_dir() else 0o644)
    return path
