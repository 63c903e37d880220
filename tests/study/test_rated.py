"""Whose games are read for a rating."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.rating.files import VARIABLE
from assay.source.stored import WorkspaceSource
from assay.study import Study
from assay.workspace import Workspace


def test_one_player_costs_only_his_games(
    analysed: Path, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the recipe has a calibration; without one, players are rated against each other."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(analysed / "tiny.toml", "tiny.toml")
    shutil.copy(examples / "tournament.pgn", "games.pgn")
    monkeypatch.setattr("assay.study.rated.planned_calibration", lambda *_: True)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    Study("games.pgn", recipe="tiny.toml").rate(players=["Agent 1600", "Agent 2500"])
    some = Workspace("games.pgn.assay").table_analyses.count()
    everything = Workspace(analysed / "games.pgn.assay").table_analyses.count()
    assert 0 < some < everything


@pytest.mark.parametrize(
    ("asked", "alone"),
    [({}, True), ({"prior": "rating"}, True), ({"prior": "pool"}, False), ({"with_results": True}, False)],
)
def test_the_others_are_analysed_where_they_count(
    asked: dict[str, Any], alone: bool, analysed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player alone needs no others; the pool, and results, do."""
    whom: list[Any] = []

    def remember(study: Any, *_: Any, players: Any = None, **others: Any) -> Decisions:
        whom.append(players)
        raise InputError("that is enough")

    monkeypatch.setattr("assay.study.rated.planned_calibration", lambda *_: True)
    monkeypatch.setattr(WorkspaceSource, "decisions", remember)
    monkeypatch.setattr(WorkspaceSource, "iter_decisions", remember)
    with pytest.raises(InputError, match="that is enough"):
        Study(analysed / "games.pgn.assay").rate(players=["Agent 1600"], **asked)
    assert whom == [["Agent 1600"] if alone else None]
