import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.evaluation import MATE
from assay.engine.trace import Line, Trace, changes, nodes_by_depth, parse_line, seconds_by_depth


def lines(text):
    return [line for line in map(parse_line, text.strip().encode().splitlines()) if line is not None]


def test_a_line_keeps_what_is_needed():
    text = (
        b"info depth 12 seldepth 17 multipv 2 score cp -31 wdl 2 900 98 nodes 4096 nps 1 hashfull 0 "
        b"tbhits 3 time 9 pv e7e8q a1a2"
    )
    assert parse_line(text) == Line(
        12, 2, "e7e8q", -31, 4096, 17, 3, (2, 900, 98), seconds=0.009, variation=b"e7e8q a1a2"
    )
    assert parse_line(text).moves() == ("e7e8q", "a1a2")


def test_eight_plies_of_a_variation_are_kept_as_far_as_they_are_moves():
    words = b"e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1"
    assert " ".join(parse_line(b"info depth 9 score cp 1 pv " + words).moves()).encode() == words[:-5]
    assert parse_line(b"info depth 9 score cp 1 pv e2e4 e7e5 bmc 2 g1f3").moves() == ("e2e4", "e7e5")


@pytest.mark.parametrize(("said", "value"), [("mate 3", MATE - 3), ("mate -2", 2 - MATE), ("cp 0", 0)])
def test_mates_lie_beyond_all_centipawns(said, value):
    assert parse_line(f"info depth 1 score {said} pv e2e4".encode()).value == value


@pytest.mark.parametrize(
    "text",
    [
        "info depth 20 currmove e2e4 currmovenumber 1",
        "info string NNUE evaluation using nn.nnue enabled",
        "info depth x score cp 1 pv e2e4",
        "info score cp 1 pv e2e4",
        "info depth 1 score cp pv e2e4",
        "info depth 1 score cp 1 pv ",
        "info",
    ],
)
def test_what_is_no_line_is_none(text):
    assert parse_line(text.encode()) is None


@given(st.binary(max_size=200))
def test_no_bytes_are_an_error(garbage):
    parse_line(garbage)
    line = parse_line(b"info depth 3 score cp 1 pv " + garbage)
    assert line is None or len(line.moves()) <= 8
    parse_line(b"info " + garbage + b" pv e2e4")


# What Stockfish 15.1 printed for `go nodes 3000` with three lines: the end mixes depth 7 with depth 6, in
# another order, and bounds with values.
STOPPED = """
info depth 6 seldepth 7 multipv 1 score cp 41 nodes 2614 time 6 pv c2c4 c7c6 g1f3
info depth 6 seldepth 4 multipv 2 score cp 28 nodes 2614 time 6 pv d2d4 c7c6 e2e4 d7d5
info depth 6 seldepth 5 multipv 3 score cp 26 nodes 2614 time 6 pv g2g3 c7c6 c2c4
info depth 7 seldepth 7 multipv 1 score cp 27 upperbound nodes 3003 time 7 pv c2c4 e7e5
info depth 7 seldepth 5 multipv 2 score cp 26 nodes 3003 time 7 pv g2g3 c7c6 c2c4
info depth 6 seldepth 4 multipv 3 score cp 28 nodes 3003 time 7 pv d2d4 c7c6 e2e4 d7d5
"""


def test_the_deepest_complete_depth_counts():
    trace = Trace(3)
    completed = [trace.add(line) for line in lines(STOPPED)]
    assert completed == [False, False, True, False, False, False]
    assert [(line.depth, line.move, line.value) for line in trace.deepest] == [
        (6, "c2c4", 41),
        (6, "d2d4", 28),
        (6, "g2g3", 26),
    ]
    assert trace.nodes == 3003


# Toga II 3.0 repeats lines of the depth before while it goes on, and improves a depth after it is complete.
REFINED = """
info multipv 1 depth 3 score cp 34 time 1 nodes 344 pv d2d4 d7d5
info multipv 2 depth 3 score cp 34 time 1 nodes 726 pv g1f3 d7d5
info multipv 3 depth 2 score cp 14 time 1 nodes 220 pv g1f3 d7d5
info multipv 1 depth 3 score cp 34 time 1 nodes 344 pv d2d4 d7d5
info multipv 2 depth 3 score cp 34 time 1 nodes 726 pv g1f3 d7d5
info multipv 3 depth 3 score cp 10 time 1 nodes 787 pv a2a3 d7d5
info multipv 1 depth 3 score cp 34 time 1 nodes 344 pv d2d4 d7d5
info multipv 2 depth 3 score cp 34 time 1 nodes 726 pv g1f3 d7d5
info multipv 3 depth 3 score cp 30 time 1 nodes 800 pv b1c3 d7d5
"""


