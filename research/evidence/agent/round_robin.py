"""Agents of many levels against each other: their true Elo is known, and their searches are kept as analyses.

    python -m research.evidence.agent.round_robin FOLDER [--rounds 9] [--jobs 2]

In each round every pair meets once, colours changing from round to round. FOLDER is a workspace; the games
are in FOLDER/games.pgn as well. A run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import queue
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import chess.pgn

from assay.agent.agents import agent_of_elo, calibration_for
from assay.agent.thinking import Thinker, as_pgn
from assay.engine.engines import EngineConfig, known_identity
from assay.engine.recipe import Recipe, find_recipe, recipe_id
from assay.engine.search import AnalysisRow
from assay.engine.worker import Outcome
from assay.files import write_text
from assay.workspace import Workspace
from assay.workspace.analyses import Ledger, record_recipe
from research.evidence.agent.games import Played, play_game

LEVELS = (1500, 1700, 1900, 2100, 2300, 2500, 2700)
ROUNDS = 9
SEED = 20
GAMES = "games.pgn"


@dataclass(frozen=True)
class Pairing:
    """One game to be played; its number is its place in the whole schedule, and decides its draws."""

    number: int
    round: int
    white: int
    black: int


def schedule(levels: Sequence[int], rounds: int) -> list[Pairing]:
    """Every pair once in each round, colours changing."""
    found: list[Pairing] = []
    for one in range(rounds):
        for first, second in combinations(levels, 2):
            # Neither the stronger nor the weaker has White throughout a round.
            turned = (one + levels.index(first) + levels.index(second)) % 2 == 0
            white, black = (second, first) if turned else (first, second)
            found.append(Pairing(len(found) + 1, one + 1, white, black))
    return found


def headers(
    pairing: Pairing, played: Played, event: str, seed: int, names: tuple[str, str]
) -> dict[str, str]:
    """Tags of a game; the true Elo of the agents stands where published ratings do."""
    white, black = names
    return {
        "Event": event,
        "Site": "One computer",
        "Date": "2026.11.17",
        "Round": f"{pairing.round}.{pairing.number}",
        "White": white,
        "Black": black,
        "WhiteElo": str(pairing.white),
        "BlackElo": str(pairing.black),
        "Termination": played.why,
        "Annotator": f"seed {seed}",
    }


def name_of(level: int) -> str:
    """What the agent of a level is called."""
    return f"Agent {level}"


def numbers_played(path: Path) -> set[int]:
    """Numbers of the games that are there already."""
    found = set()
    if path.exists():
        with path.open(encoding="utf-8") as file:
            while (tags := chess.pgn.read_headers(file)) is not None:
                found.add(int(tags["Round"].split(".")[1]))
    return found


class RoundRobin:
    """Plays a schedule with some engines at once, and keeps games and analyses in a workspace."""

    def __init__(self, folder: Path, recipe: Recipe, config: EngineConfig, *, seed: int = SEED) -> None:
        self.workspace, self.seed = Workspace(folder), seed
        self.recipe, self.config = recipe, config
        self.identity = known_identity(config, recipe)
        self.recipe_id = recipe_id(recipe, self.identity)
        found = calibration_for(self.recipe_id, self.identity.name, recipe.name)
        self.calibration, self.caveat = found.calibration, found.caveat
        self.pgn = folder / GAMES
        self._known: dict[str, AnalysisRow] = {}

    def play(self, pairings: Sequence[Pairing], jobs: int, event: str) -> Iterator[tuple[Pairing, Played]]:
        """The games that are not there yet, as they end; each is kept before it is given."""
        done = numbers_played(self.pgn)
        waiting: queue.SimpleQueue[Pairing | None] = queue.SimpleQueue()
        left = [one for one in pairings if one.number not in done]
        for one in (*left, *[None] * jobs):
            waiting.put(one)
        ended: queue.SimpleQueue[tuple[Pairing, Played] | BaseException] = queue.SimpleQueue()
        # An engine lives as long as the thread that started it.
        threads = [
            threading.Thread(target=self._serve, args=(waiting, ended), daemon=True) for _ in range(jobs)
        ]
        with self.workspace.writing():
            self.workspace.prepare()
            about: dict[str, Any] = {"recipe": self.recipe.describe(), "engine": self.identity.describe()}
            record_recipe(self.workspace.table_analyses, self.recipe_id, about)
            keeper = _Keeper(self.workspace, self.recipe_id, self._known)
            for thread in threads:
                thread.start()
            for _ in left:
                found = ended.get()
                if isinstance(found, BaseException):
                    raise found
                keeper.keep()
                tags = headers(*found, event, self.seed, self.names(found[0]))
                text = self.pgn.read_text(encoding="utf-8") if self.pgn.exists() else ""
                write_text(self.pgn, text + as_pgn(found[1].moves, found[1].result, tags))
                yield found
            keeper.close()

    def names(self, pairing: Pairing) -> tuple[str, str]:
        """What White and Black are called."""
        return name_of(pairing.white), name_of(pairing.black)

    def game(self, thinker: Thinker, pairing: Pairing) -> Played:
        """Play one."""
        white, black = (agent_of_elo(self.calibration, one) for one in (pairing.white, pairing.black))
        return play_game(thinker, white, black, seed=self.seed, number=pairing.number)

    def _serve(
        self,
        waiting: queue.SimpleQueue[Pairing | None],
        ended: queue.SimpleQueue[tuple[Pairing, Played] | BaseException],
    ) -> None:
        thinker = Thinker(self.recipe, self.config, self._known)
        try:
            while (pairing := waiting.get()) is not None:
                ended.put((pairing, self.game(thinker, pairing)))
        except BaseException as error:
            ended.put(error)
        finally:
            thinker.close()


class _Keeper:
    """Writes analyses that are not in the workspace yet."""

    def __init__(self, workspace: Workspace, recipe: str, known: dict[str, AnalysisRow]) -> None:
        stored = workspace.table_analyses.read(["position_key", "recipe_id"])
        pairs = zip(stored["position_key"].to_pylist(), stored["recipe_id"].to_pylist(), strict=True)
        self._there = {key for key, one in pairs if one == recipe}
        self._ledger = Ledger(workspace.table_analyses, workspace.table_alone, recipe)
        self._known = known

    def keep(self) -> None:
        """Write what is new."""
        rows = [row for key, row in list(self._known.items()) if key not in self._there]
        self._there |= {row.position_key for row in rows}
        self._ledger.add(Outcome(rows=rows, tasks=len(rows)))

    def close(self) -> None:
        """Write everything, and join the small parts."""
        self.keep()
        self._ledger.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, then take the games into the workspace."""
    parser = argparse.ArgumentParser(
        prog="python -m research.evidence.agent.round_robin", description=__doc__
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--recipe", default="standard")
    parser.add_argument("--engine")
    chosen = parser.parse_args(arguments)
    robin = RoundRobin(
        chosen.folder, find_recipe(chosen.recipe), EngineConfig(chosen.engine), seed=chosen.seed
    )
    if robin.caveat:
        print(robin.caveat, file=sys.stderr)
    pairings = schedule(LEVELS, chosen.rounds)
    for pairing, played in robin.play(pairings, chosen.jobs, "Agents of known Elo"):
        names = f"{name_of(pairing.white)} - {name_of(pairing.black)}"
        how = f"{played.result}, {played.why}, {len(played.moves)} plies"
        print(f"{pairing.number}/{len(pairings)} {names} {how}", flush=True)
    robin.workspace.import_games(robin.pgn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
