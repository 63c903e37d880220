"""Agents of known Elo against each other, rated again: docs/evidence/simulated_players.md.

    python -m research round-robin FOLDER [--rounds 9] [--jobs 2]
    assay rate FOLDER --by game --json > rated.json
    python -m research closed-loop rated.json FOLDER/games.pgn

In each round every pair meets once, colours changing from round to round. FOLDER is a workspace that keeps
the searches as analyses; the games are in FOLDER/games.pgn as well. A run that was ended goes on.
"""

from __future__ import annotations

import json
import queue
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import chess
import chess.pgn
import numpy as np
from scipy.optimize import minimize_scalar

from assay.agent.agents import agent_of_elo, calibration_for
from assay.agent.thinking import GameBoard, Limits, Thinker, as_pgn
from assay.decisions.arrays import Floats
from assay.decisions.elo import expectation
from assay.engine.engines import EngineConfig, known_identity
from assay.engine.recipe import Recipe, find_recipe, recipe_id
from assay.engine.run import Outcome
from assay.engine.search import AnalysisRow
from assay.errors import InputError
from assay.files import write_text
from assay.models.depth.agents import DepthAgent
from assay.workspace import Workspace
from assay.workspace.analyses import Ledger, record_recipe
from research import command
from research.markdown import table

RESIGN_AT = -1000
RESIGN_AFTER = 4
"""A game is given up where so many own moves in a row were worth no more than this before they were made."""

LEVEL = 25
LEVEL_AFTER = 10
LEVEL_FROM = 80
"""A draw is agreed where from this ply on so many moves in a row were within so many centipawns of level."""

MOST_PLIES = 400


class Played(NamedTuple):
    """A game that has ended, and how."""

    moves: list[str]
    result: str
    why: str


def play_game(
    thinker: Thinker,
    white: DepthAgent,
    black: DepthAgent,
    *,
    seed: int,
    number: int,
    fen: str | None = None,
    to_the_end: bool = False,
) -> Played:
    """Play a game; it is given up or agreed drawn as people do, unless it is played to the end."""
    game, moves = GameBoard.start(fen), list[str]()
    values: list[int] = []
    """What the position was worth to the mover, before every move."""
    while True:
        result = game.result()
        if result is not None:
            outcome = game.board.outcome()
            why = "repetition or fifty moves" if outcome is None else outcome.termination.name.lower()
            return Played(moves, result, why)
        if len(moves) >= MOST_PLIES:
            return Played(moves, "1/2-1/2", "too long")
        if not to_the_end and (settled := _settled(values, game.board.turn)) is not None:
            return Played(moves, *settled)
        thought = thinker.think(game, Limits(), white if game.board.turn else black, seed, number)
        values.append(max(thought.values.values(), default=0))
        moves.append(thought.move)
        game.play(thought.move)


def _settled(values: Sequence[int], turn: chess.Color) -> tuple[str, str] | None:
    """Give result and reason where somebody gives up or both agree; the last value is the last mover's."""
    of_mover = values[-1 : -2 * RESIGN_AFTER : -2]
    if len(of_mover) == RESIGN_AFTER and max(of_mover) <= RESIGN_AT:
        return ("1-0" if turn == chess.WHITE else "0-1"), "given up"
    if len(values) >= LEVEL_FROM and max(map(abs, values[-LEVEL_AFTER:])) <= LEVEL:
        return "1/2-1/2", "agreed"
    return None


LEVELS = (1500, 1700, 1900, 2100, 2300, 2500, 2700)
ROUNDS = 9
SEED = 20


class Pairing(NamedTuple):
    """One game to be played; its number is its place in the whole schedule, and decides its draws."""

    number: int
    round: int
    white: int
    black: int


def schedule(levels: Sequence[int], rounds: int) -> list[Pairing]:
    """Pair everyone once in each round, colours changing."""
    pairings: list[Pairing] = []
    for number in range(rounds):
        for first, second in combinations(levels, 2):
            # Neither the stronger nor the weaker has White throughout a round.
            turned = (number + levels.index(first) + levels.index(second)) % 2 == 0
            white, black = (second, first) if turned else (first, second)
            pairings.append(Pairing(len(pairings) + 1, number + 1, white, black))
    return pairings


