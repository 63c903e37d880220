from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from research.evidence.agent import games
from research.evidence.agent.round_robin import LEVELS, ROUNDS, Pairing, RoundRobin, numbers_played, schedule


def test_every_pair_meets_in_each_round_and_colours_change() -> None:
    found = schedule(LEVELS, ROUNDS)
    assert len(found) >= 170
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    pairs = Counter((one.round, frozenset((one.white, one.black))) for one in found)
    assert set(pairs.values()) == {1}
    whites = Counter((one.white, one.black) for one in found)
    assert max(whites.values()) - min(whites.values()) <= 1
    first = [one for one in found if one.round == 1]
    assert 5 <= sum(one.white > one.black for one in first) <= 16


def test_games_and_analyses_are_kept_and_a_run_goes_on_where_it_was(
    tmp_path: Path,
    scripted: Callable[..., EngineConfig],
    recipe: Recipe,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(games, "MOST_PLIES", 8)
    pairings = [Pairing(1, 1, 1500, 1900), Pairing(2, 1, 1900, 1500), Pairing(3, 2, 1500, 1900)]
    folder = tmp_path / "robin"
    robin = RoundRobin(folder, recipe, scripted())
    assert "no calibration of Scripted 1" in robin.caveat
    assert len(list(robin.play(pairings[:2], 2, "Test"))) == 2
    assert numbers_played(robin.pgn) == {1, 2}
    kept = robin.workspace.table_analyses.read(["position_key"])["position_key"].to_pylist()
    assert len(kept) == len(set(kept)) > 8

    again = RoundRobin(folder, recipe, robin.config)
    assert [one.number for one, _ in again.play(pairings, 1, "Test")] == [3]
    assert numbers_played(robin.pgn) == {1, 2, 3}
    more = again.workspace.table_analyses.read(["position_key"])["position_key"].to_pylist()
    assert len(more) == len(set(more)) > len(kept)
    report = again.workspace.import_games(again.pgn)
    assert report.added == 3
    # The searches of the games are the recipe's own: nothing but last positions and single moves is missing.
    backlog = again.workspace.backlog(recipe, engine=robin.config, include=["too_short"])
    assert backlog.wanted > 15
    assert sum(task.depth is None for task in backlog.tasks()) <= 3


def test_a_fault_ends_the_run(tmp_path: Path, scripted: Callable[..., EngineConfig], recipe: Recipe) -> None:
    robin = RoundRobin(tmp_path / "robin", recipe, scripted())
    robin.calibration = None  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        list(robin.play([Pairing(1, 1, 1500, 1900)], 1, "Test"))
