"""What comments say of positions: whose view, which position, how long."""

import io
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.arrays import decode_moves as decode
from assay.pgn.comments import (
    VALUES,
    Annotation,
    MoveComment,
    brace_comments,
    read_annotations,
    read_commands,
    read_move_comment,
)
from assay.pgn.reader import GameRecord, read_games
from assay.pgn.san import read_mainline


def read(movetext: str, moves: list[str], fen: str | None = None) -> list[Annotation]:
    return read_annotations(read_mainline(movetext), moves, fen)


def test_evaluations_become_those_of_the_mover() -> None:
    """White's view in the file: turned where Black is to move, whoever moved first."""
    text = "{ [%eval 0.2] } 1. e4 { [%eval 0.25,20] } e5 { [%eval #-3] }"
    first, second, third = read(text, ["e2e4", "e7e5"])
    assert (first.position, first.cp, first.mate, first.depth) == (0, 20, None, None)
    assert (second.position, second.cp, second.depth) == (1, -25, 20)
    assert (third.position, third.cp, third.mate) == (2, None, -3)
    black = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"
    assert [each.cp for each in read("{ [%eval 2.0] } 1... Kd7 { [%eval 2.0] }", ["e8d7"], black)] == [
        -200,
        200,
    ]


def test_clocks_and_times_are_of_the_position_after_the_move() -> None:
    (annotation,) = read("1. e4 { [%clk 1:30:05] [%emt 0:00:12.5] }", ["e2e4"])
    assert (annotation.position, annotation.clock, annotation.elapsed, annotation.cp) == (
        1,
        5405.0,
        12.5,
        None,
    )


def test_comments_on_moves_that_are_not_legal_are_not_read() -> None:
    assert read("1. e4 { [%eval 0.1] } Ke9 { [%eval 0.3] }", ["e2e4"])[-1].position == 1
    assert read("1. e4 { [%eval much] [%clk soon] }", ["e2e4"]) == []


def test_options_of_a_move_come_in_the_order_of_their_values() -> None:
    """A comment on the move played speaks of the position before it, and so do those of its variations."""
    text = "1. e4 {+0.31/22 2.0s} ( 1. d4 {+0.50/22 1.0s} ) ( 1. Ke9 {+9.00/22 1.0s} )"
    before, after = read(text, ["e2e4"])
    assert (before.position, before.moves, before.option_cp) == (0, ["d2d4", "e2e4"], [50, 31])
    assert (before.cp, before.depth) == (50, 22)
    assert (after.position, after.elapsed, after.cp) == (1, 2.0, None)


# Evaluations in comments of engine matches, and in those of Alliot's database.

# Alliot 2017, section 2.4, as printed; only the tag, which the paper breaks into lines, is on one line.
PAPER = """[Event "URS-ch29"]
[Site "Baku"]
[Date "1961.11.19"]
[Round "3"]
[White "Smyslov, Vassily"]
[Black "Nezhmetdinov, Rashid"]
[Result "1-0"]
[Annotator "Program:Stockfish 190915, TB:Syzygy 6-men, Format:value,depth,seldepth,tbhits,time"]

c2c4 g7g6 b1c3 f8g7 d2d4 d7d6 g2g3 b8c6 g1f3 c8g4 f1g2 d8d7 d4d5
g4f3 e2f3 c6a5 d1d3 c7c6 c1d2 90,24,43,0,124176,8,(43,3) (b2b4
127,24,43,0,124176,9,(38,5)) c6d5 -91,25,37,0,68795,9,(46,6) (a8c8
-79,25,37,0,68795,1,(6,15))
"""


def read_whole(text: str) -> tuple[GameRecord, list[Annotation]]:
    """A game as an import reads it, whichever reader that takes."""
    (batch,) = read_games(io.BytesIO(text.encode()), "test.pgn")
    rows = batch.annotations_table().drop_columns(["game_id"]).to_pylist()
    (record,) = batch.games
    return record, [Annotation(**row) for row in rows]


