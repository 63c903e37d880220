"""Endings by the rules, against python-chess."""

import random

import chess
import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.evaluation import MATE
from assay.engine.replay import ending_values, last_boards, replay

ENDED = [
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",  # mate
    "7k/8/6KQ/8/8/8/8/8 w - - 0 1",
    "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1",  # stalemate
    "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
    "8/8/8/8/8/4k3/8/4K3 w - - 0 1",  # bare kings
    "8/8/8/8/8/4k3/8/4KB2 w - - 0 1",
    "8/8/8/8/8/4k3/8/4KN2 b - - 0 1",
    "8/8/8/8/8/4k3/8/3NKN2 b - - 0 1",  # two knights could
    "8/8/8/8/8/4kb2/8/4KB2 w - - 0 1",
    "8/8/8/4b3/8/4k3/8/4KB2 w - - 0 1",
    "8/8/8/3b4/8/4k3/8/4KN2 w - - 0 1",
    "8/8/8/8/8/4kn2/8/4KN2 w - - 0 1",
    "8/8/8/8/8/4kq2/8/4KN2 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",  # fool's mate
    "8/8/8/1pP5/8/8/8/K1k4r w - b6 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",  # taking in passing would leave the king in check
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "k7/8/8/8/8/8/5q2/7K w - - 0 1",
    "5bnr/4p1pq/4Qpkr/7p/2P4P/8/PP1PPPP1/RNB1KBNR b KQ - 0 10",  # Loyd's stalemate
]


def by_rules(board: chess.Board) -> float:
    if board.is_checkmate():
        return -float(MATE)
    return 0.0 if board.is_stalemate() or board.is_insufficient_material() else np.nan


@pytest.mark.parametrize("fen", ENDED)
def test_positions_in_which_little_is_left(fen: str) -> None:
    boards = last_boards(np.zeros(0, np.int16), np.zeros(1, np.int64), [fen])
    assert ending_values(boards.states, boards.turns) == pytest.approx(
        [by_rules(chess.Board(fen))], nan_ok=True
    )


def test_games_played_at_random_to_their_ends() -> None:
    chosen = random.Random(5)
    games, expected = [], []
    for number in range(60):
        board = chess.Board()
        while not board.is_game_over() and len(board.move_stack) < 400:
            moves = list(board.legal_moves)
            takes = [move for move in moves if board.is_capture(move)]
            board.push(chosen.choice(takes if takes and number % 2 else moves))
        games.append([move.uci() for move in board.move_stack])
        expected.append(by_rules(board))
    assert {-float(MATE), 0.0} <= set(expected)
    played = replay(pa.array(games, pa.list_(pa.string())))
    assert ending_values(played.last.states, played.last.turns) == pytest.approx(expected, nan_ok=True)
    # Every position on the way as well: in most of them the game goes on.
    cut = [game[: chosen.randrange(len(game))] for game in games for _ in range(6)]
    some = replay(pa.array(cut, pa.list_(pa.string()))).last
    boards = []
    for game in cut:
        board = chess.Board()
        for move in game:
            board.push_uci(move)
        boards.append(by_rules(board))
    assert ending_values(some.states, some.turns) == pytest.approx(boards, nan_ok=True)