def numbers_played(path: Path) -> set[int]:
    """Read the numbers of the games that a file has."""
    numbers = set()
    if path.exists():
        with path.open(encoding="utf-8") as file:
            while (tags := chess.pgn.read_headers(file)) is not None:
                numbers.add(int(tags["Round"].split(".")[1]))
    return numbers


class RoundRobin:
    """Plays a schedule with some engines at once, and stores games and analyses in a workspace."""

    def __init__(self, folder: Path, recipe: Recipe, config: EngineConfig, *, seed: int = SEED) -> None:
        self.workspace, self.pgn, self.seed = Workspace(folder), folder / "games.pgn", seed
        self.recipe, self.config = recipe, config
        self.identity = known_identity(config, recipe)
        self.recipe_id = recipe_id(recipe, self.identity)
        self.calibration, self.caveat = calibration_for(self.recipe_id, self.identity.name, recipe.name)

    def play(self, pairings: Sequence[Pairing], jobs: int, event: str) -> Iterator[tuple[Pairing, Played]]:
        """Play the games that are not there yet; each is stored before it is given."""
        done = numbers_played(self.pgn)
        left = [pairing for pairing in pairings if pairing.number not in done]
        analyses: dict[str, AnalysisRow] = {}
        thinkers = queue.SimpleQueue[Thinker]()
        for _ in range(jobs):
            thinkers.put(Thinker(self.recipe, self.config, analyses))

        def play_one(pairing: Pairing) -> Played:
            thinker = thinkers.get()
            try:
                white, black = (agent_of_elo(self.calibration, elo) for elo in (pairing.white, pairing.black))
                return play_game(thinker, white, black, seed=self.seed, number=pairing.number)
            finally:
                thinkers.put(thinker)

        with self.workspace.writing(), ThreadPoolExecutor(jobs) as threads:
            self.workspace.prepare()
            about: dict[str, Any] = {"recipe": self.recipe.describe(), "engine": self.identity.describe()}
            record_recipe(self.workspace.table_analyses, self.recipe_id, about)
            ledger = Ledger(self.workspace.table_analyses, self.workspace.table_alone, self.recipe_id)
            table = self.workspace.table_analyses.read(["position_key", "recipe_id"])
            stored = {row["position_key"] for row in table.to_pylist() if row["recipe_id"] == self.recipe_id}
            try:
                for pairing, played in zip(left, threads.map(play_one, left), strict=True):
                    rows = [row for key, row in list(analyses.items()) if key not in stored]
                    stored |= {row.position_key for row in rows}
                    ledger.add(Outcome(rows=rows, tasks=len(rows)))
                    self._store(pairing, played, event)
                    yield pairing, played
                ledger.close()
            finally:
                for _ in range(jobs):
                    thinkers.get().close()

    def _store(self, pairing: Pairing, played: Played, event: str) -> None:
        """Add a game to the file; the Elo of the agents is where published ratings are."""
        tags = {
            "Event": event,
            "Site": "One computer",
            "Date": "2026.11.17",
            "Round": f"{pairing.round}.{pairing.number}",
            "White": f"Agent {pairing.white}",
            "Black": f"Agent {pairing.black}",
            "WhiteElo": str(pairing.white),
            "BlackElo": str(pairing.black),
            "Termination": played.why,
            "Annotator": f"seed {self.seed}",
        }
        text = self.pgn.read_text(encoding="utf-8") if self.pgn.exists() else ""
        write_text(self.pgn, text + as_pgn(played.moves, played.result, tags))