@pytest.mark.parametrize("bare", [True, False])
def test_the_game_of_the_paper(bare: bool) -> None:
    """Alliot prints comments without the braces that PGN asks for."""
    head, moves = PAPER.split("\n\n")
    record, annotations = read_whole(PAPER if bare else f"{head}\n\n{brace_comments(brace_comments(moves))}")
    assert record.n_plies == 20
    # Smyslov's c1d2 is the 19th ply: the position after 18; b2b4 was better.
    smyslov, nezhmetdinov = annotations
    assert (smyslov.position, smyslov.moves, smyslov.option_cp) == (18, ["b2b4", "c1d2"], [127, 90])
    assert (smyslov.cp, smyslov.mate, smyslov.depth, smyslov.format) == (127, None, 24, "alliot")
    # Of the best option, b2b4.
    assert smyslov.seconds == pytest.approx(124.176)
    assert (smyslov.dmean, smyslov.dmax, smyslov.ddmax) == (9, 38, 5)
    assert (nezhmetdinov.position, nezhmetdinov.moves) == (19, ["a8c8", "c6d5"])
    assert (nezhmetdinov.option_cp, nezhmetdinov.depth) == ([-79, -91], 25)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+0.31/22 2.0s", MoveComment(31, None, 22, 2.0, "cutechess")),
        ("-1.05/9 0.35s, Black resigns", MoveComment(-105, None, 9, 0.35, "cutechess")),
        ("0.00/30 1s", MoveComment(0, None, 30, 1.0, "cutechess")),
        ("+M1/12 0.1s", MoveComment(None, 1, 12, 0.1, "cutechess")),
        ("+M5/12 0.1s", MoveComment(None, 3, 12, 0.1, "cutechess")),
        ("-M4/40 0.25s", MoveComment(None, -2, 40, 0.25, "cutechess")),
        ("+0.33/17, 0.511s, n=1", MoveComment(33, None, 17, 0.511, "cutechess")),
        ("90,24,43,0,124176,8,(43,3)", MoveComment(90, None, 24, None, "alliot", (124.176, 8, 43, 3))),
        ("#-3,24,43,0,124176,8,(43,3)", MoveComment(None, -3, 24, None, "alliot", (124.176, 8, 43, 3))),
        ("book", None),
        ("a good move, 0.5 better", None),
        ("[%eval 0.31]", None),
    ],
)
def test_comments(text, expected):
    assert read_move_comment(text) == expected


MATCH = """[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 {book} e5 {-0.20/10 1.5s} 2. Nf3 {+0.31/22 2.0s} Nc6 {-0.25/20 0.5s} 3. Bb5
{+M3/9 0.25s, White mates} 1-0
"""


def test_an_engine_match_speaks_of_the_position_before():
    _, annotations = read_whole(MATCH)
    assert [(a.position, a.cp, a.mate, a.depth, a.moves, a.elapsed) for a in annotations] == [
        (1, -20, None, 10, ["e7e5"], None),
        (2, 31, None, 22, ["g1f3"], 1.5),
        (3, -25, None, 20, ["b8c6"], 2.0),
        (4, None, 2, 9, ["f1b5"], 0.5),
        (5, None, None, None, None, 0.25),
    ]


def test_variations_that_are_not_legal_are_passed_over():
    text = PAPER.replace("(b2b4", "(b2b5")
    assert read_whole(text)[1][0].moves == ["c1d2"]


WORDS = ["90,24,43,0,1,8,(43,3)", "(", ")", "{", "}", "e2e4", "1.", "+0.1/2 1s", ";"]


@given(st.lists(st.sampled_from(WORDS)))
def test_no_mixture_is_an_error(words):
    movetext = "d2d4 " + " ".join(words)
    list(read_games(io.BytesIO(f'[White "A"]\n\n{movetext}'.encode()), "test.pgn"))


# Compiled reading of plain comments, against the slow reader.

