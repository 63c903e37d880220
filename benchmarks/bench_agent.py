"""The agent's own time for a move, on top of its engine's: from the lines of a search to the move said."""

import time
from typing import Any

import numpy as np

from assay.agent.choosing import DepthChooser, Seen, draw, probabilities_of
from assay.agent.session import AgentSession
from assay.agent.thinking import GameBoard
from assay.models.depth.agents import DepthAgent
from benchmarks.measure import row

PLIES = 120
DEPTHS, LINES = 10, 10
MOVES = 20


def _game() -> list[str]:
    """A long game of any legal moves."""
    rng, game, moves = np.random.default_rng(3), GameBoard.start(), []
    while len(moves) < PLIES and game.result() is None:
        move = str(rng.choice(game.legal))
        game.play(move)
        moves.append(move)
    return moves


def _seen(game: GameBoard) -> Seen:
    rng, legal = np.random.default_rng(1), game.legal
    trace = [
        (depth, move, int(value))
        for depth in range(1, DEPTHS + 1)
        for move, value in zip(
            rng.permutation(legal)[:LINES], -np.sort(-rng.normal(0, 100, LINES)), strict=False
        )
    ]
    return Seen([(depth, str(move), value) for depth, move, value in trace], legal)


def run() -> list[dict[str, Any]]:
    moves, chooser = _game(), DepthChooser(DepthAgent(3.0, 0.2, 1.0))
    session = AgentSession(lambda _: None, lambda _: None)
    words = ["startpos", "moves", *moves]
    game = GameBoard.start()
    for move in moves:
        game.play(move)
    seen = _seen(game)

    def own() -> None:
        for ply in range(MOVES):
            session.set_position(words[: len(words) - ply % 2 * 2])  # half of them are replayed whole
            game.drawn()
            draw(seen.legal, probabilities_of(seen, chooser), 1, 1, ply)

    own()
    # Of the processor: beside its engine, and whatever else runs, the time on the wall says little.
    start = time.process_time()
    own()
    seconds = (time.process_time() - start) / MOVES
    name = f"agent: its own time for a move, {len(moves)} plies into a game"
    return [row(name, 1000 * seconds, "ms", most=5)]
