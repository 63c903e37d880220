import dataclasses

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.evaluation import MATE
from assay.engine.engines import identify, open_engine
from assay.engine.recipe import NAMED, recipe_id
from assay.engine.run import Task, Worker
from assay.engine.search import CHILDREN_RULE, rows_of_position
from assay.engine.trace import (
    LEAST_ENOUGH,
    REPORTS_WITHIN,
    Line,
    Trace,
    changes,
    decided_minutes,
    is_enough,
    may_stop,
    nodes_by_depth,
    parse_line,
    seconds_by_depth,
    until_enough,
)

from .conftest import SMALL


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
        f"info depth 1 score cp {'9' * 5000} pv e2e4",
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
    assert nodes_by_depth(trace.depths) == (2614,)
    assert seconds_by_depth(trace.depths) == (0.006,)
    assert seconds_by_depth([[line._replace(seconds=None) for line in trace.deepest]]) is None
    assert parse_line(b"info depth 1 score cp 1 time -5 pv e2e4").seconds is None


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


# Lines of one position as rows: with a real engine, and against a plain reading of it.


@pytest.fixture
def worker(stockfish):
    made = []

    def make(recipe):
        made.append(Worker(stockfish, recipe, identify(stockfish, recipe)))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.engine
@pytest.mark.parametrize(
    ("key", "floor"),
    [
        ("rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/2N5/PPP2PPP/R1BQKBNR b KQkq -", 400),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -", None),  # no pawns behind a mate
    ],
)
def test_all_options_are_valued_and_those_far_behind_are_at_the_cap(worker, key, floor):
    recipe = dataclasses.replace(NAMED["regan2011"], depth=9)
    row = worker(recipe).run([Task(key)]).rows[0]
    assert sorted(row.moves) == sorted(move.uci() for move in chess.Board(f"{key} 0 1").legal_moves)
    assert list(row.values) == sorted(row.values, reverse=True)
    if floor is not None:
        assert row.depth == 9
        assert min(row.values) == row.values[0] - floor
        assert sum(value > row.values[0] - floor for value in row.values) > 5
    else:
        assert row.values[0] == MATE - 1


@pytest.mark.engine
def test_a_search_alone_does_not_depend_on_those_before(worker):
    """With the hash cleared, a played move has one value, whatever was searched before it."""
    key = chess.STARTING_FEN[:-4]
    both = worker(SMALL).run([Task(key, ("a2a4", "h2h4"))])
    later = worker(SMALL).run([Task(key, ("h2h4",), depth=both.rows[0].depth)])
    of_both = {row.move: row._replace(seconds=0) for row in both.alone}
    assert of_both.keys() == {"a2a4", "h2h4"} - set(both.rows[0].moves)
    assert [row._replace(seconds=0) for row in later.alone] == [of_both["h2h4"]]


# Options valued by searches of the positions after them: the rule that saves searches, and what it keeps.

RECIPE = dataclasses.replace(NAMED["difatta2009"], depth=8, lines=4)
POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - -",
    "r5k1/5ppp/8/8/8/8/5PPP/R5K1 w - -",
)


@pytest.fixture
def without_lines(scripted):
    """A function that makes an engine with one line only, whatever it is told."""

    def make(*arguments):
        return scripted("--fault", "no_lines", "--only", "nowhere", *arguments)

    return make


def run(config, recipe, *tasks):
    worker = Worker(config, recipe, identify(config, recipe))
    try:
        return worker.run(tasks)
    finally:
        worker.close()


def all_values(config, recipe, key):
    """The slow and plain way: every option's value at every depth, from its own whole search."""
    session, _ = open_engine(config, recipe)
    board = chess.Board(f"{key} 0 1")
    values = {}
    try:
        for move in sorted(move.uci() for move in board.legal_moves):
            board.push_uci(move)
            if not any(board.legal_moves):
                value = 31999 if board.is_check() else 0
                values[move] = dict.fromkeys(range(1, recipe.depth + 1), value)
            else:
                found = session.search(
                    f"fen {board.fen()}",
                    f"depth {recipe.depth - 1}",
                    n_lines=1,
                    clear=True,
                    ceiling=60,
                    last_depth=recipe.depth - 1,
                )
                values[move] = {lines[0].depth + 1: -lines[0].value for lines in found.trace.depths}
            board.pop()
    finally:
        session.close()
    return values


