import math

import pytest

from assay.engine.recipe import Recipe
from assay.engine.worker import SingleEvaluator
from assay.errors import EngineError
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.workspace import Workspace

from .conftest import RECIPE

PGN = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n'


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.pgn"
    path.write_text(PGN)
    return path


def test_one_by_one_they_are_the_values_of_a_whole_analysis(scripted, game, tmp_path):
    evaluator = SingleEvaluator(RECIPE, scripted())
    try:
        live = LiveAnalysis(evaluator).update(read_game(game))
    finally:
        evaluator.close()
    workspace = Workspace(tmp_path / "workspace")
    workspace.import_games(game)
    workspace.analyse(RECIPE, engine=scripted(), jobs=1, include=["too_short"])
    decisions = workspace.decisions(evaluator.recipe_id)
    gains = decisions.numbers("after").clip(-3900, 3900) - decisions.numbers("before")
    assert [move.gain for move in live.moves] == gains.tolist()
    assert live.moves[-1].san == "Qxf7#"


def test_an_engine_that_dies_is_an_error(scripted):
    broken = SingleEvaluator(RECIPE, scripted("--fault", "die", "--only", "3Q4/4K3/8"))
    with pytest.raises(EngineError, match="failed on"):
        broken.analyse("4k3/8/8/8/8/3Q4/4K3/8 w - -", "")
    broken.close()


def test_games_that_must_not_be_rated_are_analysed_on_request(scripted, game, tmp_path):
    workspace = Workspace(tmp_path / "workspace")
    workspace.import_games(game)
    assert workspace.analyse(RECIPE, engine=scripted(), jobs=1).wanted == 0
    assert workspace.analyse(RECIPE, engine=scripted(), jobs=1, include=["too_short"]).done == 8


@pytest.mark.engine
def test_with_a_real_engine(stockfish, game):
    evaluator = SingleEvaluator(Recipe("few", "few nodes", nodes=2_000, lines=1, alone=False), stockfish)
    try:
        live = LiveAnalysis(evaluator).update(read_game(game))
    finally:
        evaluator.close()
    blunder = live.moves[5]  # 3... Nf6 allows mate
    assert blunder.gain < -2000
    assert all(math.isfinite(move.gain) for move in live.moves)
