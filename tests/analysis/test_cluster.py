"""A Dask cluster of two workers gives the tables that one engine gives, also when a worker is killed."""

import dataclasses
import os
import signal
from importlib import resources

import pytest

from assay.analysis.backlog import analyse
from assay.analysis.recipe import NAMED
from assay.errors import MachineError
from assay.workspace import Workspace

from .conftest import contents, wait_until

distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
pytestmark = pytest.mark.slow

RECIPE = dataclasses.replace(NAMED["standard"], lines=3)


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as made:
        yield made


def wait_for_both(cluster, killed=()):
    """Wait until two workers have joined, other than those that were killed."""

    def joined():
        nannies = cluster.workers.values()
        pids = [nanny.pid for nanny in nannies]
        addresses = {nanny.worker_address for nanny in nannies}
        return None not in pids and not {*pids} & {*killed} and addresses == {*cluster.scheduler.workers}

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
def test_a_killed_worker_changes_nothing(cluster, games, make_tables, scripted, walk):
    recipe = dataclasses.replace(RECIPE, walk=walk)
    expected, disturbed = make_tables("expected"), make_tables("disturbed")
    analyse(games, *expected, recipe=recipe, engine=scripted(), jobs=1)
    wait_for_both(cluster)
    killed = []

    def kill_one(report):
        if not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    report = analyse(
        games,
        *disturbed,
        recipe=recipe,
        engine=scripted("--delay", 0.05),
        cluster=cluster.scheduler_address,
        progress=kill_one,
    )
    wait_for_both(cluster, killed)
    assert report.failures == []
    assert contents(disturbed) == contents(expected)


def test_no_cluster_is_one_clear_error(games, make_tables, scripted, monkeypatch):
    from assay.analysis import cluster as module

    monkeypatch.setattr(module, "_CONNECT_SECONDS", 1)
    with pytest.raises(MachineError, match=r"no Dask workers at tcp://127\.0\.0\.1:1"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted(), cluster="tcp://127.0.0.1:1")


@pytest.mark.engine
@pytest.mark.timeout(3600)
@pytest.mark.skipif("ASSAY_PROOF" not in os.environ, reason="takes minutes: set ASSAY_PROOF=1 to run it")
def test_standard_on_200_positions(cluster, make_tables, stockfish):
    """The proof at full size: `standard`, one job, two jobs, two Dask workers, the same 200 positions."""
    workspace = Workspace(make_tables("w")[0].folder.parent)
    workspace.import_games(str(resources.files("assay") / "examples" / "tournament.pgn"))
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
