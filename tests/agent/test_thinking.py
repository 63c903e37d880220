import threading
from collections.abc import Callable

import numpy as np
import pytest

from assay.agent.agents import agent_of_elo
from assay.agent.board import GameBoard
from assay.agent.choosing import DepthChooser, Seen, probabilities_of
from assay.agent.limits import Limits
from assay.agent.thinking import Thinker, rest_shares
from assay.engine.engines import EngineConfig
from assay.engine.options import AnalysisRow
from assay.engine.recipe import Recipe
from assay.engine.single import SingleEvaluator
from assay.errors import EngineError
from assay.models.depth.agents import DepthAgent
from assay.rating.calibration import Calibration

Scripted = Callable[..., EngineConfig]
CHOOSER = DepthChooser(DepthAgent(3.0, 0.2, 1.0))
LATER = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 12"
"""After the opening, where a scripted engine's wild values leave nearly all to one move."""


def test_moves_are_drawn_from_the_probabilities_of_the_recipes_lines(
    scripted: Scripted, recipe: Recipe
) -> None:
    thinker, game = Thinker(recipe, scripted()), GameBoard.start(LATER)
    thoughts = [thinker.think(game, Limits(), CHOOSER, seed, 0) for seed in range(12)]
    evaluator = SingleEvaluator(recipe, thinker.config)
    row = evaluator.analyse(game.key, "").rows[0]
    evaluator.close()
    thinker.close()
    expected = probabilities_of(Seen(row.trace, game.legal), CHOOSER)
    assert thoughts[0].share == pytest.approx(expected)
    assert thoughts[0].values == dict(zip(row.moves, row.values, strict=True))
    assert thinker.recipe_id == evaluator.recipe_id
    assert len({one.move for one in thoughts}) > 3
    assert thoughts[0].probability(row.moves[0]) == pytest.approx(expected[game.legal.index(row.moves[0])])


def test_whole_searches_are_kept_and_not_searched_again(scripted: Scripted, recipe: Recipe) -> None:
    known: dict[str, AnalysisRow] = {}
    thinker, game = Thinker(recipe, scripted(), known), GameBoard.start()
    first = thinker.think(game, Limits(), CHOOSER, 1, 0)
    thinker.think(game, Limits(nodes=100), CHOOSER, 1, 0)
    assert list(known) == [game.key]
    thinker.config = EngineConfig("/nowhere")
    thinker.close()
    again = thinker.think(game, Limits(), CHOOSER, 1, 0)
    assert again.share.tolist() == first.share.tolist()
    evaluator = SingleEvaluator(recipe, scripted())
    row = evaluator.analyse(game.key, "").rows[0]
    evaluator.close()
    assert known[game.key]._replace(seconds=0, trace_seconds=None) == row._replace(
        seconds=0, trace_seconds=None
    )


def test_where_the_draw_falls_on_an_unlisted_move_these_are_searched_and_told_apart() -> None:
    legal = ["a", "b", "quiet", "blunder"]
    seen = Seen([(1, "a", 30), (1, "b", 10), (6, "a", 30), (6, "b", 10)], legal)
    trace = [(1, "quiet", 0), (1, "blunder", -20), (6, "quiet", -10), (6, "blunder", -900)]
    quiet, blunder = rest_shares(["quiet", "blunder"], seen, trace, CHOOSER)
    assert quiet > 5 * blunder
    assert quiet + blunder == pytest.approx(1)
    assert rest_shares(["quiet", "blunder"], seen, [(9, "quiet", 0)], CHOOSER).tolist() == [0.5, 0.5]


def test_only_the_moves_that_may_be_searched_are_played(scripted: Scripted, recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted())
    found = {
        thinker.think(GameBoard.start(), Limits(moves=("e2e4", "a2a3")), CHOOSER, seed, 0).move
        for seed in range(8)
    }
    thinker.close()
    assert found <= {"e2e4", "a2a3"}


def test_without_a_chooser_the_engine_itself_plays(scripted: Scripted, recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted())
    thought = thinker.think(GameBoard.start(), Limits(), None, 1, 0)
    thinker.close()
    assert thought.values[thought.move] == max(thought.values.values())


def test_fewer_nodes_are_said(scripted: Scripted, recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted())
    for limits in (Limits(nodes=1000), Limits(seconds=0.05)):
        said = thinker.think(GameBoard.start(), limits, CHOOSER, 1, 0).said
        assert "instead of the recipe's 150000" in said[0]
    thinker.close()


def test_an_engine_that_dies_once_is_started_again(
    scripted: Scripted, recipe: Recipe, tmp_path: object
) -> None:
    config = scripted("--fault", "die", "--times", 1, "--state", f"{tmp_path}/state")
    thinker = Thinker(recipe, config)
    thought = thinker.think(GameBoard.start(), Limits(), CHOOSER, 1, 0)
    thinker.close()
    assert thought.values
    assert thought.said == () or "instead of" in thought.said[0]


@pytest.mark.parametrize("fault", ["die", "illegal", "nonsense"])
def test_an_engine_that_always_fails_is_answered_for_by_any_legal_move(
    scripted: Scripted, recipe: Recipe, fault: str
) -> None:
    game = GameBoard.start()
    thinker = Thinker(recipe, scripted("--fault", fault))
    thought = thinker.think(game, Limits(), CHOOSER, 1, 0)
    thinker.close()
    assert thought.move in game.legal
    assert "this move is any legal one" in thought.said[0]
    assert thought.share == pytest.approx(np.full(20, 0.05))
    with pytest.raises(EngineError):
        thinker.attempt(game, Limits(), CHOOSER, 1, 0)
    thinker.close()


def test_a_search_can_be_stopped_from_another_thread(scripted: Scripted, recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted())
    thinker.start()
    thread = threading.Thread(target=thinker.stop)
    thread.start()
    thread.join()
    thought = thinker.think(GameBoard.start(), Limits(), CHOOSER, 1, 0)
    assert thought.depth == 1  # what was stopped before it began is a look at sight
    thinker.ready()
    assert thinker.think(GameBoard.start(), Limits(), CHOOSER, 1, 0).depth > 1
    thinker.close()


def test_a_solved_ending_needs_no_engine(recipe: Recipe, standard: Calibration) -> None:
    thinker = Thinker(recipe, EngineConfig("/nowhere"))
    game = GameBoard.start("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    thought = thinker.think(game, Limits(), agent_of_elo(standard, 1500), 1, 0)
    assert thought.move == "h1h8"
    assert thought.said == ()
