"""With real Stockfish, in few nodes: the same answers however they are got."""

import dataclasses
import os
import signal
import threading
import time
from pathlib import Path

import chess
import pytest

from assay.analysis.backlog import analyse
from assay.analysis.engines import EngineConfig, identify, open_engine
from assay.analysis.options import line_rows
from assay.analysis.recipe import NAMED
from assay.analysis.worker import Task, Worker
from assay.errors import EngineError

from .conftest import contents, running

pytestmark = pytest.mark.engine

SMALL = NAMED["standard"].scaled(0.02)
MATE_IN_2 = "kbK5/pp6/1P6/8/8/8/8/R7 w - -"


@pytest.mark.slow
def test_one_job_or_two(games, make_tables, stockfish):
    one, two = make_tables("one"), make_tables("two")
    analyse(games, *one, recipe=SMALL, engine=stockfish, jobs=1)
    analyse(games, *two, recipe=SMALL, engine=stockfish, jobs=2)
    assert contents(one) == contents(two)


def test_killed_engines_change_nothing(games, make_tables, stockfish):
    expected, disturbed = make_tables("expected"), make_tables("disturbed")
    analyse(games, *expected, recipe=SMALL, engine=stockfish, jobs=1)
    kills = []

    def kill_one(report):
        if len(kills) < 3 and report.done >= 5 * len(kills):
            for pid in running("stockfish", parent=os.getpid())[:1]:
                os.kill(pid, signal.SIGKILL)
                kills.append(pid)

    report = analyse(games, *disturbed, recipe=SMALL, engine=stockfish, jobs=2, progress=kill_one)
    assert kills
    assert report.failures == []
    assert contents(disturbed) == contents(expected)


def test_what_is_recorded_of_the_engine(stockfish):
    identity = identify(stockfish, NAMED["standard"])
    assert identity.name.startswith("Stockfish")
    assert identity.network.startswith("nn-")
    assert dict(identity.settings)["Hash"] == "32"
    assert "Threads" not in dict(identity.settings)
    assert identity.lines


def test_a_missing_network_is_one_clear_error(stockfish):
    recipe = dataclasses.replace(SMALL, settings=(("EvalFile", "/no/such/file.nnue"),))
    with pytest.raises(EngineError, match="network"):
        identify(stockfish, recipe)


