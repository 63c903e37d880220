"""Compiled reading of plain comments, against the slow reader."""

import io
import random

import numpy as np
import pytest

from assay.decisions.move_codes import decode
from assay.pgn.comments import NOTHING, SOMETHING, UNUSUAL, read_annotations, read_commands
from assay.pgn.moves import read_mainline
from assay.pgn.reader import Batch, read_games

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
