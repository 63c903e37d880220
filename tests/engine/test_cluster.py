"""A Dask cluster of two workers gives the tables that one engine gives, also when a worker is killed."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import threading

import pytest

from assay.engine.recipe import NAMED
from assay.errors import MachineError
from assay.executors import watch
from assay.workspace import Workspace
from assay.workspace.analyses import analyse, plan
from examples import SIMULATED

from .conftest import RECIPE, contents, interrupts, wait_until

distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
dask = pytest.importorskip("dask", reason="needs the extra 'cluster'")
pytestmark = pytest.mark.slow


N_WORKERS = 2


@contextlib.contextmanager
def make_cluster():
    """One that gives a killed worker all the time it needs to come back.

    Dask gives up after 15 s, which a busy machine may take to start Python, and LocalCluster then stays one
    worker short for good.
    """
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"}),
        distributed.LocalCluster(
            n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def cluster():
    with make_cluster() as made:
        yield made


@pytest.fixture
def doomed_cluster():
    """One whose workers may not come back: Dask does not restart a worker that dies while it is starting."""
    with make_cluster() as made:
        yield made
        wait_for_workers(made, least=0)  # those that are coming back: closing in the middle of it complains


def wait_for_workers(cluster, killed=(), least=N_WORKERS):
    """Wait until every worker has joined, other than those that were killed."""

    def joined():
        nannies = cluster.workers.values()
        pids = [nanny.pid for nanny in nannies]
        addresses = {nanny.worker_address for nanny in nannies}
        all_there = None not in pids and addresses == {*cluster.scheduler.workers}
        return all_there and len(pids) >= least and not {*pids} & {*killed}

    wait_until(joined, seconds=100)


@pytest.mark.engine
def test_a_cluster_gives_the_same_table(cluster, games, make_tables, stockfish):
    small = NAMED["standard"].scaled(0.02)
    one, many = make_tables("one"), make_tables("many")
    analyse(games, *one, recipe=small, engine=stockfish, jobs=1)
    report = analyse(games, *many, recipe=small, engine=stockfish, cluster=cluster.scheduler_address)
    assert report.n_engines == 2
    assert contents(one) == contents(many)


@pytest.mark.parametrize("walk", [False, True])
@pytest.mark.parametrize("allowed", [0, 3])
def test_a_killed_worker_changes_nothing(cluster, games, make_tables, scripted, monkeypatch, walk, allowed):
    """Also where Dask gives its units up at once (0 deaths allowed): a walk is then repeated as a whole."""
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", allowed)
    recipe = dataclasses.replace(RECIPE, walk=walk)
    expected, disturbed = make_tables("expected"), make_tables("disturbed")
    analyse(games, *expected, recipe=recipe, engine=scripted("--remember"), jobs=1)
    wait_for_workers(cluster)
    killed = []

    def kill_one(report):
        for nanny in cluster.workers.values():
            if not killed and cluster.scheduler.workers[nanny.worker_address].processing:
                killed.append(nanny.pid)
                os.kill(nanny.pid, signal.SIGKILL)

    report = analyse(
        games,
        *disturbed,
        recipe=recipe,
        engine=scripted("--remember", "--delay", 0.05),
        cluster=cluster.scheduler_address,
        progress=kill_one,
    )
    assert killed
    wait_for_workers(cluster, killed)
    assert report.failures == []
    assert contents(disturbed) == contents(expected)


def test_a_game_that_kills_its_workers_is_put_aside_as_a_whole(
    doomed_cluster, games, make_tables, scripted, monkeypatch
):
    monkeypatch.setattr(doomed_cluster.scheduler, "allowed_failures", 0)
    recipe = dataclasses.replace(RECIPE, walk=True)
    expected, disturbed = make_tables("expected"), make_tables("disturbed")
    analyse(games.slice(1), *expected, recipe=recipe, engine=scripted("--remember"), jobs=1)
    engine = scripted("--remember", "--fault", "kill_parent", "--only", "/4p2Q/")
    missing = plan(games, *disturbed, recipe=recipe, engine=engine).missing.to_pylist()
    report = analyse(
        games, *disturbed, recipe=recipe, engine=engine, cluster=doomed_cluster.scheduler_address
    )
    aside = {failure.position_key for failure in report.failures}
    of_game = {
        game: {row["position_key"] for row in missing if row["game"] == game} for game in range(len(games))
    }
    # Dask blames whatever the dead worker had been given, so a game that was waiting there may be put aside
    # too; but always as a whole.
    assert of_game[0] <= aside
    assert all(positions <= aside or not positions & aside for positions in of_game.values())
    assert "workers that had it died" in report.failures[0].reason
    assert report.done == report.missing - len(report.failures)
    # The games share the positions that the first had to do: last in a walk, so they change no others.
    of_others = [row for row in contents(expected)[0] if row["position_key"] not in aside]
    assert contents(disturbed)[0] == of_others


def test_no_cluster_is_one_clear_error(games, make_tables, scripted, monkeypatch):
    monkeypatch.setattr("assay.executors._CONNECT_SECONDS", 1)
    with pytest.raises(MachineError, match=r"no Dask workers at tcp://127\.0\.0\.1:1"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), cluster="tcp://127.0.0.1:1")


def test_it_is_said_when_no_workers_are_left(caplog, monkeypatch):
    """And once only, until there are some again."""
    monkeypatch.setattr("assay.executors._WATCH_SECONDS", 0.01)
    counts = iter([2, 0, 0, 0, 1, 1])
    caplog.set_level("WARNING", logger="assay.cluster")
    # Where the counts end, the count fails as with a scheduler that has gone: the watch ends.
    watch(lambda: next(counts), "tcp://here:1", threading.Event())
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert said[0].startswith("no workers are left at tcp://here:1: waiting")
    assert said[1].startswith("there are workers at tcp://here:1 again")


class AllGone:
    """After the first rows lets all workers leave, and does something when it is said that none are left."""

    def __init__(self, cluster, caplog, then):
        self.cluster, self.caplog, self.then = cluster, caplog, then
        self.thread = None

    def __call__(self, report):
        if self.thread is None:
            self.cluster.scale(0)
            self.thread = threading.Thread(target=self.wait)
            self.thread.start()

    def wait(self):
        wait_until(lambda: self.said("no workers are left"), seconds=60)
        self.then()

    def said(self, words):
        return any(words in record.getMessage() for record in self.caplog.records)


def test_a_run_without_workers_goes_on_when_some_return(
    cluster, games, make_tables, scripted, monkeypatch, caplog
):
    monkeypatch.setattr("assay.executors._WATCH_SECONDS", 0.1)
    expected, disturbed = make_tables("expected"), make_tables("disturbed")
    analyse(games, *expected, recipe=RECIPE, engine=scripted(), jobs=1)
    wait_for_workers(cluster)
    gone = AllGone(cluster, caplog, lambda: cluster.scale(N_WORKERS))
    engine = scripted("--delay", 0.05)
    report = analyse(
        games,
        *disturbed,
        recipe=RECIPE,
        engine=engine,
        cluster=cluster.scheduler_address,
        progress=gone,
    )
    gone.thread.join()
    wait_for_workers(cluster)
    assert gone.said("there are workers at")
    assert report.failures == []
    assert contents(disturbed) == contents(expected)


def test_a_run_that_waits_for_workers_can_be_interrupted(
    cluster, games, make_tables, scripted, monkeypatch, caplog
):
    monkeypatch.setattr("assay.executors._WATCH_SECONDS", 0.1)
    expected, tables = make_tables("expected"), make_tables("t")
    analyse(games, *expected, recipe=RECIPE, engine=scripted(), jobs=1)
    wait_for_workers(cluster)
    gone = AllGone(cluster, caplog, lambda: os.kill(os.getpid(), signal.SIGINT))
    engine = scripted("--delay", 0.05)
    address = cluster.scheduler_address
    with interrupts(signal.default_int_handler), pytest.raises(KeyboardInterrupt):
        analyse(games, *tables, recipe=RECIPE, engine=engine, cluster=address, progress=gone)
    gone.thread.join()
    kept = tables[0].count()
    assert 0 < kept < expected[0].count()
    cluster.scale(N_WORKERS)
    wait_for_workers(cluster)
    report = analyse(games, *tables, recipe=RECIPE, engine=engine, cluster=address)
    assert report.failures == []
    assert contents(tables) == contents(expected)


def test_a_killed_scheduler_is_one_sentence(games, make_tables, scripted):
    """Nothing else is printed: neither a traceback nor what Dask logs of it."""
    tables = make_tables("t")
    code = f"""