PIECES = (
    *("[%eval 0.25]", "[%eval -0.1]", "[%eval #-3]", "[%eval #+4,12]", "[%eval 1.005,20]", "[%eval 12345]"),
    *("[%eval 123456]", "[%eval 1.]", "[%eval .5]", "[%eval #12345]", "[%eval 0.25,]", "[%eval 0.25,1234]"),
    *("[%eval]", "[%eval  0.3 ]", "[%eval 0.3 ,2]", "[%evaluation 3]", "[%eval\t-3.14159]", "[%eval +0.0]"),
    *("[%clk 1:30:05]", "[%clk 0:00:07.25]", "[%clk 12:34]", "[%clk 75.5]", "[%clk soon]", "[%clk 1:2:3:4]"),
    *(
        "[%clk 1:75:05]",
        "[%clk 1:2:345]",
        "[%clk 1234:00:00]",
        "[%clk 999999]",
        "[%clk 1234567]",
        "[%clk 5:]",
    ),
    *(
        "[%emt 0:00:12.5]",
        "[%emt 3]",
        "[%emt -3]",
        "[%clk0:01:00]",
        "[%emt 0:01",
        "[%best e2e4]",
        "[%",
        "[%clk 5:]",
    ),
    *("good", "(book)", " ", "[", "]", "[%eval 0.5][%clk 0:01:00]", "[%csl Ra1]", "M", "e.g. 3.5/10"),
)


def slow(comment: str) -> tuple[float, ...] | None:
    """What the slow reader finds behind Black's first move, where White is the mover."""
    read = read_annotations(read_mainline(f"1. e4 e5 {{{comment}}}"), ["e2e4", "e7e5"])
    return tuple(np.array([getattr(read[0], name) for name in VALUES], float)) if read else None


@pytest.mark.parametrize("seed", range(4))
def test_comments_are_read_as_by_the_slow_reader(seed: int) -> None:
    chosen = random.Random(seed)
    comments = [" ".join(chosen.choices(PIECES, k=chosen.randint(1, 4))) for _ in range(300)] + list(PIECES)
    values, unusual = read_commands(pa.array([*comments, None], pa.large_string()))
    assert 0 < unusual.sum() < len(comments)
    for comment, row in zip(np.array(comments)[~unusual[:-1]], values.T[~unusual], strict=False):
        expected = slow(comment) or np.full(len(VALUES), np.nan)
        np.testing.assert_array_equal(row, expected, err_msg=comment)
    assert not unusual[-1]
    assert np.isnan(values[:, -1]).all()


HEAD = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'
GAMES = (
    "1. e4 { [%eval 0.2] [%clk 0:03:00] } e5 { [%eval #-2] } 2. c4 Nc6 { fine } 3. d4 { [%eval 0.3,14] } 1-0",
    "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } e5 1-0",
    "1. e4 { a } { [%eval 0.2] } e5 { [%eval 0.4] } 1-0",
    "1. e4 { [%eval 0.2] } (1. d4 { [%eval 9.9] }) e5 { [%eval 0.4] } 1-0",
    "1. e4 { [%eval 0.2] } (1. d4 d5) e5 { [%eval 0.4] } 1-0",
    "1. e4 ; [%eval 0.2]\n e5 { [%eval 0.4] } 1-0",
    "1. e4 {+0.31/22 2.0s [%clk 0:01:00]} e5 {[%clk 0:01:00]} 1-0",
    "1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } 2. Ke3 { [%eval 0.4] } 1-0",
    "1. e4 {[%eval 0.2] ünusual} e5 {[%eval 0.3]} 1-0",
    "1. e2-e4 { [%eval 0.2] } e7-e5 { [%eval 0.3] } 1-0",
)


@pytest.mark.parametrize("movetext", GAMES)
def test_games_are_read_as_by_the_slow_reader(movetext: str) -> None:
    record, annotations = read_whole(f"{HEAD}{movetext}\n")
    assert annotations == read_annotations(read_mainline(movetext), decode(record.moves).to_pylist())


def test_games_read_together_are_told_apart() -> None:
    texts = [f'[Event "{n}"]\n{HEAD}{text}\n' for n, text in enumerate(GAMES)]
    (batch,) = read_games(io.BytesIO("\n".join(texts).encode()), "x")
    for place, text in enumerate(texts):
        rows = batch.annotations_table([place]).drop_columns(["game_id"]).to_pylist()
        assert [Annotation(**row) for row in rows] == read_whole(text)[1]
