"""With real Stockfish, in few nodes: the same answers however they are got."""

import dataclasses
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig, identify
from assay.engine.recipe import NAMED
from assay.engine.worker import Engines, Task
from assay.errors import MachineError
from assay.executors import Serial, Threads
from assay.workspace.analyses import analyse

from .conftest import GAMES, RECIPE, SMALL, contents, interrupts, keys_of, running


@pytest.mark.slow
@pytest.mark.engine
def test_one_job_or_two(games, make_tables, stockfish):
    one, two = make_tables("one"), make_tables("two")
    analyse(games, *one, recipe=SMALL, engine=stockfish, jobs=1)
    analyse(games, *two, recipe=SMALL, engine=stockfish, jobs=2)
    assert contents(one) == contents(two)


@pytest.mark.engine
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


@pytest.mark.engine
def test_a_rule_on_values_gives_the_same_with_one_job_two_and_after_kills(games, make_tables, stockfish):
    """Searches end where the values say enough; what the engine was told, and when, leaves no trace."""
    recipe = dataclasses.replace(NAMED["thrifty"], enough=6)
    one, broken = make_tables("one"), make_tables("broken")
    analyse(games, *one, recipe=recipe, engine=stockfish, jobs=1)
    kills = []

    def kill_one(report):
        if len(kills) < 2 and report.done >= 5 * len(kills):
            for pid in running("stockfish", parent=os.getpid())[:1]:
                os.kill(pid, signal.SIGKILL)
                kills.append(pid)

    analyse(games, *broken, recipe=recipe, engine=stockfish, jobs=2, limit=12, progress=kill_one)
    analyse(games, *broken, recipe=recipe, engine=stockfish, jobs=2)
    assert kills
    assert contents(broken) == contents(one)
    depths = {row["depth"] for row in one[0].read().to_pylist() if row["n_legal"] > 1}
    assert {4, 5, 6} >= depths
    assert len(depths) > 1


@pytest.mark.engine
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


@pytest.mark.engine
def test_the_adaptive_walk_by_time(games, make_tables, stockfish):
    recipe = dataclasses.replace(NAMED["alliot2017"], seconds=0.04, hash_mb=16, first_turn=5)
    tables = make_tables("t")
    report = analyse(games, *tables, recipe=recipe, engine=stockfish, jobs=2)
    assert report.done == tables[0].count() == report.missing


@pytest.mark.engine
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


@pytest.mark.engine
def test_ctrl_c_ends_a_long_search_at_once(games, make_tables, stockfish):
    """The engines of an interrupted run are ended in the middle of their searches."""
    long = dataclasses.replace(SMALL, nodes=10**10)
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.monotonic()
    with interrupts(signal.default_int_handler):
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                analyse(games, *make_tables("t"), recipe=long, engine=stockfish, jobs=2)
        finally:
            timer.cancel()  # where the run failed before: the signal would end some other test
    assert time.monotonic() - start < 60


def units_of(games):
    return [[Task(key)] for game in games for key in keys_of(game)]


def found_by(executor, engines, units):
    try:
        rows = [row._replace(seconds=0) for one in executor.map(engines.run, units) for row in one.rows]
    finally:
        engines.close()
        executor.close()
    return sorted(rows)


def test_several_engines_give_what_one_gives(scripted):
    engine = scripted()
    identity = identify(engine, RECIPE)
    units = units_of(GAMES[:2])
    one = found_by(Serial(), Engines(engine, RECIPE, identity), units)
    assert len(one) == len(units)
    assert found_by(Threads(3), Engines(engine, RECIPE, identity), units) == one
    assert not running(engine.path)


def test_an_error_in_a_thread_ends_the_run(scripted):
    engine = scripted()
    other = dataclasses.replace(identify(engine, RECIPE), name="another engine")
    with pytest.raises(MachineError, match="not the same as another engine"):
        found_by(Threads(2), Engines(engine, RECIPE, other), units_of(GAMES[:1]))
