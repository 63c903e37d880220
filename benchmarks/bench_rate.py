"""The main job after the engine's work: 10,000 decisions of 40 players, all methods, intervals, report."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from assay.domain.decisions import Decisions
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.groups import Rater, groups_of
from benchmarks.measure import best_seconds, row, shared

DECISIONS = 10_000
PLAYERS = 40
RECIPE = 'base = "quick"\nnodes = 800\nlines = 2\nhash_mb = 1\n'


def forty_players(decisions: Decisions) -> Decisions:
    """The first decisions, their players dealt to forty names."""
    some = decisions.take(np.arange(DECISIONS))
    table = some.to_table()
    for column, shift in (("player", 0), ("opponent", 1)):
        names = [f"Player {(code + shift) % PLAYERS:02d}" for code in some.codes("player")]
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
    everything = Decisions.read(shared("analysed/mileposts.parquet"))
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
        row(
            "40 players of 10,000 decisions rated, against one by one",
            slow / fast,
            "times",
            "over 1",
            fast < slow,
        ),
        row("the same as a command, all methods, intervals and report", whole, "s", "under 15", whole < 15),
        row("a second assay rate, 10,000 decisions analysed", second, "s", "under 4", second < 4),
    ]


def _second_rate(folder: Path) -> float:
    """Seconds of `assay rate` on a PGN file whose positions are analysed already, by a tiny recipe."""
    import zstandard

    games = []
    for elo in range(1600, 2800, 100):
        with zstandard.open(shared(f"mileposts/milepost-{elo}.pgn.zst"), "rt", errors="replace") as file:
            games += ["[Event " + game for game in file.read().split("[Event ")[1:12]]
    (folder / "games.pgn").write_text("\n".join(games))
    (folder / "tiny.toml").write_text(RECIPE)
    recipe = ["--recipe", folder / "tiny.toml"]
    _call("calibrate", folder / "games.pgn", *recipe)
    return min(_call("rate", folder / "games.pgn", *recipe, "--json") for _ in range(3))
