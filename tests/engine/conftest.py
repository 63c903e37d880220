"""What the analysis tests share: games, empty tables, the real engine."""

import dataclasses
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import chess
import pyarrow as pa
import pytest

from assay.decisions.schema import ALONE, ANALYSES
from assay.engine.engines import EngineConfig
from assay.engine.recipe import NAMED
from assay.errors import EngineError
from assay.workspace.tables import PartTable

# 1. a short game that ends in mate, 2. one that shares its opening, 3. one that ends in the open.
GAMES = (
    "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7",
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7",
    "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8 g1f3 h7h6 g5h4 b7b6",
)

RECIPE = dataclasses.replace(NAMED["standard"], lines=3)
"""For scripted engines: three lines are enough to be told apart."""

SMALL = NAMED["standard"].scaled(0.02)
"""For a real engine: a few nodes."""


def keys_of(game):
    """Keys of all positions of a game in UCI, by python-chess."""
    board = chess.Board()
    keys = [board.epd(en_passant="legal")]
    for move in game.split():
        board.push_uci(move)
        keys.append(board.epd(en_passant="legal"))
    return keys


@pytest.fixture
def games():
    moves = [game.split() for game in GAMES]
    return pa.table(
        {
            "moves": pa.array(moves, pa.list_(pa.string())),
            "start_fen": pa.array([None] * len(moves), pa.string()),
        }
    )


@pytest.fixture
def make_tables(tmp_path):
    """A function that gives the two tables of a new folder (or of one known by name)."""

    def make(name):
        folder = tmp_path / name
        return PartTable(folder / "analyses", ANALYSES), PartTable(folder / "alone", ALONE)

    return make


@pytest.fixture(scope="session")
def stockfish():
    """The real engine, or a skipped test."""
    from assay.engine.engines import find_engine

    try:
        return EngineConfig(find_engine())
    except EngineError as error:
        pytest.skip(f"needs a real engine: {error}")


def contents(tables, *, order=("position_key", "move")):
    """The rows of both tables in a fixed order, without the seconds, which differ from run to run."""
    found = []
    for table in tables:
        rows = table.read().to_pylist()
        for row in rows:
            del row["seconds"]
            row.pop("trace_seconds", None)
        found.append(sorted(rows, key=lambda row: [row.get(key, "") for key in order]))
    return found


def running(words, parent=None):
    """Numbers of the processes whose command line holds these words, of one parent or of any.

    Sibling tests run at the same time: without a parent, the words must be this test's own. A scripted
    engine's path is.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            state, its_parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue  # it has just ended
        if words in command and state != "Z" and parent in (None, int(its_parent)):
            found.append(int(folder.name))
    return found


@contextmanager
def interrupts(action):
    """Within it, this process and those that it starts take SIGINT so, however the tests were started.

    `nohup make test &`, background jobs of scripts and some CI start a run with SIGINT ignored. Children
    inherit that, and Python then installs no handler of its own.
    """
    before = signal.signal(signal.SIGINT, action)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def wait_until(true, seconds=20):
    """Wait for something that must become true soon."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
