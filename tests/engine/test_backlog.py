"""What is missing, in which order, done once, kept whatever happens."""

import dataclasses
import signal
import subprocess
import sys

import chess
import pyarrow as pa
import pytest

from assay.engine import run as backlog
from assay.engine.run import estimate
from assay.engine.worker import Failure, Outcome
from assay.errors import EngineError, InputError
from assay.workspace.analyses import analyse, plan, read_recipes

from .conftest import GAMES, RECIPE, contents, interrupts, keys_of, running, wait_until


def test_every_position_once_the_first_and_the_final_included(games, make_tables, scripted):
    tables = make_tables("t")
    report = analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    everything = {key for game in GAMES for key in keys_of(game)}
    stored = tables[0].read()["position_key"].to_pylist()
    assert sorted(stored) == sorted(everything)
    assert report.done == report.missing == report.wanted == len(everything)


def test_every_played_move_is_valued(games, make_tables, scripted):
    tables = make_tables("t")
    analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=2)
    lines = {row["position_key"]: row for row in tables[0].read().to_pylist()}
    alone = {(row["position_key"], row["move"]): row for row in tables[1].read().to_pylist()}
    assert len(alone) == tables[1].count() > 0
    for game in GAMES:
        for key, move in zip(keys_of(game), game.split(), strict=False):
            assert (move in lines[key]["moves"]) != ((key, move) in alone)
            if (key, move) in alone:
                assert alone[key, move]["depth"] == lines[key]["depth"]


def test_a_finished_game_has_no_options(games, make_tables, scripted):
    tables = make_tables("t")
    analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    mate = keys_of(GAMES[0])[-1]
    row = next(row for row in tables[0].read().to_pylist() if row["position_key"] == mate)
    assert (row["n_legal"], row["moves"], row["cp"], row["nodes"]) == (0, [], [], 0)


def test_a_second_run_does_nothing(games, make_tables, scripted):
    tables = make_tables("t")
    analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=2)
    before = contents(tables)
    report = analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=2)
    assert (report.missing, report.done, contents(tables)) == (0, 0, before)


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


def test_another_recipe_is_another_analysis(games, make_tables, scripted):
    tables = make_tables("t")
    first = analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    other = dataclasses.replace(RECIPE, lines=2)
    second = analyse(games, *tables, recipe=other, engine=scripted(), jobs=1)
    assert second.missing == first.missing
    used, _ = read_recipes(tables[0])
    assert {used[first.recipe_id]["recipe"]["lines"], used[second.recipe_id]["recipe"]["lines"]} == {3, 2}
    assert used[first.recipe_id]["engine"]["name"] == "Scripted 1"


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


def test_no_games_is_no_work(make_tables, scripted, games):
    report = analyse(games.slice(0, 0), *make_tables("t"), recipe=RECIPE, engine=scripted())
    assert (report.wanted, report.missing) == (0, 0)


def test_senseless_numbers_are_refused(games, make_tables, scripted):
    with pytest.raises(InputError, match="jobs"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), jobs=0)
    with pytest.raises(InputError, match="limit"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), limit=-1)
    with pytest.raises(InputError, match="hash tables"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), jobs=10**6)


def test_an_estimate_stores_nothing(games, make_tables, scripted):
    tables = make_tables("t")
    found = estimate(plan(games, *tables, recipe=RECIPE, engine=scripted()), scripted(), jobs=2)
    assert found.seconds > 0
    assert found.disk_bytes > 0
    assert 0 < found.sampled <= found.positions
    assert tables[0].count() == 0


def test_an_interrupted_run_keeps_what_was_finished(games, make_tables, scripted, monkeypatch):
    tables = make_tables("t")

    def interrupt(report):
        if report.done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        analyse(games, *tables, recipe=RECIPE, engine=scripted("--delay", 0.01), jobs=2, progress=interrupt)
    assert tables[0].count() >= 5


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

    class Losing:
        n = 1

        def outcomes(self):
            return iter([lost] * self.times)

        def close(self):
            pass

    monkeypatch.setattr(backlog, "EnginesAtWork", lambda *words: Losing())
    Losing.times = 2
    report = analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted())
    assert len(report.failures) == 50
    Losing.times = 20
    with pytest.raises(EngineError, match="in a row failed, the last because died"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted())


def test_the_report_of_an_empty_run_divides_by_nothing():
    report = backlog.AnalysisReport("standard", "0", "x", 0, 0)
    assert (report.per_second, report.busy_share) == (0.0, 0.0)


def test_what_a_run_left_that_was_killed_in_its_last_moment_goes(games, make_tables, scripted):
    """There is nothing more to analyse then, and so no writer but this one."""
    tables = make_tables("t")
    analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    half = tables[0].folder / "00000001-00000002.parquet.part"
    half.write_bytes(b"half a part")
    report = analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1)
    assert report.done == 0
    assert not half.exists()
