"""Runs in processes of their own that are killed at a random moment, and what a workspace holds then."""

import dataclasses
import multiprocessing
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.engine.engines import EngineConfig
from assay.engine.recipe import NAMED
from assay.pgn import importer
from assay.pgn import reader as pgn
from assay.workspace import Workspace
from assay.workspace import analyses as ledger

RECIPE = dataclasses.replace(NAMED["standard"], name="few lines", lines=3, first_turn=14)
"""The last turns of a game, so that an analysis is short."""

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["assay.workspace", "numba", "scipy"])  # loaded once, not by each

SHORT = """[Event "A short game"]
[Site "?"]
[Date "1956.10.17"]
[Round "1"]
[White "Byrne, Donald"]
[Black "Fischer, Robert"]
[Result "0-1"]

1. Nf3 Nf6 2. c4 g6 3. Nc3 Bg7 4. d4 O-O 5. Bf4 d5 6. Qb3 dxc4 7. Qxc4 c6 8. e4 Nbd7 9. Rd1 Nb6 10. Qc5 Bg4
11. Bg5 Na4 12. Qa3 Nxc3 13. bxc3 Nxe4 14. Bxe7 Qb6 15. Bc4 Nxc3 16. Bc5 Rfe8+ 17. Kf1 Be6 18. Bxb6 Bxc4+
19. Kg1 Ne2+ 20. Kf1 Nxd4+ 0-1
"""
"""A game that is just long enough to be rated."""


def import_in_small_parts(path: Path, source: Path) -> None:
    """An import that writes a part after every two games."""
    importer.FLUSH_GAMES = pgn.BATCH_GAMES = 2
    Workspace(path).import_games(source)


def analyse_in_small_parts(path: Path, engine: EngineConfig) -> None:
    """An analysis by two engines that writes a part every few positions, and joins parts often."""
    ledger._FLUSH_SECONDS = 0.05
    ledger._PARTS_BEFORE_COMPACTION = 3
    Workspace(path).analyse(RECIPE, engine=engine, jobs=2)


def remove_a_player(path: Path, name: str) -> None:
    """A removal of all games of one player."""
    workspace = Workspace(path)
    workspace.remove(workspace.plan_removal(players=[name]))


def killed(work: Callable[..., None], arguments: tuple[Any, ...], after: float) -> bool:
    """Begin the work in a process of its own and kill it after so many seconds; False where it was done."""
    mine, its = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_do, args=(its, work, arguments))
    process.start()
    its.close()
    assert mine.poll(60)
    mine.recv()
    process.join(after)
    process.kill()
    process.join()
    mine.close()
    assert process.exitcode in (0, -9), process.exitcode
    return process.exitcode != 0


def _do(its: Any, work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    os.environ["ASSAY_SPELLING"] = ""
    its.send("begins")
    work(*arguments)


def seconds_of(work: Callable[..., None], arguments: tuple[Any, ...]) -> float:
    """How long the work takes in a process of its own when it is left in peace."""
    begun = time.monotonic()
    assert not killed(work, arguments, after=120)
    return time.monotonic() - begun


def moment(chance: random.Random, seconds: float) -> float:
    """A moment of a run, mostly before its end."""
    return chance.uniform(0.0, 1.1 * seconds)


def tables(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables in a fixed order, without the seconds, which differ from run to run."""
    found = {}
    for table in Workspace(path).tables:
        rows = table.read().to_pylist()
        for row in rows:
            row.pop("seconds", None)
        found[table.schema.name] = sorted(rows, key=repr)
    return found


def leftovers(path: Path) -> list[str]:
    """Names of files that a workspace should not keep: half written ones."""
    return [one.name for one in path.rglob("*") if one.name.endswith((".part", ".tmp"))]
