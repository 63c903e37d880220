"""Asking never needs the writer's lock: another process analyses meanwhile, a real one."""

import io
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import pytest

from assay.workspace import Workspace
from examples.commands import document, run
from examples.engines import scripted_engine

ANALYSE = """
import sys
from assay.cli import main
from assay.workspace import analyses
analyses._FLUSH_SECONDS = 0.0
sys.exit(main(["analyse", *sys.argv[1:], "--jobs", "1"]))
"""
FEW = 20
"""Plies of the game that are analysed before the engine stands still."""


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """The recipe that both processes use."""
    path = tmp_path / "few.toml"
    path.write_text('base = "standard"\nname = "few lines"\nlines = 3\n')
    return ["--recipe", str(path)]


@pytest.fixture
def games(tmp_path: Path, examples: Path, given: list[str]) -> Iterator[Path]:
    """PGN that another process is analysing: it has done the first moves, and stands still."""
    path = tmp_path / "games.pgn"
    path.write_text((examples / "game_of_the_century.pgn").read_text())
    game = chess.pgn.read_game(io.StringIO(path.read_text()))
    assert game is not None
    board = game.board()
    for move in list(game.mainline_moves())[:FEW]:
        board.push(move)
    stuck = scripted_engine(tmp_path, "--fault", "hang", "--only", board.board_fen())
    command = [sys.executable, "-c", ANALYSE, str(path), "--engine", str(stuck.path), *given]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + 100
            while Workspace(tmp_path / "games.pgn.assay").table_analyses.count() < FEW:
                assert process.poll() is None, process.stderr and process.stderr.read()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield path
            assert process.poll() is None
        finally:
            process.kill()


def test_status_and_rate_of_what_is_done_so_far(
    games: Path, given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = document(capsys, "status", games)
    assert said["games"] == 1
    assert list(said["analyses"].values()) == [FEW]
    assert next(iter(said["missing"].values())) > FEW
    engine = ["--engine", str(scripted_engine(tmp_path).path), *given]
    code, out, err = run(capsys, "rate", games, *engine, "--min-decisions", "1", "--json")
    assert code == 0, err
    assert "another process is writing to" in err
    assert "positions are still to be analysed, and what is finished is used" in err
    assert {player["games"] for player in json.loads(out)["players"]} == {1}
    assert sum(player["decisions"] for player in json.loads(out)["players"]) <= FEW
    with games.open("a") as file:
        file.write('\n[White "A"]\n[Black "B"]\n\n1. e4 e5 1-0\n')
    code, out, err = run(capsys, "status", games, "--json")
    assert (code, json.loads(out)["games"]) == (0, 1)
    assert "games that are not in it are left out" in err
    code, _, err = run(capsys, "import", games, "-w", f"{games}.assay")  # which is to write
    assert code != 0
    assert "is being written to by process" in err
    code, _, err = run(capsys, "analyse", games, *engine)
    assert code != 0
    assert "is being written to by process" in err
