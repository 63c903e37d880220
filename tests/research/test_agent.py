"""Agents against each other, and whether ratings give their Elo back."""

import dataclasses
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import chess
import numpy as np
import pytest

from assay.agent.thinking import Thinker
from assay.decisions.elo import expectation
from assay.engine.engines import EngineConfig
from assay.engine.recipe import NAMED, Recipe
from assay.errors import InputError
from assay.models.depth.agents import DepthAgent
from research.evidence import agent
from research.evidence.agent import (
    LEVELS,
    RESIGN_AFTER,
    ROUNDS,
    Pairing,
    RoundRobin,
    _settled,
    by_level,
    closed_loop,
    covered,
    numbers_played,
    play_game,
    results_of,
    schedule,
    slope,
    slope_interval,
)


@pytest.fixture
def recipe() -> Recipe:
    """Three lines are enough to be told apart."""
    return dataclasses.replace(NAMED["standard"], lines=3)


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
    monkeypatch.setattr(agent, "MOST_PLIES", 8)
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


def row(reference: float | None, elo: float, width: float) -> dict[str, object]:
    combined = {"elo": elo, "low": elo - width, "high": elo + width}
    return {"player": "Ann", "reference": reference, "combined": combined}


def test_errors_and_coverage_by_level() -> None:
    rated = {"players": [row(1500, 1560, 50), row(1500, 1480, 50), row(2000, 2010, 50), row(None, 1, 1)]}
    rows = [line.strip("| ").split(" | ") for line in by_level(covered(rated)).splitlines()[2:]]
    assert rows[0][:3] == ["1500", "2", "+20"]
    assert rows[0][4:] == [f"{np.sqrt((60**2 + 20**2) / 2):.0f}", "100", "50.0%"]
    assert rows[1][-1] == "100.0%"
    assert (rows[2][0], rows[2][1], rows[2][-1]) == ("all", "3", "66.7%")
    with pytest.raises(InputError, match="no row"):
        covered({"players": [row(None, 1, 1), {"reference": 1500, "combined": None}]})


@pytest.mark.parametrize("truth", [0.5, 1.0, 1.6])
def test_the_slope_of_results_is_found(truth: float) -> None:
    rng = np.random.default_rng(5)
    ahead = rng.choice([-600, -400, -200, 200, 400], 4000).astype(float)
    won = (rng.random(4000) < expectation(truth * ahead)).astype(float)
    games = np.stack((ahead, won), axis=1)
    assert slope(games) == pytest.approx(truth, abs=0.12)
    low, high = slope_interval(games, resamples=60)
    assert low < truth < high


def test_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = tmp_path / "games.pgn"
    tags = '[White "A"]\n[Black "B"]\n[WhiteElo "1900"]\n[BlackElo "1500"]\n[Result "{}"]\n\n1. e4 {}\n\n'
    games.write_text("".join(tags.format(one, one) for one in ("1-0", "1/2-1/2", "*", "0-1", "1-0")))
    assert results_of(games).tolist() == [[400, 1], [400, 0.5], [400, 0], [400, 1]]
    rated = tmp_path / "rated.json"
    rated.write_text(json.dumps({"players": [row(1500, 1560, 100), row(1900, 1800, 50)]}))
    closed_loop([str(rated), str(games)])
    printed = capsys.readouterr().out
    assert "| 1500 | 1 | +60 |" in printed
    assert "| all | 2 | -20 |" in printed
    assert "4 games" in printed
    (tmp_path / "none.pgn").write_text("")
    with pytest.raises(InputError, match="no game"):
        results_of(tmp_path / "none.pgn")


AGENT = DepthAgent(3.0, 0.2, 1.0)


def test_the_same_seed_plays_the_same_game(scripted: Callable[..., EngineConfig], recipe: Recipe) -> None:
    thinker = Thinker(recipe, scripted(), {})
    fen = "8/5k2/8/8/8/8/8/3BKN2 w - - 80 60"
    games = [
        play_game(thinker, AGENT, AGENT, seed=seed, number=1, fen=fen, to_the_end=True) for seed in (1, 1, 2)
    ]
    thinker.close()
    assert games[0] == games[1]
    assert games[0].moves != games[2].moves
    board = chess.Board(fen)
    for move in games[0].moves:
        board.push_uci(move)
    assert games[0].result in ("1-0", "0-1", "1/2-1/2")


def test_a_lost_game_is_given_up_by_the_side_that_loses() -> None:
    lost = [1200, -1150] * RESIGN_AFTER
    assert _settled(lost, chess.WHITE) == ("1-0", "given up")  # Black moved last, and was losing
    assert _settled([-1150, 1200] * RESIGN_AFTER, chess.WHITE) is None
    assert _settled([1200, -1150] * (RESIGN_AFTER - 1), chess.WHITE) is None
    assert _settled([*lost[:-1], -900], chess.WHITE) is None


def test_a_draw_is_agreed_late_in_level_games_only() -> None:
    assert _settled([10, -10] * 40, chess.WHITE) == ("1/2-1/2", "agreed")
    assert _settled([10, -10] * 30, chess.WHITE) is None
    assert _settled([10, -10] * 39 + [30, -30], chess.WHITE) is None
