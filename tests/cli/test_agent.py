"""`assay agent`, as a user types it."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from examples.commands import document, exit_code, printed, sentence


def test_explain_prints_probabilities(
    capsys: pytest.CaptureFixture[str], scripted: Callable[..., EngineConfig]
) -> None:
    options = ["agent", "--explain", "startpos", "--elo", 1900, "--engine", scripted().path]
    out = " ".join(printed(capsys, *options).split())
    assert "1900 1500 2000 2500" in out
    assert "other moves" in out
    assert "No calibration of Scripted 1" in out
    moves = document(capsys, *options)["moves"]
    assert len(moves) == 20
    assert sum(one["probability"]["1900"] for one in moves) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--explain", "banana"], "this is no position"),
        (["--explain", "startpos", "--elo", "1200"], "1500 to 2800"),
        (["--player", "Tal"], "go with --save"),
        (["--save", "tal.npz"], "needs a workspace, GAMES, and --player"),
        (["nowhere", "--save", "tal.npz", "--player", "Tal"], "nowhere"),
    ],
)
def test_wrong_use_is_one_sentence(
    capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert words in sentence(capsys, "agent", *options)


def test_without_options_it_speaks_uci_with_the_engine_that_is_named(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    scripted: Callable[..., EngineConfig],
) -> None:
    monkeypatch.setattr("assay.agent.main._read_and_leave", lambda loop, lines: loop.read(lines))
    monkeypatch.setattr(sys, "stdin", io.StringIO("uci\nisready\n"))
    assert exit_code("agent", "--engine", scripted().path, "--recipe", "quick") == 0
    out = capsys.readouterr().out
    assert out.endswith("readyok\n")
    assert "no calibration of Scripted 1 with quick" in out


def test_a_players_profile_is_saved_for_the_engine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, shared_data: Callable[[str], Path]
) -> None:
    path = tmp_path / "player.npz"
    games = shared_data("analysed/mileposts-standard")
    assert "200 decisions or more" in sentence(capsys, "agent", games, "--save", path, "--player", "Anand")
    assert not path.exists()
