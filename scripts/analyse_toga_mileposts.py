"""Milepost games through Toga II, as Di Fatta, Haworth and Regan did: for docs/reproduction/bayes.md.

    python scripts/analyse_toga_mileposts.py MILEPOSTS WORKSPACE [--games 40]

MILEPOSTS is a folder of milepost-2100.pgn.zst and the like. Forty games each of 2100 and 2700, both players
within 10 points, from turn 13 on. A position takes seconds: they are analysed in random order, so that what
is done when the run is stopped is a fair sample, and the next run goes on with the rest.
"""

import argparse
import dataclasses
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import zstandard

from assay.analysis import backlog
from assay.analysis.engines import EngineConfig
from assay.analysis.recipe import find_recipe
from assay.workspace import Workspace

MILEPOSTS = (2100, 2700)
SEED = 2009
LEAST_TURNS = 20


def pick(path: Path, elo: int, number: int) -> list[str]:
    """Some games of a file in which both players were within 10 points and that got past the opening."""
    with zstandard.open(path, "rt", encoding="utf-8", errors="replace") as file:
        games = ["[Event " + game for game in file.read().split("[Event ")[1:]]
    fitting = [game for game in games if _fits(game, elo)]
    random.Random(SEED).shuffle(fitting)
    return fitting[:number]


def _fits(game: str, elo: int) -> bool:
    ratings = [int(rating) for rating in re.findall(r'\[(?:White|Black)Elo "(\d+)"', game)]
    turns = re.findall(r"(\d+)\.", game.split("\n\n", 1)[-1])
    near = len(ratings) == 2 and all(abs(rating - elo) <= 10 for rating in ratings)
    return near and bool(turns) and int(turns[-1]) >= LEAST_TURNS


def shuffle_backlog() -> None:
    """From here on, what is missing is analysed in random order."""
    plan = backlog.plan

    def shuffled(*arguments: Any, **options: Any) -> backlog.Backlog:
        found = plan(*arguments, **options)
        order = np.random.default_rng(SEED).permutation(len(found))
        return dataclasses.replace(found, missing=found.missing.take(pa.array(order)))

    backlog.plan = shuffled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mileposts", type=Path)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--engine", default="toga2")
    given = parser.parse_args()
    workspace = Workspace(given.workspace)
    if not workspace.exists():
        games = [
            game
            for elo in MILEPOSTS
            for game in pick(given.mileposts / f"milepost-{elo}.pgn.zst", elo, given.games)
        ]
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "mileposts.pgn"
            file.write_text("\n".join(games), encoding="utf-8")
            workspace.import_games(file)
    shuffle_backlog()
    recipe = dataclasses.replace(find_recipe("difatta2009"), first_turn=13)
    print(workspace.analyse(recipe, jobs=1, engine=EngineConfig(given.engine)))


if __name__ == "__main__":
    main()
