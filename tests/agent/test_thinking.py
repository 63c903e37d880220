import io
import threading
from collections.abc import Callable

import chess
import chess.pgn
import numpy as np
import pytest

from assay.agent.agents import agent_of_elo
from assay.agent.choosing import Seen, probabilities_of
from assay.agent.thinking import (
    LEAST_NODES,
    GameBoard,
    Limits,
    Thinker,
    affordable,
    as_pgn,
    parse_go,
    rest_shares,
)
from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.engine.run import SingleEvaluator
from assay.engine.search import AnalysisRow
from assay.errors import EngineError
from assay.models.depth.agents import DepthAgent
from assay.rating.calibration import Calibration

BACK = ["g1f3", "g8f6", "f3g1", "f6g8"]


def played(moves: list[str], fen: str | None = None) -> GameBoard:
    game = GameBoard.start(fen)
    for move in moves:
        game.play(move)
    return game


def test_the_key_is_that_of_analyses() -> None:
    assert played(["e2e4"]).key == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    # En passant is part of the position only where it can be played.
    assert played(["e2e4", "a7a6", "e4e5", "d7d5"]).key.endswith("d6")


def test_a_third_repetition_is_seen_before_it_is_on_the_board() -> None:
    game = played(BACK + BACK[:3])
    assert game.drawn() == {"f6g8"}
    game.play("f6g8")
    assert game.result() == "1/2-1/2"
    assert played(BACK[:3]).drawn() == frozenset()


def test_a_capture_or_a_pawn_move_ends_what_could_be_repeated() -> None:
    game = played([*BACK, *BACK[:3], "e7e5"])
    assert game.drawn() == frozenset()


def test_the_fiftieth_move() -> None:
    game = GameBoard.start("8/8/8/3k4/8/8/P7/R3K3 w - - 99 80")
    assert "a1a1" not in game.drawn()
    assert {"a1b1", "e1e2"} <= game.drawn()
    assert not {"a2a3", "a2a4"} & game.drawn()
    game.play("a1b1")
    assert game.result() == "1/2-1/2"


@pytest.mark.parametrize(
    ("fen", "result"),
    [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "1-0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "1/2-1/2"),
        ("8/8/8/3k4/8/8/8/3BK3 w - - 0 1", "1/2-1/2"),
        (chess.STARTING_FEN, None),
    ],
)
def test_how_games_end(fen: str, result: str | None) -> None:
    assert GameBoard.start(fen).result() == result


def test_the_opening_is_the_first_turns_of_a_game() -> None:
    game = GameBoard.start()
    assert game.seen([]).opening
    for _ in range(4):
        for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
            game.play(move)
    assert not game.seen([]).opening  # turn 9
    assert not GameBoard.start("8/5k2/8/8/8/8/P7/4K3 w - - 0 1").seen([]).opening


def go(text: str, *, white: bool = True) -> Limits:
    return parse_go(text.split(), white=white)


def test_the_own_clock_is_shared_out_over_the_moves_to_come() -> None:
    assert go("wtime 60000 btime 1000").seconds == pytest.approx(2 - 0.03)
    assert go("wtime 60000 btime 30000", white=False).seconds == pytest.approx(1 - 0.03)
    assert go("wtime 60000 winc 1000").seconds == pytest.approx(2.8 - 0.03)
    assert go("wtime 60000 movestogo 10").seconds == pytest.approx(6 - 0.03)
    assert go("wtime 60000 movestogo 1").seconds == pytest.approx(30 - 0.03)


def test_a_flag_never_falls_by_what_is_added_later() -> None:
    found = go("wtime 1000 winc 60000").seconds
    assert found is not None
    assert found < 0.5
    assert go("wtime 1 btime 1").seconds == 0.01
    assert go("wtime -300 btime 1").seconds == 0.01


def test_the_time_of_a_move_and_other_limits() -> None:
    assert go("movetime 500") == Limits(seconds=pytest.approx(0.47))
    assert go("nodes 1000 depth 5") == Limits(nodes=1000, depth=5)
    assert go("infinite") == Limits(waits=True)
    assert go("ponder wtime 60000 btime 60000").waits
    assert go("searchmoves e2e4 d2d4 depth 3") == Limits(depth=3, moves=("e2e4", "d2d4"))
    assert go("") == Limits()


def test_nonsense_is_passed_over() -> None:
    assert go("depth x nodes -5 banana wtime") == Limits()
    assert go("nodes 99999999999999999999999999").nodes == 10**12


def test_what_fits_the_time_is_searched_and_never_more_than_the_recipe() -> None:
    assert affordable(Limits(), 150_000, 1e5) == 150_000
    assert affordable(Limits(seconds=100.0), 150_000, 1e5) == 150_000
    assert affordable(Limits(seconds=1.0), 150_000, 1e5) == 90_000
    assert affordable(Limits(nodes=2000, seconds=1.0), 150_000, 1e5) == 2000
    assert affordable(Limits(nodes=10**9), 150_000, 1e5) == 150_000
    assert affordable(Limits(seconds=0.0001), 150_000, 1e5) == LEAST_NODES
    assert affordable(Limits(nodes=1), 100, 1e5) == 100