def main(words: Sequence[str]) -> None:
    """Play, then import the games into the workspace."""
    parser = command("round-robin", __doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--recipe", default="standard")
    parser.add_argument("--engine")
    given = parser.parse_args(words)
    robin = RoundRobin(given.folder, find_recipe(given.recipe), EngineConfig(given.engine), seed=given.seed)
    if robin.caveat:
        print(robin.caveat, file=sys.stderr)
    pairings = schedule(LEVELS, given.rounds)
    for pairing, played in robin.play(pairings, given.jobs, "Agents of known Elo"):
        how = f"{played.result}, {played.why}, {len(played.moves)} plies"
        print(f"{pairing.number}/{len(pairings)} {pairing.white} - {pairing.black} {how}", flush=True)
    robin.workspace.import_games(robin.pgn)


RESAMPLES = 1000
RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


def covered(rated: Mapping[str, Any]) -> Floats:
    """Reference, rating, low and high of each row that has all of them."""
    rows = [
        [row["reference"], row["combined"]["elo"], row["combined"]["low"], row["combined"]["high"]]
        for row in rated["players"]
        if row.get("combined") and row.get("reference")
    ]
    if not rows:
        raise InputError(
            "no row of this file has both a rating and a reference: rate games of agents by game"
        )
    return np.array(rows, np.float64)


def by_level(rows: Floats) -> str:
    """For each true Elo and for all: how many, errors, width, and share covered."""
    heads = ("true Elo", "intervals", "mean error", "deviation", "rmse", "mean width", "covered")
    lines = []
    for level in (*np.unique(rows[:, 0]), None):
        elo, rating, low, high = (rows if level is None else rows[rows[:, 0] == level]).T
        error = rating - elo
        deviation = float(error.std(ddof=1)) if len(error) > 1 else float("nan")
        lines.append(
            (
                "all" if level is None else f"{level:.0f}",
                len(error),
                f"{error.mean():+.0f}",
                f"{deviation:.0f}",
                f"{np.sqrt(np.square(error).mean()):.0f}",
                f"{(high - low).mean():.0f}",
                f"{np.mean((low <= elo) & (elo <= high)):.1%}",
            )
        )
    return table(heads, lines)


def results_of(path: Path) -> Floats:
    """White's Elo less Black's, and White's result, of each game."""
    rows = []
    with path.open(encoding="utf-8") as file:
        while (tags := chess.pgn.read_headers(file)) is not None:
            if tags["Result"] in RESULTS:
                ahead = float(tags["WhiteElo"]) - float(tags["BlackElo"])
                rows.append([ahead, RESULTS[tags["Result"]]])
    if not rows:
        raise InputError(f"there is no game with a result in {path}")
    return np.array(rows)


def slope(games: Floats) -> float:
    """By which factor of the Elo difference the results follow the Elo curve best; 1 where they follow it."""

    def lost(factor: float) -> float:
        share = np.clip(expectation(factor * games[:, 0]), 1e-12, 1 - 1e-12)
        return -float(games[:, 1] @ np.log(share) + (1 - games[:, 1]) @ np.log(1 - share))

    return float(minimize_scalar(lost, bounds=(-2.0, 8.0), method="bounded").x)


def slope_interval(games: Floats, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """95%, from resampled games."""
    rng = np.random.default_rng(seed)
    slopes = [slope(games[rng.integers(0, len(games), len(games))]) for _ in range(resamples)]
    low, high = np.quantile(slopes, [0.025, 0.975])
    return float(low), float(high)


def closed_loop(words: Sequence[str]) -> None:
    """Print ratings by true Elo, and how far results follow it."""
    parser = command("closed-loop", __doc__)
    parser.add_argument("rated", type=Path, help="what `assay rate FOLDER --by game --json` printed")
    parser.add_argument("games", type=Path)
    given = parser.parse_args(words)
    print(by_level(covered(json.loads(given.rated.read_text(encoding="utf-8")))))
    games = results_of(given.games)
    low, high = slope_interval(games)
    print(
        f"\n{len(games)} games; their results follow {slope(games):.2f} ({low:.2f} to {high:.2f}) times the"
    )
    print("difference of Elo.")
