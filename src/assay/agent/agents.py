"""Who plays: the agent of an Elo by one of three models, or of a player's moves; what agents would play."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import chess
import numpy as np

from assay.agent.choosing import BayesChooser, ChoiceChooser, Chooser, DepthChooser, probabilities_of
from assay.agent.thinking import GameBoard, Limits, Thinker
from assay.answers.prepared import Explained
from assay.decisions.names import Who
from assay.decisions.profile import Profile
from assay.errors import EngineError, InputError, MappingError
from assay.models.choice.model import ChoiceModel, expected_loss
from assay.models.depth.agents import DepthAgent
from assay.models.depth.model import DepthModel
from assay.models.elo_mapping import ScalarMapping, interpolate
from assay.rating.calibration import Calibration, all_shipped, find_calibration
from assay.workspace import Workspace

Model = Literal["depth", "bayes", "choice"]
MODELS: tuple[str, ...] = get_args(Model)

LOWEST, HIGHEST = 1500, 2800
"""Elos that may be asked for: the mileposts of the calibration that ships."""


def calibration_for(recipe_id: str, engine: str, recipe: str) -> tuple[Calibration, str]:
    """Find the calibration of a recipe with its engine; else one that ships, with a caveat."""
    calibration = find_calibration(recipe_id)
    if calibration is not None and calibration.agents is not None:
        return calibration, ""
    for shipped in all_shipped():
        if shipped.agents is not None:
            other = f"{shipped.about.get('engine')} with {shipped.about.get('recipe')}"
            return shipped, (
                f"no calibration of {engine} with {recipe}: the agents of {other} play, "
                "and what Elo they have with this engine is not known"
            )
    raise MappingError("no calibration with agents is installed: make one with assay calibrate")


def agent_of_elo(calibration: Calibration, elo: float, model: str = "depth") -> Chooser:
    """Make the agent that chooses as players of an Elo do."""
    if not math.isfinite(elo):
        raise InputError("an agent has an Elo: give a number")
    if model == "depth":
        if calibration.agents is None:
            raise MappingError("this calibration has no agents of depth: make one anew (assay calibrate)")
        return DepthChooser(calibration.agents.at(elo))
    if model not in MODELS:
        raise InputError(f"there is no agent of '{model}': choose {', '.join(MODELS)}")
    mapping = calibration.mappings.get(model)
    if not isinstance(mapping, ScalarMapping):
        raise MappingError(f"this calibration has no mapping of {model}: choose depth")
    # The mapping rises: it is read the other way round.
    low, high = mapping.knots_strength[0], mapping.knots_strength[-1]
    fine = np.linspace(low - (high - low), high + (high - low), 3001)
    strength = float(np.interp(elo, interpolate(mapping.knots_strength, mapping.knots_elo, fine), fine))
    return BayesChooser(max(strength, 0.0)) if model == "bayes" else _choice_agent(strength)


def _choice_agent(strength: float) -> ChoiceChooser:
    """Make the agent on the line of the model's pull with this expected loss on the reference positions."""
    model = ChoiceModel()
    c = math.exp(model.pull.intercept)
    wanted = max(-strength, 1e-4)
    low, high = math.log(0.001), math.log(3.0)
    for _ in range(40):  # the loss rises with s
        middle = (low + high) / 2
        lost = expected_loss(model.reference, math.exp(middle), c, model.curve, model.conversion)[0]
        low, high = (middle, high) if lost < wanted else (low, middle)
    return ChoiceChooser(math.exp(low), c)


FEWEST_DECISIONS = 200
"""A player's agent has three parameters: from fewer decisions they are hardly known."""


def agent_of_profile(profile: Profile, recipe_id: str) -> DepthChooser:
    """Make the agent of a player from a profile of `depth`: the mean of its posterior."""
    model = DepthModel()
    if profile.model != model.identity:
        raise InputError(f"this is a profile of {profile.model}: a player's agent is made from depth's")
    if profile.recipe_id != recipe_id:
        raise InputError(
            f"this profile is of recipe {profile.recipe_id or 'none'}, the engine runs {recipe_id}: values "
            "of one engine or recipe are not those of another"
        )
    if profile.decisions < FEWEST_DECISIONS:
        raise InputError(
            f"a player's agent needs {FEWEST_DECISIONS} decisions or more, not {profile.decisions:.0f}: "
            "analyse more games"
        )
    return DepthChooser(DepthAgent.of(model.posterior(profile).mean))


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


def explain(
    thinker: Thinker, game: GameBoard, elo: int, model: str = "depth", beside: Sequence[int] = BESIDE
) -> Explained:
    """Give the probabilities of all legal moves; an error where the game is over or the engine fails."""
    elos = tuple(dict.fromkeys((elo, *beside)))
    for each in elos:
        if not LOWEST <= each <= HIGHEST:
            raise InputError(f"an agent has an Elo from {LOWEST} to {HIGHEST}, not {each}")
    if game.result() is not None:
        raise InputError(f"the game is over in this position ({game.result()}): give one with a move to make")
    thought = thinker.think(game, Limits(), None, 1, 0)
    if not thought.values:
        raise EngineError(thought.notes[0].partition("; this move")[0])
    thinker.start()
    calibration, caveat = calibration_for(thinker.recipe_id, thinker.engine_name, thinker.recipe.name)
    seen = game.seen(thought.trace)
    agents = [agent_of_elo(calibration, each, model) for each in elos]
    share = np.stack([probabilities_of(seen, agent) for agent in agents], axis=1)
    order = sorted(range(len(seen.legal)), key=lambda place: (-share[place, 0], seen.legal[place]))
    legal = tuple(seen.legal[place] for place in order)
    return Explained(
        fen=game.board.fen(),
        engine=thinker.engine_name,
        recipe=thinker.recipe.name,
        recipe_id=thinker.recipe_id,
        caveat=caveat,
        model=model,
        elos=elos,
        depth=thought.depth,
        legal=legal,
        san=tuple(game.board.san(chess.Move.from_uci(move)) for move in legal),
        values=thought.values,
        share=share[order],
    )
