"""Movetext, read slowly and exactly."""

from pathlib import Path

import chess.pgn
import pytest

from assay.decisions import move_codes
from assay.pgn.reader import games_table
from assay.pgn.san import parse_moves, play_mainline, read_mainline
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
    assert play_mainline(moves, None) == (played, wrong)


def test_other_first_positions() -> None:
    assert play_mainline(["Kd7"], "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1") == (["e8d7"], None)
    assert play_mainline(["e4"], "no position") == ([], "the first position")


# Moves as they stand in the file, by whichever reader.


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
    (castled, stopped), _ = parse_moves([split_tags(text) for text in texts])
    assert move_codes.decode(castled.codes).to_pylist()[6:] == ["e1g1", "g8f6"]
    assert castled.error is None
    assert stopped.error is not None
    assert move_codes.decode(stopped.codes).to_pylist() == ["e2e4", "e7e5"]
