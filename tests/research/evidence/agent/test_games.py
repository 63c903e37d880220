from collections.abc import Callable

import chess

from assay.agent.choosing import DepthChooser
from assay.agent.thinking import Thinker
from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.models.depth.agents import DepthAgent
from research.evidence.agent.games import RESIGN_AFTER, _settled, play_game

CHOOSER = DepthChooser(DepthAgent(3.0, 0.2, 1.0))


def test_the_same_seed_plays_the_same_game(scripted: Callable[..., EngineConfig], recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted(), {})
    fen = "8/5k2/8/8/8/8/8/3BKN2 w - - 80 60"
    games = [
        play_game(thinker, CHOOSER, CHOOSER, seed=seed, number=1, fen=fen, to_the_end=True)
        for seed in (1, 1, 2)
    ]
    thinker.close()
    assert games[0] == games[1]
    assert games[0].moves != games[2].moves
    board = chess.Board(fen)
    for move in games[0].moves:
        board.push_uci(move)
    assert games[0].result in ("1-0", "0-1", "1/2-1/2")


def test_a_lost_game_is_given_up_by_the_side_that_loses() -> None:
    lost = [1200, -1150] * RESIGN_AFTER
    assert _settled(lost, chess.WHITE) == ("1-0", "given up")  # Black moved last, and was losing
    assert _settled([-1150, 1200] * RESIGN_AFTER, chess.WHITE) is None
    assert _settled([1200, -1150] * (RESIGN_AFTER - 1), chess.WHITE) is None
    assert _settled([*lost[:-1], -900], chess.WHITE) is None


def test_a_draw_is_agreed_late_in_level_games_only() -> None:
    assert _settled([10, -10] * 40, chess.WHITE) == ("1/2-1/2", "agreed")
    assert _settled([10, -10] * 30, chess.WHITE) is None
    assert _settled([10, -10] * 39 + [30, -30], chess.WHITE) is None
