import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest

from assay.decisions.elo import expectation
from assay.engine.engines import EngineConfig, find_engine
from assay.engine.recipe import Recipe
from assay.workspace import Workspace
from research.evidence.agent import games
from research.evidence.agent.likeness_page import BANDS
from research.evidence.agent.limited import (
    LimitedMatches,
    ahead,
    foreseen,
    foreseen_page,
    limited_name,
    page,
    results_of,
    schedule,
)
from research.evidence.agent.round_robin import name_of


def test_so_many_games_at_each_level_with_colours_in_turn() -> None:
    found = schedule((1500, 1900), 4)
    assert [one.number for one in found] == list(range(1, 9))
    assert [one.white for one in found] == [1500] * 4 + [1900] * 4


def test_the_interval_holds_the_true_difference() -> None:
    """Matches of 24 games without draws, at known differences."""
    rng = np.random.default_rng(3)
    inside = 0
    for true in (-200, 0, 150, 400) * 100:
        played = (rng.random(24) < expectation(true)).astype(float)
        middle, low, high = ahead(played)
        assert low < middle < high
        inside += low <= true <= high
    assert inside / 400 == pytest.approx(0.95, abs=0.025)


def test_points_are_those_of_the_limited_engine_whatever_its_colour(tmp_path: Path) -> None:
    text = ""
    for white, black, result in (
        ("Agent 1500", "Stockfish at 1500", "0-1"),
        ("Stockfish at 1500", "Agent 1500", "1-0"),
        ("Agent 1900", "Stockfish at 1900", "1/2-1/2"),
    ):
        elo = white[-4:]
        text += (
            f'[White "{white}"]\n[Black "{black}"]\n[WhiteElo "{elo}"]\n[Result "{result}"]\n\n{result}\n\n'
        )
    path = tmp_path / "games.pgn"
    path.write_text(text)
    found = results_of(path)
    assert {level: own.tolist() for level, own in found.items()} == {1500: [1.0, 1.0], 1900: [0.5]}
    assert "| 1500 | 2 | 2 of 2 |" in page(found)


@pytest.mark.engine
def test_it_is_asked_for_the_moves_of_people(
    shared_data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("research.evidence.agent.limited.NODES", 500)
    workspace = Workspace(shared_data("analysed/mileposts-standard"))
    decisions = workspace.decisions(workspace.recipe_id(None), trace=True)
    some = decisions.take(np.flatnonzero(decisions.codes("game_id") % 6 == 0))
    found = foreseen(some, 6, find_engine())
    assert set(found) == set(BANDS)
    assert all(set(same.tolist()) <= {0.0, 1.0} and len(same) == 6 for same in found.values())
    assert foreseen_page({(1500, 1700): np.array([1.0, 0.0, 0.0, 0.0])}).endswith(
        "| 1500 to 1700 | 4 | 25.0 (-17.4 to 67.4) |"
    )


@pytest.mark.engine
def test_both_play_and_are_named(tmp_path: Path, recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MOST_PLIES", 6)
    monkeypatch.setattr("research.evidence.agent.limited.NODES", 2000)
    matches = LimitedMatches(tmp_path / "m", replace(recipe, nodes=2000), EngineConfig(), seed=1)
    played = list(matches.play(schedule((1900,), 2), 1, "Test"))
    assert [len(one.moves) for _, one in played] == [6, 6]
    first, second = (chess.pgn.read_headers(file) for file in [io.StringIO(matches.pgn.read_text())] * 2)
    assert first is not None
    assert second is not None
    assert (first["White"], first["Black"]) == (name_of(1900), limited_name(1900))
    assert (second["White"], second["Black"]) == (limited_name(1900), name_of(1900))
