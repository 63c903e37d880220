import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

from assay.agent.agents import (
    BESIDE,
    FEWEST_DECISIONS,
    agent_of_elo,
    agent_of_profile,
    calibration_for,
    explain,
)
from assay.agent.choosing import Seen, probabilities_of
from assay.agent.thinking import GameBoard, Limits, Thinker
from assay.decisions.profile import Profile
from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import EngineError, InputError, MappingError
from assay.models.depth.agents import SHAPE
from assay.models.depth.model import DepthModel
from assay.rating.calibration import Calibration

SEEN = Seen(
    [(1, "a", 40), (1, "b", 0), (1, "c", -100), (6, "a", 40), (6, "b", -30), (6, "c", -200)], "abcdef"
)


def test_stronger_agents_play_the_best_move_more(standard: Calibration) -> None:
    best = [probabilities_of(SEEN, agent_of_elo(standard, elo))[0] for elo in (1000, 1500, 2100, 2700)]
    assert best[0] < best[1] < best[2]


def test_an_agent_needs_a_number_and_a_calibration_with_agents(standard: Calibration) -> None:
    with pytest.raises(InputError, match="give a number"):
        agent_of_elo(standard, math.nan)
    with pytest.raises(MappingError):
        agent_of_elo(dataclasses.replace(standard, agents=None), 2000)


def test_another_engine_plays_with_the_agents_that_ship_and_says_so(standard: Calibration) -> None:
    assert calibration_for(standard.recipe_id, "Stockfish 15.1", "standard") == (standard, "")
    calibration, caveat = calibration_for("0123456789abcdef", "Other 3", "quick")
    assert calibration.agents is not None
    assert "no calibration of Other 3 with quick" in caveat


def profile(decisions: float, peak: int, recipe: str = "r") -> Profile:
    evidence = np.full(math.prod(SHAPE), -50.0).reshape(SHAPE)
    evidence[peak] = 0.0
    return Profile(DepthModel().identity, evidence.ravel(), decisions, 10, recipe_id=recipe)


def test_a_player_has_an_agent_of_the_own_moves() -> None:
    weak, strong = (agent_of_profile(profile(900, peak), "r") for peak in (3, 8))
    assert weak.c < strong.c


def test_a_profile_of_few_moves_or_of_another_recipe_or_method_is_refused() -> None:
    with pytest.raises(InputError, match=f"{FEWEST_DECISIONS} decisions"):
        agent_of_profile(profile(50, 3), "r")
    with pytest.raises(InputError, match="not those of another"):
        agent_of_profile(profile(900, 3, "other"), "r")
    with pytest.raises(InputError, match="profile of gain"):
        agent_of_profile(Profile("gain", np.zeros(3), 900, 10, recipe_id="r"), "r")


def test_probabilities_for_an_elo_and_others_beside_it(
    scripted: Callable[..., EngineConfig], recipe: Recipe
) -> None:
    thinker, game = Thinker(recipe, scripted()), GameBoard.start()
    found = explain(thinker, game, 1800)
    trace = thinker.think(game, Limits(), None, 1, 0).trace
    thinker.close()
    assert found.elos == (1800, *BESIDE)
    assert found.share.sum(axis=0) == pytest.approx([1] * 4)
    assert sorted(found.legal) == game.legal
    assert found.share[:, 0].tolist() == sorted(found.share[:, 0], reverse=True)
    calibration, _ = calibration_for("", "", "")
    same = probabilities_of(Seen(trace, game.legal, opening=True), agent_of_elo(calibration, 2500))
    assert found.share[:, 3] == pytest.approx([same[game.legal.index(move)] for move in found.legal])
    assert [found.legal[place] for place in found.listed] == [
        move for move in found.legal if move in found.values
    ]
    assert "no calibration of Scripted 1" in found.caveat
    assert explain(thinker, game, 2000).elos == (2000, 1500, 2500)
    thinker.close()


def test_what_cannot_be_explained(scripted: Callable[..., EngineConfig], recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted("--fault", "illegal"))
    with pytest.raises(InputError, match="1000 to 2800, not 900"):
        explain(thinker, GameBoard.start(), 900)
    with pytest.raises(InputError, match="the game is over"):
        explain(thinker, GameBoard.start("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), 1800)
    with pytest.raises(EngineError, match="without 3 lines"):
        explain(thinker, GameBoard.start("8/5k2/8/8/8/8/P7/4K3 w - - 0 1"), 1800)
    thinker.close()
