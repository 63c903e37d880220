"""What comments say of positions: whose view, which position, how long."""

import io
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.move_codes import decode
from assay.pgn.comments import (
    NOTHING,
    SOMETHING,
    UNUSUAL,
    Annotation,
    MoveComment,
    brace_comments,
    mentions_annotations,
    read_annotations,
    read_commands,
    read_duration,
    read_move_comment,
)
from assay.pgn.reader import Batch, read_games
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
    assert [one.cp for one in read("{ [%eval 2.0] } 1... Kd7 { [%eval 2.0] }", ["e8d7"], black)] == [
        -200,
        200,
    ]


def test_clocks_and_times_are_of_the_position_after_the_move() -> None:
    (one,) = read("1. e4 { [%clk 1:30:05] [%emt 0:00:12.5] }", ["e2e4"])
    assert (one.position, one.clock, one.elapsed, one.cp) == (1, 5405.0, 12.5, None)


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


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1:30:05", 5405.0), ("2:05", 125.0), ("0:00:12.5", 12.5), ("90", 90.0), ("1:2:3:4", None), ("x", None)],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert read_duration(text) == seconds


def test_whether_comments_are_worth_reading() -> None:
    assert mentions_annotations("1. e4 { [%eval 0.1] }")
    assert mentions_annotations("1. e4 {+0.31/22 2.0s}")
    assert not mentions_annotations("1. e4 {a fine move} e5")


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


def read_engine_comments(text):
    (batch,) = read_games(io.BytesIO(text.encode()), "test.pgn")
    (record,) = batch.games
    return record, batch.annotations.get(record.game_id, [])


def braced(text):
    """The paper's game with the braces that PGN asks for around comments."""
    head, moves = text.split("\n\n")
    return f"{head}\n\n{brace_comments(moves)}"


@pytest.mark.parametrize("text", [PAPER, braced(PAPER)])
def test_the_game_of_the_paper(text):
    record, annotations = read_engine_comments(text)
    assert record.n_plies == 20
    # Smyslov's c1d2 is the 19th ply: the position after 18; b2b4 was better.
    smyslov, nezhmetdinov = annotations
    assert (smyslov.position, smyslov.moves, smyslov.option_cp) == (18, ["b2b4", "c1d2"], [127, 90])
    assert (smyslov.cp, smyslov.mate, smyslov.depth, smyslov.format) == (127, None, 24, "alliot")
    assert (nezhmetdinov.position, nezhmetdinov.moves) == (19, ["a8c8", "c6d5"])
    assert (nezhmetdinov.option_cp, nezhmetdinov.depth) == ([-79, -91], 25)


def test_bare_and_braced_are_the_same_game():
    assert read_engine_comments(PAPER)[1] == read_engine_comments(braced(PAPER))[1]
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
    _, annotations = read_engine_comments(MATCH)
    assert [(a.position, a.cp, a.mate, a.depth, a.moves, a.elapsed) for a in annotations] == [
        (1, -20, None, 10, ["e7e5"], None),
        (2, 31, None, 22, ["g1f3"], 1.5),
        (3, -25, None, 20, ["b8c6"], 2.0),
        (4, None, 2, 9, ["f1b5"], 0.4),
        (5, None, None, None, None, 0.1),
    ]


def test_variations_that_are_not_legal_are_passed_over():
    text = PAPER.replace("(b2b4", "(b2b5")
    assert read_engine_comments(text)[1][0].moves == ["c1d2"]


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
    *("[%emt 0:00:12.5]", "[%emt 3]", "[%emt -3]", "[%clk0:01:00]", "[%emt 0:01", "[%best e2e4]", "[%"),
    *("good", "(book)", " ", "[", "]", "[%eval 0.5][%clk 0:01:00]", "[%csl Ra1]", "M", "e.g. 3.5/10"),
)


def slow(comment: str) -> tuple[float, ...] | None:
    """What the slow reader finds behind Black's first move, where White is the mover."""
    read = read_annotations(read_mainline(f"1. e4 e5 {{{comment}}}"), ["e2e4", "e7e5"])
    found = read[0] if read else None
    if found is None:
        return None
    named = (found.cp, found.mate, found.depth, found.clock, found.elapsed)
    return tuple(np.nan if one is None else float(one) for one in named)


@pytest.mark.parametrize("seed", range(4))
def test_comments_are_read_as_by_the_slow_reader(seed: int) -> None:
    chosen = random.Random(seed)
    comments = [" ".join(chosen.choices(PIECES, k=chosen.randint(1, 4))) for _ in range(300)] + list(PIECES)
    values, kinds = read_commands(comments)
    assert {NOTHING, SOMETHING, UNUSUAL} == set(kinds.tolist())
    for comment, row, kind in zip(comments, values, kinds, strict=True):
        if kind == UNUSUAL:
            assert comment.strip()[:1] in "+-M#0123456789"
            continue
        expected = slow(comment)
        assert (expected is not None) == (kind == SOMETHING), comment
        if expected is not None:
            np.testing.assert_array_equal(row, expected, err_msg=comment)


def test_hundredths_are_rounded_as_by_the_slow_reader() -> None:
    comments = [f"[%eval {sign}{n / 1000:.3f}]" for n in range(0, 3000, 5) for sign in ("", "-")]
    values, _ = read_commands(comments)
    np.testing.assert_array_equal(values[:, 0], [slow(one)[0] for one in comments])  # type: ignore[index]


@pytest.mark.parametrize(
    "comment",
    ["[%eval 0.3] é", "+0.31/22 2.0s", "[%eval 0.1234567890123456]", "[%clk 0:00:1.123456789012345]"],
)
def test_what_is_unusual_is_left_to_the_slow_reader(comment: str) -> None:
    assert read_commands([comment])[1].tolist() == [UNUSUAL]


def test_moves_without_comments() -> None:
    values, kinds = read_commands([None, "[%eval 1]", None])
    assert kinds.tolist() == [NOTHING, SOMETHING, NOTHING]
    assert values[1, 0] == 100
    assert len(read_commands([])[1]) == 0


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


def batch(text: str) -> Batch:
    (found,) = read_games(io.BytesIO(text.encode()), "x")
    return found


@pytest.mark.parametrize("movetext", GAMES)
def test_games_are_read_as_by_the_slow_reader(movetext: str) -> None:
    read = batch(f"{HEAD}{movetext}\n")
    (record,) = read.games
    moves = decode(record.moves).to_pylist()
    expected = read_annotations(read_mainline(movetext), moves)
    assert read.annotations.get(record.game_id, []) == expected


def test_only_plain_games_go_the_fast_way_and_all_are_told_apart() -> None:
    read = batch("\n".join(f'[Event "{n}"]\n{HEAD}{text}\n' for n, text in enumerate(GAMES)))
    assert read.plain is not None
    assert sorted(set(read.plain.game.tolist())) == [0, 4]
    alone = [batch(f'[Event "{n}"]\n{HEAD}{text}\n').annotations for n, text in enumerate(GAMES)]
    assert read.annotations == {name: found for one in alone for name, found in one.items()}
    some = read.games[:3]
    table = read.annotations_table(some).to_pylist()
    assert len(table) == sum(len(read.annotations[one.game_id]) for one in some)
    assert {row["game_id"] for row in table} == {one.game_id for one in some}