def by_the_rule(values, recipe):
    """Whole searches that the rule leaves: option and value."""
    whole = {}
    for move in sorted(values, key=lambda move: (-values[move][4], move)):
        lines = sorted(whole.values(), reverse=True)[: recipe.lines]
        before = [values[move][depth] for depth in range(6, recipe.depth)]
        if len(lines) < recipe.lines or all(value >= lines[-1] - 20 for value in before):
            whole[move] = values[move][recipe.depth]
    return sorted(whole.items(), key=lambda option: (-option[1], option[0]))


@pytest.mark.parametrize("key", POSITIONS)
@pytest.mark.parametrize(("lines", "depth"), [(2, 8), (4, 8), (10, 8), (4, 5)])
def test_the_lines_are_those_of_the_rule_written_plainly(without_lines, key, lines, depth):
    config = without_lines()
    recipe = dataclasses.replace(RECIPE, lines=lines, depth=depth)
    row = run(config, recipe, Task(key)).rows[0]
    values = all_values(config, recipe, key)
    assert list(zip(row.moves, row.values, strict=True)) == by_the_rule(values, recipe)[:lines]
    assert (row.n_legal, row.depth) == (len(values), recipe.depth)
    # Every value of the trace is that of a whole search, and the last of it are the lines.
    assert all(values[move][depth] == value for depth, move, value in row.trace)
    assert [step[1:] for step in row.trace[-len(row.moves) :]] == list(
        zip(row.moves, row.values, strict=True)
    )


def test_options_that_stay_behind_cost_less(without_lines):
    recipe = dataclasses.replace(RECIPE, lines=2)
    row = run(without_lines(), recipe, Task(POSITIONS[0])).rows[0]
    # The scripted engine counts a hundred nodes a ply: 3 plies to order 20 options, 7 for a whole search.
    assert row.nodes < 20 * (300 + 700)


@pytest.mark.parametrize("depth", [5, 8])
def test_rows_depend_neither_on_the_played_moves_nor_on_what_came_before(without_lines, depth):
    # This engine's answers depend on all that was searched since the hash was cleared.
    config = without_lines("--remember")
    recipe = dataclasses.replace(RECIPE, depth=depth)
    key = POSITIONS[0]
    legal = tuple(sorted(move.uci() for move in chess.Board().legal_moves))
    plain = run(config, recipe, Task(key))
    after_others = run(config, recipe, *(Task(other) for other in POSITIONS[1:]), Task(key, legal))
    assert after_others.rows[-1]._replace(seconds=0) == plain.rows[0]._replace(seconds=0)
    assert {row.move for row in after_others.alone} == set(legal) - set(plain.rows[0].moves)
    later = run(config, recipe, Task(key, legal, depth=depth))
    alone = {row.move: row._replace(seconds=0) for row in later.alone}
    assert [row._replace(seconds=0) for row in after_others.alone] == [
        alone[row.move] for row in after_others.alone
    ]
    assert all(row.depth == depth for row in later.alone)


def test_the_rule_is_part_of_the_identity(without_lines, scripted):
    identity = identify(without_lines(), RECIPE)
    assert identity.children == CHILDREN_RULE
    assert identity.describe()["children"] == CHILDREN_RULE
    earlier = dataclasses.replace(identity, children="")
    assert recipe_id(RECIPE, earlier) != recipe_id(RECIPE, identity)
    assert "children" not in identify(scripted(), RECIPE).describe()


# Alliot 2017, section 2.3.

cp = st.integers(-3000, 3000)


@given(cp, cp, cp)
def test_condition_2_lies_between_one_minute_and_the_limit(e0, e1, e2):
    minutes = decided_minutes(e0, e1, e2)
    assert minutes is None or 1 <= minutes <= 4


@given(st.floats(0, 0.99), st.lists(cp, max_size=8), st.lists(cp, max_size=2))
def test_no_search_stops_within_the_first_minute(minutes, depths, neighbours):
    assert not may_stop(minutes, depths, neighbours)