def test_the_last_block_of_a_depth_counts():
    trace = Trace(3)
    for line in lines(REFINED):
        trace.add(line)
    assert [line.move for line in trace.deepest] == ["d2d4", "g1f3", "b1c3"]
    assert trace.mixed  # such lines are not those of one search


def test_lines_are_best_first_whatever_their_order():
    """Ethereal 12 reports them in the order in which it searched them."""
    trace = Trace(3)
    for line in lines(
        """
info depth 9 multipv 1 score cp 58 nodes 100 pv e2e4
info depth 9 multipv 2 score cp 48 nodes 200 pv d2d4
info depth 9 multipv 3 score cp 57 nodes 300 pv g1f3
"""
    ):
        trace.add(line)
    assert [(line.move, line.value) for line in trace.deepest] == [("e2e4", 58), ("g1f3", 57), ("d2d4", 48)]
    assert nodes_by_depth(trace.depths) == (300,)
    assert not trace.mixed


def test_a_report_from_the_middle_of_a_depth_does_not_count():
    """After three seconds Stockfish reports within a depth: the answer must not depend on the clock."""
    trace = Trace(2)
    for depth, first, second in ((4, "e2e4", "d2d4"), (5, "c2c4", "e2e4")):
        trace.add(Line(depth, 1, first, 30, 100 * depth))
        trace.add(Line(depth, 2, second, 20, 100 * depth))
    assert [line.move for line in trace.deepest] == ["e2e4", "d2d4"]
    assert len(trace.reported) == 2
    # The depth that was asked for is complete, and so is one at which the search was told to stop.
    trace.last_depth = 5
    assert [line.move for line in trace.deepest] == ["c2c4", "e2e4"]
    trace.last_depth = None
    trace.settle()
    assert [line.move for line in trace.deepest] == ["c2c4", "e2e4"]


def test_a_single_report_counts():
    trace = Trace(1)
    trace.add(Line(1, 1, "e2e4", 30, 1))
    assert trace.deepest[0].move == "e2e4"


def test_a_bound_breaks_a_block():
    trace = Trace(2)
    for line in lines(
        """
        info depth 5 multipv 1 score cp 9 nodes 1 pv e2e4
        info depth 5 multipv 2 score cp 8 upperbound nodes 1 pv d2d4
        info depth 5 multipv 2 score cp 7 nodes 1 pv c2c4
        """.replace("    ", "")
    ):
        assert not trace.add(line)
    assert trace.deepest == ()


def test_the_same_move_twice_is_no_complete_depth():
    trace = Trace(2)
    assert not any(trace.add(Line(4, rank, "e2e4", 5, 10)) for rank in (1, 2))


def test_changes_between_depths():
    # e2e4: 10, 30, 25, absent, 5: changes of 20 (at depth 1) and 5; 25 to 5 skips a depth.
    depths = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    moves = ["e2e4", "d2d4", "e2e4", "d2d4", "d2d4", "e2e4", "d2d4", "c2c4", "d2d4", "e2e4"]
    values = [10, 0, 30, 0, 40, 25, 40, 0, 40, 5]
    assert changes(depths, moves, values, "e2e4") == (12.5, 20, 1)
    assert changes(depths, moves, values, "c2c4") is None
    assert changes([], [], [], "e2e4") is None


def test_what_each_complete_depth_cost():
    trace = Trace(3)
    for line in lines(STOPPED):
        trace.add(line)
    assert nodes_by_depth(trace.depths) == (2614,)
    assert seconds_by_depth(trace.depths) == (0.006,)
    without = [tuple(line._replace(seconds=None) for line in depth) for depth in trace.depths]
    assert seconds_by_depth(without) is None
    assert parse_line(b"info depth 1 score cp 1 time -5 pv e2e4").seconds is None
