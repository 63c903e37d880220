"""Recorded sessions of real engines, replayed: tests of all but the engine, without an engine."""

import json
from pathlib import Path

import pytest

from assay.decisions.evaluation import MATE
from assay.engine.engines import identify
from assay.engine.run import Worker

from .record import SESSIONS

HERE = Path(__file__).resolve().parent


@pytest.fixture(params=sorted(SESSIONS))
def replayed(request, scripted):
    """The recording, and the outcome of its tasks with an engine that replays it."""
    path = HERE / "recordings" / f"{request.param}.json"
    _, recipe, tasks = SESSIONS[request.param]
    config = scripted("--replay", path)
    worker = Worker(config, recipe, identify(config, recipe))
    try:
        return request.param, json.loads(path.read_text()), worker.run(tasks)
    finally:
        worker.close()


def plain(rows):
    return json.loads(json.dumps([row._replace(seconds=0) for row in rows]))


def test_what_was_said_gives_the_rows_that_were_looked_over(replayed):
    _, recording, outcome = replayed
    assert plain(outcome.rows) == recording["rows"]
    assert plain(outcome.alone) == recording["alone"]
    assert outcome.failures == []


def test_what_the_rows_must_say(replayed):
    name, _, outcome = replayed
    rows = {row.position_key: row for row in outcome.rows}
    if name == "stockfish":
        start, mate, _, forced, finished = outcome.rows
        assert start.n_legal == 20
        assert len(start.moves) == 4
        assert [(row.move, row.depth) for row in outcome.alone] == [("a2a4", 5), ("e2e4", 5)]
        assert (mate.moves[0], mate.values[0]) == ("a1a6", MATE - 2)
        assert forced.moves == ("a1a2",)
        assert (finished.n_legal, finished.moves) == (0, ())
    else:
        black = rows["8/8/8/8/8/5k2/6q1/4K2R b - -"]
        # Mate on the spot: Qe2 or Qf2 do not need a search.
        assert black.values[0] == MATE - 1
        assert black.depth == 4
        assert all(depth <= 4 for depth, _, _ in black.trace)
