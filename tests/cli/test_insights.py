"""The commands about one player: what they ask for is there, and their progress is drawn."""

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.source import DecisionsFile
from examples.pupil_games import pupil_games


def test_progress_is_told_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions: Decisions = pupil_games(6)
    decisions.write(tmp_path / "pupil.parquet")
    dates = {f"game{n}": f"2020-{1 + n:02}-05" for n in range(6)}
    monkeypatch.setattr(DecisionsFile, "dates", lambda self: dates)
    drawn = tmp_path / "progress.svg"
    arguments = ["progress", str(tmp_path / "pupil.parquet"), "-p", "pupil"]
    assert main([*arguments, "--plot", str(drawn), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["periods"]) == 6
    assert found["trend"]["low"] < found["trend"]["a_year"] < found["trend"]["high"]
    assert "Trend: " in drawn.read_text()


def test_a_player_must_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", str(tmp_path)]) == 2
    assert "--player" in capsys.readouterr().err
