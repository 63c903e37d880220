"""When a search has said enough: by values alone, whatever the engine says later."""

import dataclasses

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.engines import open_engine
from assay.engine.recipe import NAMED
from assay.engine.search import line_rows
from assay.engine.stopping import LEAST_ENOUGH, is_enough, until_enough
from assay.engine.trace import REPORTS_WITHIN, Line, Trace
from assay.engine.worker import Task

MOST = 10
QUIET = ("e2e4", 30), ("d2d4", 28)
"""Two moves of about the same worth in an even position: nothing is settled by their values."""


def of(depth, *options):
    return tuple(Line(depth, rank, move, value, depth * 100) for rank, (move, value) in enumerate(options, 1))


def search(depth, *options, before=QUIET):
    """Depths 1 to `depth`: the last with these options; before it the best moves take turns."""
    earlier = [of(one, *(before if one % 2 else before[::-1])) for one in range(1, depth)]
    return [*earlier, of(depth, *options)]


def test_one_legal_move_needs_no_search():
    assert is_enough(search(1, ("e1e2", 0)), 1, MOST)
    assert not is_enough(search(1, ("e1e2", 0), ("e1d1", -900)), 2, MOST)


def test_the_greatest_depth_is_enough_whatever_the_values():
    assert is_enough(search(10, *QUIET), 30, MOST)
    assert is_enough(search(11, *QUIET), 30, MOST)
    assert not is_enough(search(9, *QUIET[::-1]), 30, MOST)


@pytest.mark.parametrize(
    "options",
    [
        (("e2e4", 200), ("d2d4", 0)),  # far ahead: 0.68 against 0.5
        (("e2e4", 600), ("d2d4", 590)),  # won
        (("e2e4", -600), ("d2d4", -610)),  # lost
        (("e2e4", 31_990), ("d2d4", 31_980)),
    ],
)
def test_far_ahead_or_decided_two_plies_before(options):
    assert is_enough(search(8, *options), 30, MOST)
    assert not is_enough(search(7, *options), 30, MOST)


def test_a_little_ahead_one_ply_before():
    ahead = ("e2e4", 60), ("d2d4", 30)  # 0.027 in expectation
    assert is_enough(search(9, *ahead), 30, MOST)
    assert not is_enough(search(8, *ahead), 30, MOST)


def test_depths_that_agree_one_ply_before():
    assert is_enough([of(depth, *QUIET) for depth in (7, 8, 9)], 30, MOST)
    assert not is_enough([of(depth, *QUIET) for depth in (6, 7, 8)], 30, MOST)
    assert not is_enough([of(8, *QUIET), of(9, *QUIET)], 30, MOST)
    assert not is_enough([of(depth, *QUIET) for depth in (6, 8, 9)], 30, MOST)  # a depth was not reported
    assert not is_enough([of(7, *QUIET[::-1]), of(8, *QUIET), of(9, *QUIET)], 30, MOST)


def test_a_pawn_counts_for_less_where_a_game_is_nearly_decided():
    even, leaning = (("e2e4", 40), ("d2d4", 0)), (("e2e4", 440), ("d2d4", 430))
    assert is_enough(search(9, *even), 30, MOST)
    assert not is_enough(search(9, *leaning), 30, MOST)


options = st.lists(st.integers(-1200, 1200), min_size=2, max_size=4).map(
    lambda values: [
        (f"a{place}b{place}", value) for place, value in enumerate(sorted(values, reverse=True), 1)
    ]
)
searches = st.lists(options, min_size=1, max_size=14).map(
    lambda found: [of(depth, *lines) for depth, lines in enumerate(found, 1)]
)


@given(searches, st.integers(LEAST_ENOUGH, 12))
def test_what_is_said_later_changes_nothing(depths, most):
    whole = until_enough(depths, 30, most)
    for end in range(1, len(depths) + 1):
        part = until_enough(depths[:end], 30, most)
        assert part == (whole if whole is not None and len(whole) <= end else None)
    assert whole is None or whole[-1][0].depth <= most


def reported(*depths, seconds):
    trace = Trace(2)
    for lines in depths:
        for line in lines:
            trace.add(line._replace(seconds=seconds))
    return trace


def test_a_late_report_is_certain_only_when_a_greater_depth_has_begun():
    early = reported(of(1, *QUIET), of(2, *QUIET), seconds=0.1)
    late = reported(of(1, *QUIET), of(2, *QUIET), seconds=REPORTS_WITHIN)
    silent = reported(of(1, *QUIET), of(2, *QUIET), seconds=None)
    assert [lines[0].depth for lines in early.certain] == [1, 2]
    assert [lines[0].depth for lines in late.certain] == [1]
    assert [lines[0].depth for lines in silent.certain] == [1]
    late.add(of(3, *QUIET)[0]._replace(seconds=4.0))
    assert [lines[0].depth for lines in late.certain] == [1, 2]


POSITIONS = (
    chess.STARTING_FEN[:-4],
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -",  # mate in one
    "8/8/8/8/8/k1K5/8/r7 w - -",  # the king has few moves
    "8/8/4kp2/4p3/4P3/4KP2/8/8 w - -",
    "r3r1k1/pp1n1ppp/2p2n2/3p4/3P4/2NBPN2/PP3PPP/R4RK1 w - -",
)


@pytest.mark.engine
def test_a_thrifty_search_is_the_beginning_of_a_whole_one(stockfish):
    """Row for row what the engine says without being stopped, up to the first depth that is enough."""
    recipe = dataclasses.replace(NAMED["thrifty"], nodes=12_000, enough=7)
    whole = dataclasses.replace(recipe, enough=None)
    session, _ = open_engine(stockfish, recipe)
    ended = []
    try:
        for key in POSITIONS:
            legal = sorted(move.uci() for move in chess.Board(f"{key} 0 1").legal_moves)
            row, _ = line_rows(session, recipe, Task(key), legal, (), clear=True)
            longer, _ = line_rows(session, whole, Task(key), legal, (), clear=True)
            assert row.trace == longer.trace[: len(row.trace)]
            assert row.trace_nodes == longer.trace_nodes[: len(row.trace_nodes)]
            depths = [
                of(depth, *((move, value) for at, move, value in longer.trace if at == depth))
                for depth in dict.fromkeys(line[0] for line in longer.trace)
            ]
            expected = until_enough(depths, len(legal), 7)
            assert row.depth == (expected or depths)[-1][0].depth
            assert (row.moves, row.values) == tuple(
                zip(*((move, value) for at, move, value in row.trace if at == row.depth), strict=True)
            )
            if expected:
                assert row.nodes == row.trace_nodes[-1] < longer.nodes
            ended.append(row.depth)
    finally:
        session.close()
    assert min(ended) < max(ended) <= 7
