"""What players of several Elos would play in a position: what a coach shows a pupil."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
import numpy as np

from assay.agent.agents import HIGHEST, LOWEST, agent_of_elo, calibration_for
from assay.agent.board import GameBoard
from assay.agent.choosing import Seen, probabilities_of
from assay.agent.limits import Limits
from assay.agent.thinking import Thinker
from assay.decisions.arrays import Floats
from assay.errors import EngineError, InputError

BESIDE = (1500, 2000, 2500)
"""Elos that stand beside the one asked for."""


@dataclass(frozen=True)
class Explained:
    """A position with the probability of each legal move for players of some Elos."""

    fen: str
    engine: str
    recipe: str
    recipe_id: str
    caveat: str
    model: str
    elos: tuple[int, ...]
    """The one asked for first."""
    depth: int
    legal: tuple[str, ...]
    """Legal moves, likeliest first for the Elo asked for."""
    san: tuple[str, ...]
    values: dict[str, int]
    """Values of the lines, mover's view."""
    share: Floats
    """Probability: shape (legal moves, elos)."""

    @property
    def listed(self) -> list[int]:
        """Places of moves that some depth lists or that have a value; the others are not told apart."""
        return [place for place, move in enumerate(self.legal) if move in self.values]


def explain(
    thinker: Thinker, game: GameBoard, elo: int, model: str = "depth", beside: Sequence[int] = BESIDE
) -> Explained:
    """Probabilities of all legal moves; an error where the game is over or the engine fails."""
    elos = tuple(dict.fromkeys((elo, *beside)))
    for each in elos:
        if not LOWEST <= each <= HIGHEST:
            raise InputError(f"an agent has an Elo from {LOWEST} to {HIGHEST}, not {each}")
    if game.result() is not None:
        raise InputError(f"the game is over in this position ({game.result()}): give one with a move to make")
    thought = thinker.think(game, Limits(), None, 1, 0)
    if not thought.values:
        raise EngineError(thought.said[0].partition("; this move")[0])
    thinker.start()
    calibrated = calibration_for(thinker.recipe_id, thinker.engine_name, thinker.recipe.name)
    seen = Seen(thought.trace, game.legal, game.drawn(), game.bare_king, game.opening)
    agents = [agent_of_elo(calibrated.calibration, each, model) for each in elos]
    share = np.stack([probabilities_of(seen, agent) for agent in agents], axis=1)
    order = sorted(range(len(seen.legal)), key=lambda place: (-share[place, 0], seen.legal[place]))
    legal = tuple(seen.legal[place] for place in order)
    return Explained(
        fen=game.board.fen(),
        engine=thinker.engine_name,
        recipe=thinker.recipe.name,
        recipe_id=thinker.recipe_id,
        caveat=calibrated.caveat,
        model=model,
        elos=elos,
        depth=thought.depth,
        legal=legal,
        san=tuple(game.board.san(chess.Move.from_uci(move)) for move in legal),
        values=thought.values,
        share=share[order],
    )
