"""Milepost games through Toga II, as Di Fatta, Haworth and Regan did: for docs/reproduction/bayes-toga.md.

    python -m research.papers.difatta2009.toga_games MILEPOSTS WORKSPACE [--games 40] [--jobs 1]

MILEPOSTS is a folder of milepost-2100.pgn.zst and the like. Forty games each of 2100 and 2700, both players
within 10 points, from turn 13 on. A position takes a second or two: every fourth turn of all games comes
first, then the turns between, so that what is done when the run is stopped covers all games evenly. The next
run goes on with the rest.
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
import pyarrow.compute as pc
import zstandard

from assay.engine.engines import EngineConfig
from assay.engine.queue import Backlog
from assay.engine.recipe import find_recipe
from assay.workspace import Workspace, analyses

MILEPOSTS = (2100, 2700)
SEED = 2009
LEAST_TURNS = 20
PASSES = (0, 2, 1, 3)
"""In which pass the turns of each remainder by four come."""


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


def in_passes(missing: pa.Table) -> pa.Table:
    """What is missing, every fourth turn of all games first; within a pass in random order.

    Positions in which no move was played, since the game ended there, come last: they are no decisions.
    """
    turns = missing["ply"].to_numpy() // 2
    decisions = pc.list_value_length(missing["played"]).to_numpy() > 0
    passes = np.where(decisions, np.array(PASSES)[turns % len(PASSES)], len(PASSES))
    order = np.lexsort((np.random.default_rng(SEED).permutation(len(missing)), passes))
    return missing.take(pa.array(order))


def order_backlog() -> None:
    """From here on, what is missing is analysed pass by pass."""
    plan = analyses.plan

    def ordered(*arguments: Any, **options: Any) -> Backlog:
        found = plan(*arguments, **options)
        return dataclasses.replace(found, missing=in_passes(found.missing))

    analyses.plan = ordered


def main() -> None:
    """Import the games where that is not done, and analyse what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mileposts", type=Path)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--engine", default="toga2")
    parser.add_argument("--jobs", type=int, default=1)
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
    order_backlog()
    recipe = dataclasses.replace(find_recipe("difatta2009"), first_turn=13)
    print(workspace.analyse(recipe, jobs=given.jobs, engine=EngineConfig(given.engine)))


if __name__ == "__main__":
    main()
