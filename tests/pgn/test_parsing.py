"""Moves as they stand in the file, by whichever reader."""

from pathlib import Path

import chess.pgn

from assay.decisions import move_codes
from assay.pgn.moves import parse_moves
from assay.pgn.reader import games_table
from assay.pgn.tags import split_tags

from .test_pgn import read


def test_moves_are_those_of_python_chess(examples: Path) -> None:
    for name in ("tournament", "game_of_the_century"):
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
    castled, stopped = parse_moves([split_tags(text) for text in texts])
    assert move_codes.decode(castled.codes).to_pylist()[6:] == ["e1g1", "g8f6"]
    assert castled.error is None
    assert stopped.error is not None
    assert move_codes.decode(stopped.codes).to_pylist() == ["e2e4", "e7e5"]