Scripted = Callable[..., EngineConfig]
AGENT = DepthAgent(3.0, 0.2, 1.0)
LATER = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 12"
"""After the opening, where a scripted engine's wild values leave nearly all to one move."""


def test_moves_are_drawn_from_the_probabilities_of_the_recipes_lines(
    scripted: Scripted, recipe: Recipe
) -> None:
    thinker, game = Thinker(recipe, scripted()), GameBoard.start(LATER)
    thoughts = [thinker.think(game, Limits(), AGENT, seed, 0) for seed in range(12)]
    evaluator = SingleEvaluator(recipe, thinker.config)
    row = evaluator.analyse(game.key, "").rows[0]
    evaluator.close()
    thinker.close()
    expected = probabilities_of(Seen(row.trace, game.legal), AGENT)
    assert thoughts[0].share == pytest.approx(expected)
    assert thoughts[0].values == dict(zip(row.moves, row.values, strict=True))
    assert thinker.recipe_id == evaluator.recipe_id
    assert len({one.move for one in thoughts}) > 3
    assert thoughts[0].probability(row.moves[0]) == pytest.approx(expected[game.legal.index(row.moves[0])])


def test_whole_searches_are_kept_and_not_searched_again(scripted: Scripted, recipe: Recipe) -> None:
    known: dict[str, AnalysisRow] = {}
    thinker, game = Thinker(recipe, scripted(), known), GameBoard.start()
    first = thinker.think(game, Limits(), AGENT, 1, 0)
    thinker.think(game, Limits(nodes=100), AGENT, 1, 0)
    assert list(known) == [game.key]
    thinker.config = EngineConfig("/nowhere")
    thinker.close()
    again = thinker.think(game, Limits(), AGENT, 1, 0)
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
    quiet, blunder = rest_shares(["quiet", "blunder"], seen, trace, AGENT)
    assert quiet > 5 * blunder
    assert quiet + blunder == pytest.approx(1)
    assert rest_shares(["quiet", "blunder"], seen, [(9, "quiet", 0)], AGENT).tolist() == [0.5, 0.5]


def test_only_the_moves_that_may_be_searched_are_played(scripted: Scripted, recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted())
    found = {
        thinker.think(GameBoard.start(), Limits(moves=("e2e4", "a2a3")), AGENT, seed, 0).move
        for seed in range(8)
    }
    thinker.close()
    assert found <= {"e2e4", "a2a3"}


def test_fewer_nodes_are_said(scripted: Scripted, recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted())
    for limits in (Limits(nodes=1000), Limits(seconds=0.05)):
        said = thinker.think(GameBoard.start(), limits, AGENT, 1, 0).notes
        assert "instead of the recipe's 150000" in said[0]
    thinker.close()


def test_an_engine_that_dies_once_is_started_again(
    scripted: Scripted, recipe: Recipe, tmp_path: object
) -> None:
    config = scripted("--fault", "die", "--times", 1, "--state", f"{tmp_path}/state")
    thinker = Thinker(recipe, config)
    thought = thinker.think(GameBoard.start(), Limits(), AGENT, 1, 0)
    thinker.close()
    assert thought.values
    assert thought.notes == () or "instead of" in thought.notes[0]


@pytest.mark.parametrize("fault", ["die", "illegal", "nonsense"])
def test_an_engine_that_always_fails_is_answered_for_by_any_legal_move(
    scripted: Scripted, recipe: Recipe, fault: str
) -> None:
    game = GameBoard.start()
    thinker = Thinker(recipe, scripted("--fault", fault))
    thought = thinker.think(game, Limits(), AGENT, 1, 0)
    thinker.close()
    assert thought.move in game.legal
    assert "this move is any legal one" in thought.notes[0]
    assert thought.share == pytest.approx(np.full(20, 0.05))
    with pytest.raises(EngineError):
        thinker.attempt(game, Limits(), AGENT, 1, 0)
    thinker.close()


def test_a_search_can_be_stopped_from_another_thread(scripted: Scripted, recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted())
    thinker.start()
    thread = threading.Thread(target=thinker.stop)
    thread.start()
    thread.join()
    thought = thinker.think(GameBoard.start(), Limits(), AGENT, 1, 0)
    assert thought.depth == 1  # what was stopped before it began is a look at sight
    thinker.ready()
    assert thinker.think(GameBoard.start(), Limits(), AGENT, 1, 0).depth > 1
    thinker.close()


def test_a_solved_ending_needs_no_engine(recipe: Recipe, standard: Calibration) -> None:
    thinker = Thinker(recipe, EngineConfig("/nowhere"))
    game = GameBoard.start("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    thought = thinker.think(game, Limits(), agent_of_elo(standard, 1500), 1, 0)
    assert thought.move == "h1h8"
    assert thought.notes == ()


def test_pgn_holds_the_moves_and_how_the_game_ended() -> None:
    read = chess.pgn.read_game(
        io.StringIO(as_pgn(("e2e4", "e7e5"), "1/2-1/2", {"White": "Ann", "Black": "Bob"}))
    )
    assert read is not None
    assert read.headers["White"] == "Ann"
    assert read.headers["Result"] == "1/2-1/2"
    assert [move.uci() for move in read.mainline_moves()] == ["e2e4", "e7e5"]
