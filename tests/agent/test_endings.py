import random

import chess
import pytest

from assay.agent import endings
from assay.agent.agents import agent_of_elo
from assay.agent.choosing import Seen, draw, probabilities_of
from assay.agent.endings import distances, prepare, solved_values
from assay.agent.thinking import GameBoard
from assay.decisions.evaluation import MATE
from assay.rating.calibration import Calibration


def slow_mate(board: chess.Board, moves: int) -> bool:
    """Whether the mover mates in so many moves at most, by trying everything."""
    for move in list(board.legal_moves):
        board.push(move)
        replies = list(board.legal_moves)
        won = board.is_checkmate()
        if not won and moves > 1 and replies and chess.popcount(board.occupied) == 3:
            won = all(_after(board, reply, moves - 1) for reply in replies)
        board.pop()
        if won:
            return True
    return False


def _after(board: chess.Board, reply: chess.Move, moves: int) -> bool:
    board.push(reply)
    try:
        return chess.popcount(board.occupied) == 3 and slow_mate(board, moves)
    finally:
        board.pop()


@pytest.mark.parametrize(("queen", "longest"), [(False, 16), (True, 10)])
def test_the_longest_mates_are_as_known(queen: bool, longest: int) -> None:
    won, lost = distances(queen)
    assert won.max() == longest
    assert lost.max() == longest


@pytest.mark.parametrize("piece", [chess.ROOK, chess.QUEEN])
def test_short_mates_as_by_trying_everything(piece: chess.PieceType) -> None:
    rng, checked = random.Random(3), 0
    while checked < 12:
        board = random_ending(rng, piece)
        values = solved_values(board)
        assert values is not None
        best = MATE - max(values.values())
        if best <= 2:
            assert slow_mate(board, best)
            assert best == 1 or not slow_mate(board, 1)
            checked += 1
    board = random_ending(rng, piece)
    while MATE - max((solved_values(board) or {}).values()) <= 2:
        board = random_ending(rng, piece)
    assert not slow_mate(board, 2)


def random_ending(rng: random.Random, piece: chess.PieceType) -> chess.Board:
    """White to move and to win."""
    while True:
        own, other, third = rng.sample(range(64), 3)
        board = chess.Board(None)
        board.set_piece_at(own, chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(other, chess.Piece(chess.KING, chess.BLACK))
        board.set_piece_at(third, chess.Piece(piece, chess.WHITE))
        if board.is_valid() and not board.is_game_over() and max((solved_values(board) or {"": 0}).values()):
            return board


def test_both_sides_and_both_colours() -> None:
    white = solved_values(chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1"))
    black = solved_values(chess.Board("K7/8/1k6/8/8/8/8/7r b - - 0 1"))
    assert white is not None
    assert white["h1h8"] == MATE - 1
    assert white == black
    losing = solved_values(chess.Board("8/8/8/3k4/8/8/8/R3K3 b - - 0 1"))
    assert losing is not None
    assert max(losing, key=lambda move: losing[move]) != "d5e4"  # the shortest way to be mated
    taken = solved_values(chess.Board("8/8/8/8/8/1k6/R7/5K2 b - - 0 1"))
    assert taken is not None
    assert taken["b3a2"] == 0  # the rook is lost, and with it the win


def test_other_endings_are_not_solved() -> None:
    for fen in (chess.STARTING_FEN, "8/8/8/3k4/8/8/P7/4K3 w - - 0 1", "8/8/8/3k4/8/8/1R6/R3K3 w - - 0 1"):
        assert solved_values(chess.Board(fen)) is None


def test_where_nobody_may_wait_nothing_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    board = chess.Board("8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    monkeypatch.setattr(endings, "_ready", endings.threading.Event())
    assert solved_values(board, wait=False) is None
    prepare().join()
    assert solved_values(board, wait=False) == solved_values(board)


@pytest.mark.parametrize("elo", [1500, 2500])
def test_king_and_rook_are_converted_against_the_longest_defence(elo: int, standard: Calibration) -> None:
    agent, rng = agent_of_elo(standard, elo), random.Random(elo)
    for number in range(15):
        game = GameBoard.start(random_ending(rng, chess.ROOK).fen())
        while game.result() is None:
            values = solved_values(game.board)
            assert values is not None, "the rook was lost"
            if game.board.turn == chess.WHITE:
                trace = [(1, move, value) for move, value in values.items()]
                seen = Seen(trace, game.legal, game.drawn(), bare_king=True)
                game.play(draw(game.legal, probabilities_of(seen, agent), 1, number, game.ply))
            else:
                game.play(max(sorted(values), key=lambda move: values[move]))
        assert game.result() == "1-0"