import subprocess, sys, dataclasses, pyarrow as pa
from pathlib import Path
from assay.workspace.analyses import analyse
from assay.engine.engines import EngineConfig
from assay.engine.recipe import NAMED
from assay.decisions.schema import ALONE, ANALYSES
from assay.errors import MachineError
from assay.workspace.tables import PartTable
scheduler = subprocess.Popen(
    [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"],
    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at" in line)
worker = subprocess.Popen(
    [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard",
     "--no-nanny", "--death-timeout", "5"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
games = pa.table({{"moves": pa.array({games["moves"].to_pylist()!r}, pa.list_(pa.string())),
                  "start_fen": pa.array([None] * 3, pa.string())}})
try:
    analyse(games, PartTable(Path({str(tables[0].folder)!r}), ANALYSES),
            PartTable(Path({str(tables[1].folder)!r}), ALONE),
            recipe=dataclasses.replace(NAMED["standard"], lines=3),
            engine=EngineConfig({scripted("--delay", 0.3).path!r}), cluster=address,
            progress=lambda report: scheduler.kill())
except MachineError as error:
    print(error)
finally:
    scheduler.kill()
    worker.kill()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=200, check=False
    )
    assert "has gone: start it again and repeat the command" in done.stdout
    assert done.stderr == ""
    assert tables[0].read().num_rows  # what was finished is kept


@pytest.mark.engine
@pytest.mark.proof
@pytest.mark.timeout(3600)
def test_standard_on_200_positions(cluster, make_tables, stockfish):
    """The proof at full size: `standard`, one job, two jobs, two Dask workers, the same 200 positions."""
    workspace = Workspace(make_tables("w")[0].folder.parent)
    workspace.import_games(SIMULATED)
    games = workspace.games()
    ways = {"one": {"jobs": 1}, "two": {"jobs": 2}, "dask": {"cluster": cluster.scheduler_address}}
    found = {}
    for name, way in ways.items():
        tables = make_tables(name)
        report = analyse(games, *tables, recipe=NAMED["standard"], engine=stockfish, limit=200, **way)
        assert report.done == 200
        found[name] = contents(tables)
    assert len(found["one"][0]) == 200
    assert found["one"] == found["two"] == found["dask"]