@pytest.fixture
def worker(stockfish):
    made = []

    def make(recipe):
        made.append(Worker(stockfish, recipe, identify(stockfish, recipe)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_mates(worker):
    row = worker(SMALL).run([Task(MATE_IN_2)]).rows[0]
    assert row.moves[0] == "a1a6"
    assert row.values[0] == 32_000 - 2


def test_all_options_are_valued_with_many_lines(worker):
    recipe = dataclasses.replace(NAMED["regan2011"], depth=9)
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1")
    row = worker(recipe).run([Task(board.epd())]).rows[0]
    assert sorted(row.moves) == sorted(move.uci() for move in board.legal_moves)
    assert list(row.values) == sorted(row.values, reverse=True)
    if row.values[0] < 31_000:
        assert row.values[-1] == row.values[0] - 400
    assert row.depth == 9


def test_the_cap_keeps_options_at_the_cap(worker):
    recipe = dataclasses.replace(NAMED["regan2011"], depth=9)
    quiet = "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/2N5/PPP2PPP/R1BQKBNR b KQkq -"
    row = worker(recipe).run([Task(quiet)]).rows[0]
    assert min(row.values) == row.values[0] - 400
    assert len(row.moves) == row.n_legal
    exact = [value for value in row.values if value > row.values[0] - 400]
    assert len(exact) > 5


def test_the_adaptive_walk_by_nodes(games, make_tables, stockfish):
    recipe = dataclasses.replace(NAMED["alliot2017-nodes"], nodes=40_000, hash_mb=16, first_turn=3)
    tables = make_tables("t")
    report = analyse(games, *tables, recipe=recipe, engine=stockfish, jobs=1)
    rows = tables[0].read().to_pylist()
    assert report.done == len(rows) == report.missing
    searched = [row for row in rows if row["n_legal"] > 1]
    assert all(len(row["moves"]) == 2 for row in searched)
    # At least a quarter of the budget, the paper's first minute; some stop before it is all spent.
    assert all(row["nodes"] >= 10_000 or row["depth"] > 60 for row in searched)
    assert min(row["nodes"] for row in searched) < 40_000


def test_the_adaptive_walk_by_time(games, make_tables, stockfish):
    recipe = dataclasses.replace(NAMED["alliot2017"], seconds=0.04, hash_mb=16, first_turn=5)
    tables = make_tables("t")
    report = analyse(games, *tables, recipe=recipe, engine=stockfish, jobs=2)
    assert report.done == tables[0].count() == report.missing


def test_an_engine_that_only_gives_bounds(games, make_tables):
    """Debian's toga2 ignores `searchmoves` and marks its lines as bounds: options are searched one by one."""
    toga = "/usr/games/toga2"
    if not Path(toga).exists():
        pytest.skip("toga2 is not installed (Debian: apt-get install toga2)")
    recipe = dataclasses.replace(NAMED["difatta2009"], depth=4)
    tables = make_tables("t")
    report = analyse(games.slice(0, 1), *tables, recipe=recipe, engine=EngineConfig(toga), jobs=2)
    assert report.failures == []
    assert not identify(EngineConfig(toga), recipe).lines
    rows = {row["position_key"]: row for row in tables[0].read().to_pylist()}
    mating = rows["r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -"]
    assert (mating["moves"][0], mating["mate"][0]) == ("h5f7", 1)
    assert all(len(row["moves"]) == min(10, row["n_legal"]) for row in rows.values())
    assert len(rows) == report.done


def test_a_search_alone_does_not_depend_on_those_before(worker):
    """With the hash cleared, a played move has one value, whatever was searched before it."""
    key = chess.STARTING_FEN[:-4]
    both = worker(SMALL).run([Task(key, ("a2a4", "h2h4"))])
    later = worker(SMALL).run([Task(key, ("h2h4",), depth=both.rows[0].depth)])
    of_both = {row.move: row[:-1] for row in both.alone}
    assert of_both.keys() == {"a2a4", "h2h4"} - set(both.rows[0].moves)
    assert [row[:-1] for row in later.alone] == [of_both["h2h4"]]


def test_ctrl_c_ends_a_long_search_at_once(games, make_tables, stockfish):
    """The engines of an interrupted run are ended in the middle of their searches."""
    long = dataclasses.replace(SMALL, nodes=10**10)
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        analyse(games, *make_tables("t"), recipe=long, engine=stockfish, jobs=2)
    timer.join()
    assert time.monotonic() - start < 60


def test_line_rows_match_a_plain_reading_of_the_engine(stockfish):
    """The stored lines are those which the engine printed last for a whole depth."""
    session, _ = open_engine(stockfish, SMALL)
    try:
        legal = sorted(move.uci() for move in chess.Board().legal_moves)
        row, _ = line_rows(session, SMALL, Task(chess.STARTING_FEN[:-4]), legal, (), clear=True)
        blocks = _blocks(session, f"position startpos\ngo {SMALL.limit}\n", SMALL.lines)
    finally:
        session.close()
    complete = [block for block in blocks if len({line[0] for line in block}) == 1]
    assert list(row.moves) == [line[1] for line in complete[-1]]
    assert row.depth == complete[-1][0][0]


def _blocks(session, commands, n_lines):
    session.clear()
    session._send(commands)
    lines = []
    while not (text := session._read(20)).startswith(b"bestmove"):
        words = text.decode().split()
        if "multipv" in words and "upperbound" not in words and "lowerbound" not in words:
            lines.append((int(words[words.index("depth") + 1]), words[words.index("pv") + 1]))
        elif "multipv" in words:
            lines.append((-len(lines), "bound"))
    return [lines[start : start + n_lines] for start in range(0, len(lines), n_lines)]
