"""A Dask cluster of two workers gives the tables that one engine gives, also when a worker is killed."""

import dataclasses
import os
import signal
from importlib import resources

import pytest

from assay.analysis.backlog import analyse, plan
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
@pytest.mark.parametrize("allowed", [0, 3])
def test_a_killed_worker_changes_nothing(cluster, games, make_tables, scripted, monkeypatch, walk, allowed):
    """Also where Dask gives its units up at once (0 deaths allowed): a walk is then repeated as a whole."""
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", allowed)
    recipe = dataclasses.replace(RECIPE, walk=walk)
    expected, disturbed = make_tables("expected"), make_tables("disturbed")
    analyse(games, *expected, recipe=recipe, engine=scripted("--remember"), jobs=1)
    wait_for_both(cluster)
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
    wait_for_both(cluster, killed)
    assert report.failures == []
    assert contents(disturbed) == contents(expected)


def test_a_game_that_kills_its_workers_is_put_aside_as_a_whole(
    cluster, games, make_tables, scripted, monkeypatch
):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    wait_for_both(cluster)
    recipe = dataclasses.replace(RECIPE, walk=True)
    expected, disturbed = make_tables("expected"), make_tables("disturbed")
    analyse(games.slice(1), *expected, recipe=recipe, engine=scripted("--remember"), jobs=1)
    engine = scripted("--remember", "--fault", "kill_parent", "--only", "/4p2Q/")
    missing = plan(games, *disturbed, recipe=recipe, engine=engine).missing.to_pylist()
    report = analyse(games, *disturbed, recipe=recipe, engine=engine, cluster=cluster.scheduler_address)
    wait_for_both(cluster)
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
