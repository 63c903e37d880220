"""Agents against Stockfish told to play like the same Elo: how far apart the two scales are.

    python -m research.evidence.agent.limited FOLDER [--games 6] [--jobs 2]
    python -m research.evidence.agent.limited --predict WORKSPACE [--each 400]

Stockfish's `UCI_Elo` was fitted to other engines at fast games; the agents' Elo is that of people at
classical ones. FOLDER is a workspace; a run that was ended goes on where it was. Printed is
where the results put Stockfish on the agents' scale; `assay rate FOLDER` says it by the moves.

With --predict, how many moves of people such a Stockfish plays itself, in milepost games of WORKSPACE, told
to be as strong as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import numpy as np

from assay.agent.agents import agent_of_elo
from assay.agent.thinking import Thinker
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.elo import POINTS_PER_LOGIT
from assay.engine.engines import EngineConfig, find_engine
from assay.engine.recipe import find_recipe
from assay.models.depth.model import DepthModel
from assay.models.mileposts import milepost_of_each
from assay.workspace import Workspace
from research.evidence.agent.closed_loop import RESULTS
from research.evidence.agent.games import Played, play_game
from research.evidence.agent.likeness_page import BANDS
from research.evidence.agent.round_robin import SEED, Pairing, RoundRobin, name_of

LEVELS = (1500, 1900, 2300, 2700)
GAMES = 6
NODES = 200_000
"""Of a limited engine's search. Not seconds: what it plays must not depend on how busy the machine is."""

EACH = 400
"""Decisions of people in each band."""

RESAMPLES = 2000


class LimitedMatches(RoundRobin):
    """Matches at one level each: the agent has White in every odd game."""

    def names(self, pairing: Pairing) -> tuple[str, str]:
        """The agent, and the engine by its own claim."""
        pair = name_of(pairing.white), limited_name(pairing.black)
        return pair if pairing.number % 2 else (pair[1], pair[0])

    def game(self, thinker: Thinker, pairing: Pairing) -> Played:
        """Play one, with an engine of its own for the guest: it keeps nothing from one game to the next."""
        agent = agent_of_elo(self.calibration, pairing.white)
        colour = chess.BLACK if pairing.number % 2 else chess.WHITE
        with chess.engine.SimpleEngine.popen_uci(find_engine(self.config.path)) as engine:
            engine.configure({"UCI_LimitStrength": True, "UCI_Elo": pairing.black})

            def move(board: chess.Board) -> str:
                chosen = engine.play(board, chess.engine.Limit(nodes=NODES)).move
                assert chosen is not None
                return chosen.uci()

            guests = {colour: move}
            return play_game(thinker, agent, agent, seed=self.seed, number=pairing.number, guests=guests)


def limited_name(level: int) -> str:
    """What the limited engine is called."""
    return f"Stockfish at {level}"


def schedule(levels: Sequence[int], games: int) -> list[Pairing]:
    """So many games at each level."""
    return [
        Pairing(level * games + one + 1, one + 1, elo, elo)
        for level, elo in enumerate(levels)
        for one in range(games)
    ]


def results_of(path: Path) -> dict[int, Floats]:
    """Results of the limited engine by level."""
    found: dict[int, list[float]] = {}
    with path.open(encoding="utf-8") as file:
        while (tags := chess.pgn.read_headers(file)) is not None:
            white = RESULTS[tags["Result"]]
            own = white if tags["White"].startswith("Stockfish") else 1 - white
            found.setdefault(int(tags["WhiteElo"]), []).append(own)
    return {level: np.array(results) for level, results in sorted(found.items())}


def ahead(results: Floats) -> tuple[float, float, float]:
    """By how many points the limited engine is ahead, with a 95% interval.

    By Jeffreys' prior of the share, which is half a point on either side: a clean sweep is many points and
    not infinitely many, and has an interval too. Draws make it a little too wide.
    """
    n = len(results)
    rng = np.random.default_rng(0)
    shares = rng.beta(results.sum() + 0.5, n - results.sum() + 0.5, RESAMPLES)
    low, high = np.quantile(_points(shares), [0.025, 0.975])
    return float(_points(np.array((results.sum() + 0.5) / (n + 1)))), float(low), float(high)


def _points(share: Floats) -> Floats:
    """The difference in rating that lets expect such a share of the points."""
    return np.asarray(POINTS_PER_LOGIT * np.log(share / (1 - share)))


def page(results: dict[int, Floats]) -> str:
    """The table, in Markdown."""
    lines = ["| `UCI_Elo` | games | points of Stockfish | on the agents' scale |", "|---|---|---|---|"]
    for level, own in results.items():
        middle, low, high = (level + one for one in ahead(own))
        points = f"{own.sum():g} of {len(own)}"
        lines.append(f"| {level} | {len(own)} | {points} | {middle:.0f} ({low:.0f} to {high:.0f}) |")
    return "\n".join(lines)


def foreseen(decisions: Decisions, each: int, engine: str, seed: int = 0) -> dict[tuple[int, int], Floats]:
    """Whether limited Stockfish plays the move of people, for so many decisions drawn from each band."""
    kept, _ = DepthModel().select(decisions)
    mileposts, place = milepost_of_each(kept)
    century = np.array([0, *mileposts.centuries])[place + 1]
    rng = np.random.default_rng(seed)
    found: dict[tuple[int, int], Floats] = {}
    with chess.engine.SimpleEngine.popen_uci(engine) as limited:
        for low, high in BANDS:
            rows = np.flatnonzero((century >= low) & (century <= high))
            chosen = np.sort(rng.choice(rows, min(each, len(rows)), replace=False))
            some = kept.take(chosen).to_table().select(["position_key", "played"]).to_pylist()
            same = []
            for one, elo in zip(some, century[chosen].tolist(), strict=True):
                limited.configure({"UCI_LimitStrength": True, "UCI_Elo": elo})
                board = chess.Board(f"{one['position_key']} 0 1")
                move = limited.play(board, chess.engine.Limit(nodes=NODES), game=object()).move
                same.append(float(move is not None and move.uci() == one["played"]))
            found[low, high] = np.array(same)
    return found


def foreseen_page(found: dict[tuple[int, int], Floats]) -> str:
    """The table, in Markdown, with 95% intervals of independent decisions."""
    lines = ["| Elo | decisions | Stockfish at `UCI_Elo` plays people's move % |", "|---|---|---|"]
    for (low, high), same in found.items():
        share, n = 100 * same.mean(), len(same)
        reach = 1.96 * np.sqrt(share * (100 - share) / n)
        said = f"{share:.1f} ({share - reach:.1f} to {share + reach:.1f})"
        lines.append(f"| {low} to {high} | {n} | {said} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, then print."""
    parser = argparse.ArgumentParser(prog="python -m research.evidence.agent.limited", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--engine")
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--each", type=int, default=EACH)
    chosen = parser.parse_args(arguments)
    if chosen.predict:
        kept = Workspace(chosen.folder)
        decisions = kept.decisions(kept.recipe_id(None), trace=True)
        print(foreseen_page(foreseen(decisions, chosen.each, find_engine(chosen.engine))))
        return 0
    matches = LimitedMatches(
        chosen.folder, find_recipe("standard"), EngineConfig(chosen.engine), seed=SEED + 1
    )
    for pairing, played in matches.play(schedule(LEVELS, chosen.games), chosen.jobs, "Agents and UCI_Elo"):
        names = " - ".join(matches.names(pairing))
        print(f"{pairing.number} {names} {played.result}, {played.why}", file=sys.stderr, flush=True)
    matches.workspace.import_games(matches.pgn)
    print(page(results_of(matches.pgn)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
