"""Who plays: the agent of an Elo, or of a player's moves; what agents would play."""

from __future__ import annotations

import math

import chess
import numpy as np

from assay.agent import HIGHEST, LOWEST
from assay.agent.choosing import probabilities_of
from assay.agent.thinking import GameBoard, Limits, Thinker
from assay.answers.prepared import Explained
from assay.decisions.names import Who
from assay.decisions.profile import Profile
from assay.errors import EngineError, InputError, MappingError
from assay.models.depth.agents import DepthAgent
from assay.models.depth.model import DepthModel
from assay.rating.calibration import Calibration, all_shipped, find_calibration
from assay.workspace import Workspace


def calibration_for(recipe_id: str, engine: str, recipe: str) -> tuple[Calibration, str]:
    """Find the calibration of a recipe with its engine; else one that ships, with a caveat."""
    calibration = find_calibration(recipe_id)
    if calibration is not None and calibration.agents is not None:
        return calibration, ""
    for shipped in all_shipped():
        if shipped.agents is not None:
            other = f"{shipped.about.get('engine')} with {shipped.about.get('recipe')}"
            return shipped, (
                f"no calibration of {engine} with {recipe}: the simulated players of {other} play, "
                "and what Elo they have with this engine is not known"
            )
    raise MappingError("no calibration with simulated players is installed: make one with assay calibrate")


def agent_of_elo(calibration: Calibration, elo: float) -> DepthAgent:
    """Make the agent that chooses as players of an Elo do."""
    if not math.isfinite(elo):
        raise InputError("a simulated player has an Elo: give a number")
    if calibration.agents is None:
        raise MappingError("this calibration has no simulated players: make one anew (assay calibrate)")
    return calibration.agents.at(elo)


FEWEST_DECISIONS = 200
"""A player's agent has three parameters: from fewer decisions they are hardly known."""


def agent_of_profile(profile: Profile, recipe_id: str) -> DepthAgent:
    """Make the agent of a player from a profile of `depth`: the mean of its posterior."""
    model = DepthModel()
    if profile.model != model.identity:
        raise InputError(f"this is a profile of {profile.model}: a simulated player is made from depth's")
    if profile.recipe_id != recipe_id:
        raise InputError(
            f"this profile is of recipe {profile.recipe_id or 'none'}, the engine runs {recipe_id}: values "
            "of one engine or recipe are not those of another"
        )
    if profile.decisions < FEWEST_DECISIONS:
        raise InputError(
            f"a simulated player needs {FEWEST_DECISIONS} decisions or more, not {profile.decisions:.0f}: "
            "analyse more games"
        )
    return DepthAgent.of(model.posterior(profile).mean)


def player_profile(workspace: Workspace, player: str, recipe: str | None = None) -> tuple[str, Profile]:
    """Sum up a player's moves (`Tal@1958-1960`) by `depth`; refused where they are too few for an agent."""
    who = Who.parse(player)
    recipe_id = workspace.recipe_id(recipe)
    decisions = workspace.decisions(recipe_id, players=[who.player], trace=True)
    name, chosen = who.choose(decisions)
    profile = DepthModel().profile(chosen)
    agent_of_profile(profile, recipe_id)
    return str(name), profile


BESIDE = (1500, 2000, 2500)
"""Elos that stand beside the one asked for."""


def explain(thinker: Thinker, game: GameBoard, elo: int) -> Explained:
    """Give the probabilities of all legal moves; an error where the game is over or the engine fails."""
    elos = tuple(dict.fromkeys((elo, *BESIDE)))
    for each in elos:
        if not LOWEST <= each <= HIGHEST:
            raise InputError(f"a simulated player has an Elo from {LOWEST} to {HIGHEST}, not {each}")
    if game.result() is not None:
        raise InputError(f"the game is over in this position ({game.result()}): give one with a move to make")
    thought = thinker.think(game, Limits(), None, 1, 0)
    if not thought.values:
        raise EngineError(thought.notes[0].partition("; this move")[0])
    thinker.start()
    calibration, caveat = calibration_for(thinker.recipe_id, thinker.engine_name, thinker.recipe.name)
    seen = game.seen(thought.trace)
    agents = [agent_of_elo(calibration, each) for each in elos]
    share = np.stack([probabilities_of(seen, agent) for agent in agents], axis=1)
    order = sorted(range(len(seen.legal)), key=lambda place: (-share[place, 0], seen.legal[place]))
    legal = tuple(seen.legal[place] for place in order)
    return Explained(
        fen=game.board.fen(),
        engine=thinker.engine_name,
        recipe=thinker.recipe.name,
        recipe_id=thinker.recipe_id,
        caveat=caveat,
        elos=elos,
        depth=thought.depth,
        legal=legal,
        san=tuple(game.board.san(chess.Move.from_uci(move)) for move in legal),
        values=thought.values,
        share=share[order],
    )
