from collections.abc import Callable

import pytest

from assay.agent.agents import agent_of_elo, calibration_for
from assay.agent.board import GameBoard
from assay.agent.choosing import Seen, probabilities_of
from assay.agent.explain import BESIDE, explain
from assay.agent.limits import Limits
from assay.agent.thinking import Thinker
from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import EngineError, InputError


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
    calibration = calibration_for("", "", "").calibration
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
    with pytest.raises(InputError, match="1500 to 2800, not 900"):
        explain(thinker, GameBoard.start(), 900)
    with pytest.raises(InputError, match="the game is over"):
        explain(thinker, GameBoard.start("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), 1800)
    with pytest.raises(EngineError, match="without 3 lines"):
        explain(thinker, GameBoard.start("8/5k2/8/8/8/8/P7/4K3 w - - 0 1"), 1800)
    thinker.close()
