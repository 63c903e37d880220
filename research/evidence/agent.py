"""Agents of known Elo against each other, and whether ratings give that Elo back: tables of docs/agent.md.

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
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import numpy as np
from scipy.optimize import minimize_scalar

from assay.agent.agents import agent_of_elo, calibration_for
from assay.agent.choosing import Chooser
from assay.agent.thinking import GameBoard, Limits, Thinker, Thought, as_pgn
from assay.decisions.arrays import Floats
from assay.decisions.elo import expectation
from assay.engine.engines import EngineConfig, known_identity
from assay.engine.recipe import Recipe, find_recipe, recipe_id
from assay.engine.search import AnalysisRow
from assay.engine.worker import Outcome
from assay.errors import InputError
from assay.files import write_text
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


@dataclass(frozen=True)
class Played:
    """A game that has ended, and how."""

    moves: tuple[str, ...]
    result: str
    why: str


def play_game(
    thinker: Thinker,
    white: Chooser,
    black: Chooser,
    *,
    seed: int,
    number: int,
    fen: str | None = None,
    to_the_end: bool = False,
) -> Played:
    """One game; given up or agreed drawn as people do, unless it is played to the end."""
    game, moves, best = GameBoard.start(fen), [], []  # type: ignore[var-annotated]
    while True:
        result = game.result()
        if result is not None:
            return Played(tuple(moves), result, _ended(game.board))
        if len(moves) >= MOST_PLIES:
            return Played(tuple(moves), "1/2-1/2", "too long")
        if not to_the_end and (settled := _settled(best, game.board.turn)) is not None:
            return Played(tuple(moves), *settled)
        chooser = white if game.board.turn else black
        thought = thinker.think(game, Limits(), chooser, seed, number)
        best.append(_best(thought))
        moves.append(thought.move)
        game.play(moves[-1])


def _best(thought: Thought) -> int:
    """What the position was worth to the mover."""
    return max(thought.values.values(), default=0)


def _settled(best: Sequence[int], turn: chess.Color) -> tuple[str, str] | None:
    """Result and reason where somebody gives up or both agree; `best` ends with the last mover's value."""
    values = best[-1 : -2 * RESIGN_AFTER : -2]
    if len(values) == RESIGN_AFTER and max(values) <= RESIGN_AT:
        return ("1-0" if turn == chess.WHITE else "0-1"), "given up"
    last = best[-LEVEL_AFTER:]
    if len(best) >= LEVEL_FROM and max(abs(value) for value in last) <= LEVEL:
        return "1/2-1/2", "agreed"
    return None


def _ended(board: chess.Board) -> str:
    outcome = board.outcome()
    return "repetition or fifty moves" if outcome is None else outcome.termination.name.lower()


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
    pairings: list[Pairing] = []
    for number in range(rounds):
        for first, second in combinations(levels, 2):
            # Neither the stronger nor the weaker has White throughout a round.
            turned = (number + levels.index(first) + levels.index(second)) % 2 == 0
            white, black = (second, first) if turned else (first, second)
            pairings.append(Pairing(len(pairings) + 1, number + 1, white, black))
    return pairings


def headers(pairing: Pairing, played: Played, event: str, seed: int) -> dict[str, str]:
    """Tags of a game; the true Elo of the agents stands where published ratings do."""
    return {
        "Event": event,
        "Site": "One computer",
        "Date": "2026.11.17",
        "Round": f"{pairing.round}.{pairing.number}",
        "White": name_of(pairing.white),
        "Black": name_of(pairing.black),
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
    numbers = set()
    if path.exists():
        with path.open(encoding="utf-8") as file:
            while (tags := chess.pgn.read_headers(file)) is not None:
                numbers.add(int(tags["Round"].split(".")[1]))
    return numbers


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
        left = [pairing for pairing in pairings if pairing.number not in done]
        for pairing in (*left, *[None] * jobs):
            waiting.put(pairing)
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
                game = ended.get()
                if isinstance(game, BaseException):
                    raise game
                keeper.keep()
                tags = headers(*game, event, self.seed)
                text = self.pgn.read_text(encoding="utf-8") if self.pgn.exists() else ""
                write_text(self.pgn, text + as_pgn(game[1].moves, game[1].result, tags))
                yield game
            keeper.close()

    def game(self, thinker: Thinker, pairing: Pairing) -> Played:
        """Play one."""
        white, black = (agent_of_elo(self.calibration, level) for level in (pairing.white, pairing.black))
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


def main(words: Sequence[str]) -> None:
    """Play, then take the games into the workspace."""
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
        names = f"{name_of(pairing.white)} - {name_of(pairing.black)}"
        how = f"{played.result}, {played.why}, {len(played.moves)} plies"
        print(f"{pairing.number}/{len(pairings)} {names} {how}", flush=True)
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
