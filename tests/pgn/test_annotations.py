"""What comments say of positions: whose view, which position, how long."""

import pytest

from assay.pgn.comments import Annotation, mentions_annotations, read_annotations, read_duration
from assay.pgn.moves import read_mainline


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
