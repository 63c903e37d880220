import random

import chess
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.replay import replay
from assay.errors import InputError


def key(board: chess.Board) -> str:
    return " ".join(board.fen().split()[:4])


def slow_replay(moves: list[str], fen: str = chess.STARTING_FEN) -> list[str]:
    """The transparent version: python-chess, one move at a time."""
    board = chess.Board(fen)
    keys = [key(board)]
    for move in moves:
        board.push_uci(move)
        keys.append(key(board))
    return keys


def random_game(seed: int, plies: int, fen: str = chess.STARTING_FEN) -> list[str]:
    """Legal moves, pawn moves and captures preferred: they hold what is hard (en passant, promotion)."""
    chooser, board, moves = random.Random(seed), chess.Board(fen), []
    while len(moves) < plies and not board.is_game_over():
        legal = list(board.legal_moves)
        lively = [
            m for m in legal if board.piece_type_at(m.from_square) == chess.PAWN or board.is_castling(m)
        ]
        move = chooser.choice(lively if lively and chooser.random() < 0.6 else legal)
        moves.append(move.uci())
        board.push(move)
    return moves


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=4), st.integers(0, 250))
@settings(max_examples=60, deadline=None)
def test_keys_are_those_of_python_chess(seeds: list[int], plies: int) -> None:
    games = [random_game(seed, plies) for seed in seeds]
    result = replay(pa.array(games, pa.list_(pa.string())))
    expected = [slow_replay(moves) for moves in games]
    assert result.keys.to_pylist() == [k for keys in expected for k in keys]
    assert result.repetition.tolist() == [keys[:i].count(k) for keys in expected for i, k in enumerate(keys)]


@pytest.mark.parametrize(
    ("fen", "move", "named"),
    [
        ("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "d2d4", "d3"),
        ("4k3/2p5/8/1P6/8/8/8/4K3 b - - 0 1", "c7c5", "c6"),
        ("4k3/8/8/8/8/4p3/3P4/4K3 w - - 0 1", "d2d4", "-"),  # no pawn beside it
        ("8/8/8/8/k3p2R/8/3P4/4K3 w - - 0 1", "d2d4", "-"),  # both pawns leave the rank: check
        ("8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1", "d2d4", "d3"),  # the pawn that gives check is taken
        ("8/8/8/k7/2p5/8/1P2K2B/8 w - - 0 1", "b2b4", "b3"),
        ("8/8/8/6k1/4p3/8/3P4/2B3K1 w - - 0 1", "d2d4", "-"),  # a discovered check that it does not answer
    ],
)
def test_en_passant_is_named_only_where_it_is_legal(fen: str, move: str, named: str) -> None:
    keys = replay(pa.array([[move]]), [fen]).keys.to_pylist()
    assert keys == slow_replay([move], fen)
    assert keys[-1].split()[3] == named


def test_games_from_other_positions() -> None:
    fen = "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R b Kq - 3 9"
    moves = random_game(7, 60, fen)
    assert replay(pa.array([moves]), [fen]).keys.to_pylist() == slow_replay(moves, fen)


def test_no_games_and_games_without_moves() -> None:
    assert len(replay(pa.array([], pa.list_(pa.string()))).keys) == 0
    assert replay(pa.array([[]], pa.list_(pa.string()))).keys.to_pylist() == [key(chess.Board())]


def test_what_is_not_uci_is_an_error() -> None:
    with pytest.raises(InputError):
        replay(pa.array([["e2e4", "castles"]]))


@pytest.mark.parametrize("fen", ["rubbish", "9/8/8/8/8/8/8/8 w - - 0 1", "", "\x1b[31m"])
def test_a_first_position_that_is_none_is_one_sentence(fen: str) -> None:
    with pytest.raises(InputError, match="not a position in FEN") as told:
        replay(pa.array([["e2e4"]]), [fen])
    assert str(told.value).isprintable()
