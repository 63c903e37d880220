"""What `assay live` prints: a whole game, or one line for each new move."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.answers.ratings import Quantity, Rating
from assay.cli.answers.live import Show
from assay.live.analysis import Known, LiveAnalysis
from assay.live.game import read_game
from assay.rating.calibration import Calibration
from examples.commands import printed


def test_live_as_csv(pgn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    live = ("live", pgn, "--evaluations", "file", "--csv")
    lines = printed(capsys, *live).splitlines()
    assert printed(capsys, *live, "--follow").splitlines() == lines
    assert lines[0].startswith("ply,player,move")
    assert len(lines) == 83


def test_following_ends_with_the_result(capsys: pytest.CaptureFixture[str], pgn: Path) -> None:
    lines = printed(capsys, "live", pgn, "--evaluations", "file", "--follow").splitlines()
    assert len(lines) == 82
    assert lines[0].startswith("1. Nf3")
    rows = printed(capsys, "live", pgn, "--evaluations", "file", "--follow", "--json").splitlines()
    assert [json.loads(row)["ply"] for row in rows] == list(range(82))


def test_a_move_is_one_line_of_80_characters(
    capsys: pytest.CaptureFixture[str], pgn: Path, calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    rating = Rating("combined", 2200, low=1900, high=2500, decisions=20, games=1)
    later = [
        replace(move, known=Known(20, {"combined": rating}, skill=Quantity(1.05, 0.1, 0.85, 1.25)))
        for move in live.moves[40:]
    ]
    rated = replace(live, moves=(*live.moves[:40], *later), scale="Elo")
    made = ("an engine", "a recipe", "id")
    monkeypatch.setenv("COLUMNS", "80")
    Show(False, False, None, made, calibration).whole(rated)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("too early" in line for line in lines) == 41  # and what that means
    assert sum("2200 (1900-2500)" in line and "1.05" in line for line in lines) == 42
    Show(False, False, None, made, calibration).next(rated)
    followed = capsys.readouterr().out.splitlines()
    assert max(map(len, followed)) <= 80
    assert sum(line.endswith("2200 (1900-2500), c 1.05") for line in followed) == 42
    Show(False, True, None, made, calibration).whole(rated)
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.endswith("decisions,rating_elo,rating_low,rating_high,c,c_low,c_high")
    assert rows[-1].endswith("20,2200.0,1900.0,2500.0,1.05,0.85,1.25")
    assert rows[0].endswith("0,,,,,,")
