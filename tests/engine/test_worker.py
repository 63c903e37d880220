"""One engine at work: faults are met by restart and retry; answers do not depend on what came before."""

import dataclasses

import pytest

from assay.engine.engines import identify
from assay.engine.worker import Task, Worker
from assay.errors import EngineError
from assay.workspace.analyses import analyse

from .conftest import GAMES, RECIPE, contents, keys_of

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


def test_a_run_without_hope_ends_with_the_reason(games, make_tables, scripted):
    with pytest.raises(EngineError, match=r"20 positions in a row failed, .*has died"):
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
