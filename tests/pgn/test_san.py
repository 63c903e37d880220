"""Movetext, read slowly and exactly."""

import random
from pathlib import Path

import chess
import chess.pgn
import pytest

from assay.decisions.arrays import decode_moves
from assay.decisions.evaluation import MATE
from assay.pgn.reader import games_table
from assay.pgn.san import ending_value, parse_moves, play_mainline, read_mainline
from assay.pgn.tags import split_tags

from .test_reader import read


def test_moves_comments_and_ending() -> None:
    line = read_mainline("{before} 1. e4! $1 {one} ;two\n 1... e5?! 2.Nf3 Nc6 +- 1/2-1/2 {after} 3. d4")
    assert line.moves == ["e4", "e5", "Nf3", "Nc6"]
    assert line.comments == [["before"], ["one", "two"], [], [], []]
    assert line.ending == "1/2-1/2"


def test_variations_are_passed_over_but_for_their_first_moves() -> None:
    text = "1. e4 (1. d4 {good} {better} d5 {no} (1... Nf6 {deep})) e5 (1... c5) (1... c6 {solid}) *"
    line = read_mainline(text)
    assert line.moves == ["e4", "e5"]
    assert line.alternatives == [[("d4", "good")], [("c6", "solid")]]


def test_castling_with_zeros_is_no_number() -> None:
    assert read_mainline("12.0-0 0-0-0").moves == ["0-0", "0-0-0"]


@pytest.mark.parametrize(
    ("moves", "played", "wrong"),
    [
        (["e4", "e5"], ["e2e4", "e7e5"], None),
        (["e2-e4", "e7-e5"], ["e2e4", "e7e5"], None),
        (["e4", "Ke9", "d4"], ["e2e4"], "Ke9"),
        (["e4", "--"], ["e2e4"], "--"),
        (["e4", "e4"], ["e2e4"], "e4"),
    ],
)
def test_play(moves: list[str], played: list[str], wrong: str | None) -> None:
    assert play_mainline(moves, None)[:2] == (played, wrong)


def test_other_first_positions() -> None:
    assert play_mainline(["Kd7"], "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")[:2] == (["e8d7"], None)
    assert play_mainline(["e4"], "no position")[:2] == ([], "the first position")


# Moves as they stand in the file, by whichever reader.


def test_moves_are_those_of_python_chess(examples: Path) -> None:
    for name in ("island", "game_of_the_century"):
        batch = read(examples / f"{name}.pgn")
        moves = games_table(batch.games)["moves"].to_pylist()
        with (examples / f"{name}.pgn").open() as file:
            for found in moves:
                game = chess.pgn.read_game(file)
                assert game is not None
                assert found == [move.uci() for move in game.mainline_moves()]


def test_python_chess_reads_on_where_the_first_reader_stops() -> None:
    """Castling with zeros and moves of the null kind are legal to one reader and not to the other."""
    texts = ["1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 1-0", "1. e4 e5 2. Ke3 1-0"]
    (castled, stopped), _ = parse_moves([split_tags(text) for text in texts])
    assert decode_moves(castled.codes).to_pylist()[6:] == ["e1g1", "g8f6"]
    assert castled.error is None
    assert stopped.error is not None
    assert decode_moves(stopped.codes).to_pylist() == ["e2e4", "e7e5"]


# How games ended by the rules: the first reader's word is python-chess's.

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


def test_endings_by_the_rules_are_those_of_python_chess() -> None:
    """In positions in which little is left one move on, and in games played at random to their ends."""
    texts, boards = [], []
    for fen in ENDED:
        board = chess.Board(fen)
        move = next(iter(board.legal_moves), None)
        san = "" if move is None else board.san(move)
        if move is not None:
            board.push(move)
        texts.append(f'[FEN "{fen}"]\n[SetUp "1"]\n\n{san} *')
        boards.append(board)
    chosen = random.Random(5)
    for number in range(60):
        game = chess.pgn.Game()
        node: chess.pgn.GameNode = game
        board = chess.Board()
        while not board.is_game_over() and len(board.move_stack) < 400:
            takes = [move for move in board.legal_moves if board.is_capture(move)]
            move = chosen.choice(takes if takes and number % 2 else list(board.legal_moves))
            board.push(move)
            node = node.add_variation(move)
        texts.append(str(game))
        boards.append(board)
    parsed, _ = parse_moves([split_tags(text) for text in texts])
    expected = [ending_value(board) for board in boards]
    assert {-float(MATE), 0.0} <= set(expected)
    assert [game.ending for game in parsed] == pytest.approx(expected, nan_ok=True)
