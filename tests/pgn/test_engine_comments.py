"""Evaluations in comments of engine matches, and in those of Alliot's database."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.pgn.comments import MoveComment, brace_comments, read_move_comment
from assay.pgn.reader import annotations_table, read_games

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


def read(text):
    (batch,) = read_games(io.BytesIO(text.encode()), "test.pgn")
    (record,) = batch.games
    return record, batch.annotations.get(record.game_id, [])


def braced(text):
    """The paper's game with the braces that PGN asks for around comments."""
    head, moves = text.split("\n\n")
    return f"{head}\n\n{brace_comments(moves)}"


@pytest.mark.parametrize("text", [PAPER, braced(PAPER)])
def test_the_game_of_the_paper(text):
    record, annotations = read(text)
    assert record.n_plies == 20
    # Smyslov's c1d2 is the 19th ply: the position after 18; b2b4 was better.
    smyslov, nezhmetdinov = annotations
    assert (smyslov.position, smyslov.moves, smyslov.option_cp) == (18, ["b2b4", "c1d2"], [127, 90])
    assert (smyslov.cp, smyslov.mate, smyslov.depth, smyslov.format) == (127, None, 24, "alliot")
    assert (nezhmetdinov.position, nezhmetdinov.moves) == (19, ["a8c8", "c6d5"])
    assert (nezhmetdinov.option_cp, nezhmetdinov.depth) == ([-79, -91], 25)


def test_bare_and_braced_are_the_same_game():
    assert read(PAPER)[1] == read(braced(PAPER))[1]
    assert brace_comments(brace_comments(PAPER)) == brace_comments(PAPER)


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
        ("90,24,43,0,124176,8,(43,3)", MoveComment(90, None, 24, None, "alliot")),
        ("#-3,24,43,0,124176,8,(43,3)", MoveComment(None, -3, 24, None, "alliot")),
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

1. e4 {book} e5 {-0.20/10 1.5s} 2. Nf3 {+0.31/22 2.0s} Nc6 {-0.25/20 0.4s} 3. Bb5
{+M3/9 0.1s, White mates} 1-0
"""


def test_an_engine_match_speaks_of_the_position_before():
    _, annotations = read(MATCH)
    assert [(a.position, a.cp, a.mate, a.depth, a.moves, a.elapsed) for a in annotations] == [
        (1, -20, None, 10, ["e7e5"], None),
        (2, 31, None, 22, ["g1f3"], 1.5),
        (3, -25, None, 20, ["b8c6"], 2.0),
        (4, None, 2, 9, ["f1b5"], 0.4),
        (5, None, None, None, None, 0.1),
    ]


def test_rows_fit_the_table():
    record, annotations = read(PAPER)
    table = annotations_table({record.game_id: annotations})
    assert table["format"].to_pylist() == ["alliot", "alliot"]
    assert table["option_cp"].to_pylist() == [[127, 90], [-79, -91]]


def test_variations_that_are_not_legal_are_passed_over():
    text = PAPER.replace("(b2b4", "(b2b5")
    assert read(text)[1][0].moves == ["c1d2"]


@given(st.text(max_size=60))
def test_no_comment_is_an_error(text):
    read_move_comment(text)
    brace_comments(text)


WORDS = ["90,24,43,0,1,8,(43,3)", "(", ")", "{", "}", "e2e4", "1.", "+0.1/2 1s", ";"]


@given(st.lists(st.sampled_from(WORDS)))
def test_no_mixture_is_an_error(words):
    movetext = "d2d4 " + " ".join(words)
    list(read_games(io.BytesIO(f'[White "A"]\n\n{movetext}'.encode()), "test.pgn"))
