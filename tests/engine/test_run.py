"""What is missing, in which order, done once, kept whatever happens."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import pyarrow as pa
import pytest

from assay.decisions.evaluation import from_mate
from assay.engine import run as engine_run
from assay.engine.engines import EngineConfig, identify
from assay.engine.recipe import NAMED, Recipe, find_recipe
from assay.engine.run import Engines, Failure, Outcome, SingleEvaluator, Task, Worker
from assay.engine.search import AloneRow, AnalysisRow
from assay.errors import EngineError, InputError, MachineError, SchemaError
from assay.executors import Serial, Threads
from assay.files import PARTIAL
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.workspace import Workspace
from assay.workspace.analyses import (
    analyse,
    plan,
    read_recipes,
    recipes_path,
    record_recipe,
)

from .conftest import GAMES, RECIPE, SMALL, contents, interrupts, keys_of, running, wait_until


def test_every_position_once_and_every_played_move_valued(games, make_tables, scripted):
    """The first position and the final one included."""
    tables = make_tables("t")
    report = analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=2)
    everything = {key for game in GAMES for key in keys_of(game)}
    stored = tables[0].read()["position_key"].to_pylist()
    assert sorted(stored) == sorted(everything)
    assert report.done == report.missing == report.wanted == len(everything)
    lines = {row["position_key"]: row for row in tables[0].read().to_pylist()}
    mate = lines[keys_of(GAMES[0])[-1]]  # a finished game has no options
    assert (mate["n_legal"], mate["moves"], mate["cp"], mate["nodes"]) == (0, [], [], 0)
    alone = {(row["position_key"], row["move"]): row for row in tables[1].read().to_pylist()}
    assert len(alone) == tables[1].count() > 0
    for game in GAMES:
        for key, move in zip(keys_of(game), game.split(), strict=False):
            assert (move in lines[key]["moves"]) != ((key, move) in alone)
            if (key, move) in alone:
                assert alone[key, move]["depth"] == lines[key]["depth"]


def test_limit_and_go_on(games, make_tables, scripted):
    expected, tables = make_tables("expected"), make_tables("t")
    analyse(games, *expected, recipe=RECIPE, engine=scripted(), jobs=1)
    seen = 0
    while (report := analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1, limit=9)).missing:
        seen += report.done
        assert tables[0].count() == seen
    assert contents(tables) == contents(expected)


def test_only_the_played_move_is_missing(games, make_tables, scripted):
    """A new game through known positions asks for its own moves only, to the depth of the lines."""
    tables = make_tables("t")
    analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    worst = next(row for row in tables[0].read().to_pylist() if row["position_key"] == keys_of("")[0])
    options = [move.uci() for move in chess.Board().legal_moves]
    rare = next(move for move in options if move not in (*worst["moves"], "e2e4", "d2d4"))
    new = pa.table({"moves": pa.array([[rare]]), "start_fen": pa.array([None], pa.string())})
    tasks = list(plan(new, *tables, recipe=RECIPE, engine=scripted()).tasks())
    assert [(task.depth, task.played) for task in tasks] == [(worst["depth"], (rare,)), (None, ())]
    everything = make_tables("everything")
    analyse(new, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    both = pa.concat_tables([games, new])
    analyse(both, *everything, recipe=RECIPE, engine=scripted(), jobs=1)
    assert contents(tables) == contents(everything)


def test_a_walk_goes_backwards_through_each_game(games, make_tables, scripted):
    walk = dataclasses.replace(RECIPE, walk=True, first_turn=3)
    units = list(plan(games, *make_tables("t"), recipe=walk, engine=scripted()).units(1))
    assert [[task.ply for task in unit] for unit in units] == [
        list(range(7, 3, -1)),
        list(range(10, 3, -1)),
        list(range(14, 3, -1)),
    ]
    limited = plan(games, *make_tables("t"), recipe=walk, engine=scripted(), limit=5)
    assert len(limited) == 4 + 7


def test_history_is_sent_where_asked(games, make_tables, scripted):
    recipe = dataclasses.replace(RECIPE, walk=True, history=True)
    tasks = list(plan(games, *make_tables("t"), recipe=recipe, engine=scripted()).tasks())
    assert tasks[0].history == f"startpos moves {GAMES[0]}"


def test_senseless_numbers_are_refused(games, make_tables, scripted):
    with pytest.raises(InputError, match="jobs"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), jobs=0)
    with pytest.raises(InputError, match="limit"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), limit=-1)
    with pytest.raises(InputError, match="hash tables"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), jobs=10**6)


RUN = """
import sys
from pathlib import Path
import pyarrow as pa
from assay.workspace import analyses as ledger
from assay.workspace.analyses import analyse
from assay.engine.engines import EngineConfig
from assay.engine.recipe import NAMED
from assay.decisions.schema import ALONE, ANALYSES
from assay.workspace.tables import PartTable
import dataclasses
folder, engine, moves = Path(sys.argv[1]), sys.argv[2], [game.split() for game in sys.argv[3:]]
ledger._FLUSH_SECONDS = 0.0
games = pa.table({"moves": pa.array(moves), "start_fen": pa.array([None] * len(moves), pa.string())})
analyse(
    games, PartTable(folder / "analyses", ANALYSES), PartTable(folder / "alone", ALONE),
    recipe=dataclasses.replace(NAMED["standard"], lines=3), engine=EngineConfig(engine), jobs=2,
)
"""


# Positions in which a run stands still, and how many rows it has written by then: those of the first game
# with the queen on h5, then those of the third game with pawns on c4 and d4. Two of them stop both engines.
STANDSTILLS = (("/4p2Q/", 3), ("/2PP4/", 18))


def started(folder, engine, interrupted):
    """A run of all games in a process of its own, which takes SIGINT as told."""
    command = [sys.executable, "-c", RUN, str(folder), engine.path, *GAMES]
    with interrupts(interrupted):
        return subprocess.Popen(command, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_coordinator_loses_nothing_that_was_written(games, make_tables, scripted, tmp_path, stop):
    expected, tables = make_tables("expected"), make_tables("t")
    analyse(games, *expected, recipe=RECIPE, engine=scripted(), jobs=1)
    for where, rows in STANDSTILLS:
        stuck = scripted("--fault", "hang", "--only", where)
        with started(tmp_path / "t", stuck, signal.default_int_handler) as run:
            wait_until(lambda rows=rows: tables[0].count() == rows, seconds=100)
            run.send_signal(stop)
        wait_until(lambda mark=f"--mark {stuck.path}": not running(mark))
        assert tables[0].count() == rows
    report = analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=2)
    # More where it was killed after the lines of a position and before its played move.
    assert report.done >= expected[0].count() - rows
    assert contents(tables) == contents(expected)


def test_a_run_in_the_background_is_not_interrupted(games, make_tables, scripted, tmp_path):
    """Who starts it with SIGINT ignored (`nohup`, `&` in a script) wants it to go on."""
    expected, tables = make_tables("expected"), make_tables("t")
    analyse(games, *expected, recipe=RECIPE, engine=scripted(), jobs=1)
    with started(tmp_path / "t", scripted("--delay", 0.05), signal.SIG_IGN) as run:
        wait_until(lambda: tables[0].count() >= 3, seconds=100)
        assert tables[0].count() < expected[0].count()
        run.send_signal(signal.SIGINT)
    assert run.returncode == 0
    assert contents(tables) == contents(expected)


def test_a_game_lost_with_its_machines_is_one_fault(games, make_tables, scripted, monkeypatch):
    """A long game put aside as a whole does not look like 20 positions in a row that fail."""
    lost = Outcome(failures=[Failure("a position", "died")] * 25, tasks=25, lost=True)

    class Losing(Serial):
        def map(self, function, units):
            return iter([lost] * self.times)

    monkeypatch.setattr(engine_run, "Serial", Losing)
    Losing.times = 2
    report = analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), jobs=1)
    assert len(report.failures) == 50
    Losing.times = 20
    with pytest.raises(EngineError, match="in a row failed, the last because died"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), jobs=1)


def test_what_a_run_left_that_was_killed_in_its_last_moment_goes(games, make_tables, scripted):
    """There is nothing more to analyse then, and so no writer but this one."""
    tables = make_tables("t")
    analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    half = tables[0].folder / "00000001-00000002.parquet.part"
    half.write_bytes(b"half a part")
    report = analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    assert report.done == 0
    assert not half.exists()


# One engine at work: faults are met by restart and retry; answers do not depend on what came before.

ITALIAN = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3"  # in the first game, before it mates


@pytest.mark.parametrize("walk", [False, True])
@pytest.mark.parametrize("fault", ["die", "hang", "garbage", "nonsense", "none", "illegal", "one_line"])
def test_passing_faults_change_nothing(games, make_tables, scripted, tmp_path, fault, walk):
    recipe = dataclasses.replace(RECIPE, walk=walk)
    expected = make_tables("expected")
    analyse(games, *expected, recipe=recipe, engine=scripted(), jobs=1)
    disturbed = make_tables("disturbed")
    engine = scripted("--fault", fault, "--times", 2, "--state", tmp_path / "state", patience=5.0)
    report = analyse(games, *disturbed, recipe=recipe, engine=engine, jobs=2)
    assert report.failures == []
    assert contents(disturbed) == contents(expected)


@pytest.mark.parametrize("walk", [False, True])
def test_a_position_that_fails_three_times_is_put_aside(games, make_tables, scripted, walk):
    recipe = dataclasses.replace(RECIPE, walk=walk)
    engine = scripted("--fault", "die", "--only", ITALIAN)
    tables = make_tables("tables")
    report = analyse(games, *tables, recipe=recipe, engine=engine, jobs=2)
    assert [failure.position_key.startswith(ITALIAN) for failure in report.failures] == [True]
    assert "has died" in report.failures[0].reason
    assert report.done == report.missing - 1
    again = analyse(games, *tables, recipe=recipe, engine=scripted(), jobs=1)
    assert (again.missing, again.done) == (1, 1)


def test_a_run_without_hope_ends_with_the_reason(games, make_tables, scripted, monkeypatch):
    monkeypatch.setattr(engine_run, "_HOPELESS", 3)  # each starts the engine three times
    with pytest.raises(EngineError, match=r"3 positions in a row failed, .*has died"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted("--fault", "die"), jobs=2)


@pytest.mark.parametrize(
    "unit",
    [
        [Task(keys_of(GAMES[0])[ply], ply=ply) for ply in (7, 6)],
        [Task(keys_of("")[0], ("a2a3",), depth=5)],
    ],
    ids=["from a mate", "a played move only"],
)
def test_a_walk_knows_nothing_of_the_game_before(scripted, unit):
    """Also where its first position needs no search, or no lines."""
    walk = dataclasses.replace(RECIPE, walk=True)
    engine = scripted("--remember")
    worker = Worker(engine, walk, identify(engine, walk))
    try:
        first = worker.run(unit)
        worker.run([Task(keys_of(GAMES[2])[-1])])
        again = worker.run(unit)
    finally:
        worker.close()
    plain = [
        [row._replace(seconds=0) for row in (*outcome.rows, *outcome.alone)] for outcome in (first, again)
    ]
    assert plain[0] == plain[1]


# With real Stockfish, in few nodes: the same answers however they are got.


@pytest.mark.engine
@pytest.mark.parametrize("recipe", [SMALL, dataclasses.replace(NAMED["thrifty"], enough=6)])
def test_killed_engines_and_several_runs_change_nothing(games, make_tables, stockfish, recipe):
    """Also where searches end by their values: what the engine was told, and when, leaves no trace."""
    expected, disturbed = make_tables("expected"), make_tables("disturbed")
    analyse(games, *expected, recipe=recipe, engine=stockfish, jobs=1)
    kills = []

    def kill_one(report):
        if len(kills) < 3 and report.done >= 4 * len(kills):
            for pid in running("stockfish", parent=os.getpid())[:1]:
                os.kill(pid, signal.SIGKILL)
                kills.append(pid)

    for limit in (12, None):
        report = analyse(
            games, *disturbed, recipe=recipe, engine=stockfish, jobs=2, limit=limit, progress=kill_one
        )
        assert report.failures == []
    assert kills
    assert contents(disturbed) == contents(expected)
    if recipe.enough:
        depths = {row["depth"] for row in expected[0].read().to_pylist() if row["n_legal"] > 1}
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


def test_an_error_in_a_thread_ends_the_run(scripted):
    engine = scripted()
    other = dataclasses.replace(identify(engine, RECIPE), name="another engine")
    threads, engines = Threads(2), Engines(engine, RECIPE, other)
    try:
        with pytest.raises(MachineError, match="not the same as another engine"):
            list(threads.map(engines.run, [[Task(key)] for key in keys_of(GAMES[0])]))
    finally:
        engines.close()
        threads.close()
    assert not running(engine.path)


PGN = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n'


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.pgn"
    path.write_text(PGN)
    return path


def test_one_by_one_they_are_the_values_of_a_whole_analysis(scripted, game, tmp_path):
    evaluator = SingleEvaluator(RECIPE, scripted())
    try:
        live = LiveAnalysis(evaluator).update(read_game(game))
    finally:
        evaluator.close()
    workspace = Workspace(tmp_path / "workspace")
    workspace.import_games(game)
    workspace.analyse(RECIPE, engine=scripted(), jobs=1, include=["too_short"])
    decisions = workspace.decisions(evaluator.recipe_id)
    gains = decisions.numbers("after").clip(-3900, 3900) - decisions.numbers("before")
    assert [move.gain for move in live.moves] == gains.tolist()
    assert live.moves[-1].san == "Qxf7#"


def test_an_engine_that_dies_is_an_error(scripted):
    broken = SingleEvaluator(RECIPE, scripted("--fault", "die", "--only", "3Q4/4K3/8"))
    with pytest.raises(EngineError, match="failed on"):
        broken.analyse("4k3/8/8/8/8/3Q4/4K3/8 w - -", "")
    broken.close()


# Keeping what the engines said: rows as tables, and the list of recipes used.


@pytest.mark.parametrize("text", ["[]", '{"9be7": {"recipe": {"name": "R"}, "engine": {"name": 5}}}', "\xff"])
def test_a_damaged_list_of_recipes_is_left_as_it_is(games, make_tables, scripted, text):
    """Written anew, it would say nothing of the analyses that are stored."""
    tables = make_tables("t")
    analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1, limit=1)
    path = tables[0].folder.with_name("recipes.json")
    whole = path.read_bytes()
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SchemaError, match="put back a copy"):
        analyse(games, *tables, recipe=dataclasses.replace(RECIPE, lines=2), engine=scripted(), jobs=1)
    assert path.read_bytes() == text.encode("latin-1")
    # The other way that the sentence names: out of the way, it is noted anew.
    path.unlink()
    assert analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1, limit=0).missing == 0
    assert path.read_bytes() == whole


def noted(make_tables, **about):
    analyses, _ = make_tables("t")
    known = {"recipe": {"name": "R"}, "engine": {"name": "E"}, **about}
    record_recipe(analyses, "9be7", known)
    return analyses, recipes_path(analyses), {"9be7": known}


def test_what_a_killed_writer_left_of_the_list_is_cleared_away(make_tables):
    analyses, path, known = noted(make_tables)
    partial = path.with_name(f"{path.name}{PARTIAL}")
    partial.write_text("{")
    record_recipe(analyses, "9be7", {})
    assert not partial.exists()
    assert read_recipes(analyses)[0] == known


def outcome(key, *values):
    moves = tuple(f"m{n}" for n in range(len(values)))
    row = AnalysisRow(
        key, 20, 9, 1000, 0.5, moves, values, (1, 2, 3), 12, 0, ((9, "m0", values[0]),), (900,), None
    )
    return Outcome(rows=[row], alone=[AloneRow(key, "other", from_mate(-2), 9, 100, 0.1, ((8, 5), (9, 7)))])


def test_rows_become_the_tables(make_tables):
    """Centipawns and mates apart, in each place one of them; the recipe on every row."""
    analyses, alone = (table.to_pylist()[0] for table in outcome("k", 30, from_mate(3), -5).tables("recipe"))
    assert (analyses["cp"], analyses["mate"]) == ([30, None, -5], [None, 3, None])
    assert (analyses["moves"], analyses["recipe_id"], analyses["position_key"]) == (
        ["m0", "m1", "m2"],
        "recipe",
        "k",
    )
    assert (analyses["trace_depth"], analyses["trace_move"], analyses["trace_value"]) == ([9], ["m0"], [30])
    assert (analyses["trace_nodes"], analyses["trace_seconds"]) == ([900], None)
    assert (alone["trace_depth"], alone["trace_value"]) == ([8, 9], [5, 7])
    assert (alone["move"], alone["cp"], alone["mate"], alone["recipe_id"]) == ("other", None, -2, "recipe")


# What a backlog costs: tried only where the rule of thumb does not settle it.


@dataclass
class Waiting:
    """As much of a backlog as is looked at."""

    recipe: Recipe
    positions: int

    def __len__(self) -> int:
        return self.positions

    @property
    def n_units(self) -> int:
        return self.positions


def waiting(name: str, positions: int) -> Any:
    return Waiting(find_recipe(name), positions)


def test_rules_of_thumb() -> None:
    for name, seconds in {"standard": 0.25, "quick": 0.025, "thrifty": 0.25 / 3}.items():
        assert engine_run.rough_each(find_recipe(name)).seconds == pytest.approx(seconds)
    assert engine_run.rough_each(find_recipe("alliot2017")).factor > 3
    assert engine_run.seconds_for(waiting("standard", 100_000), EngineConfig(), 2, 1.0) == 12_500


@pytest.mark.parametrize(("positions", "tried"), [(10, False), (1000, True), (100_000, False)])
def test_positions_are_tried_only_near_the_limit(
    positions: int, tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_run, "estimate", lambda *_: SimpleNamespace(seconds=-1.0))
    found = engine_run.seconds_for(waiting("standard", positions), EngineConfig(), 1, 300.0)
    assert (found == -1.0) == tried