@given(st.floats(3, 10), st.lists(cp, max_size=8), st.lists(cp, max_size=2))
def test_every_search_stops_after_three_minutes(minutes, depths, neighbours):
    assert may_stop(minutes, depths, neighbours)


def test_a_stable_search_stops_early():
    # The paper's example: the values seen by UCI all have the mover's view.
    assert not may_stop(2.0, [0, 53, 63, 57], [])
    assert may_stop(2.01, [0, 53, 63, 57], [])
    assert may_stop(1.01, [20, 20, 20], [])
    assert not may_stop(2.5, [20, 20], [])


def test_a_decided_game_stops_early():
    unstable = [-900, 0, -420]
    assert not may_stop(2.0, unstable, [400, -410])
    assert may_stop(2.01, unstable, [400, -410])
    assert not may_stop(2.9, unstable, [400, 410])
    assert not may_stop(2.9, unstable, [400])


# When a search has said enough: by values alone, whatever the engine says later.

MOST = 10
QUIET = ("e2e4", 30), ("d2d4", 28)
"""Two moves of about the same worth in an even position: nothing is settled by their values."""


def of(depth, *options):
    return tuple(Line(depth, rank, move, value, depth * 100) for rank, (move, value) in enumerate(options, 1))


def search(depth, *options, before=QUIET):
    """Depths 1 to `depth`: the last with these options; before it the best moves take turns."""
    earlier = [of(one, *(before if one % 2 else before[::-1])) for one in range(1, depth)]
    return [*earlier, of(depth, *options)]


TURNED = QUIET[::-1]


@pytest.mark.parametrize(
    ("depths", "n_legal", "enough"),
    [
        (search(1, ("e1e2", 0)), 1, True),  # one legal move
        (search(1, ("e1e2", 0), ("e1d1", -900)), 2, False),
        (search(10, *QUIET), 30, True),  # the greatest depth, whatever the values
        (search(11, *QUIET), 30, True),
        (search(9, *TURNED), 30, False),
        *(
            case
            for far in (
                (("e2e4", 200), ("d2d4", 0)),  # far ahead: 0.68 against 0.5
                (("e2e4", 600), ("d2d4", 590)),  # won
                (("e2e4", -600), ("d2d4", -610)),  # lost
                (("e2e4", 31_990), ("d2d4", 31_980)),
            )
            for case in ((search(8, *far), 30, True), (search(7, *far), 30, False))  # two plies before
        ),
        (search(9, ("e2e4", 60), ("d2d4", 30)), 30, True),  # a little ahead, one ply before: 0.027
        (search(8, ("e2e4", 60), ("d2d4", 30)), 30, False),
        ([of(depth, *QUIET) for depth in (7, 8, 9)], 30, True),  # depths that agree, one ply before
        ([of(depth, *QUIET) for depth in (6, 7, 8)], 30, False),
        ([of(8, *QUIET), of(9, *QUIET)], 30, False),
        ([of(depth, *QUIET) for depth in (6, 8, 9)], 30, False),  # a depth was not reported
        ([of(7, *TURNED), of(8, *QUIET), of(9, *QUIET)], 30, False),
        (search(9, ("e2e4", 40), ("d2d4", 0)), 30, True),
        (search(9, ("e2e4", 440), ("d2d4", 430)), 30, False),  # a pawn counts for less
    ],
)
def test_when_a_search_has_said_enough(depths, n_legal, enough):
    assert is_enough(depths, n_legal, MOST) == enough


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


POSITIONS_enough = (
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
    session, identity = open_engine(stockfish, recipe)
    ended = []
    try:
        for key in POSITIONS_enough:
            board = chess.Board(f"{key} 0 1")
            row, _ = rows_of_position(session, identity, recipe, Task(key), board, clear=True)
            longer, _ = rows_of_position(session, identity, whole, Task(key), board, clear=True)
            assert row.trace == longer.trace[: len(row.trace)]
            assert row.trace_nodes == longer.trace_nodes[: len(row.trace_nodes)]
            depths = [
                of(depth, *((move, value) for at, move, value in longer.trace if at == depth))
                for depth in dict.fromkeys(line[0] for line in longer.trace)
            ]
            expected = until_enough(depths, row.n_legal, 7)
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
