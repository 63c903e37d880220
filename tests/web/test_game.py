from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.depth.agents import AgentsByElo
from assay.web import game as module
from assay.web.game import board_document, chances, game_on_board
from assay.web.reading import Reading
from assay.web.site import Options, Site


@pytest.fixture(scope="module")
def reading(analysed: Path, kitchen: Path) -> Reading:
    return Site(analysed, Options(recipe=str(kitchen / "few.toml"))).reading()


def an_id(reading: Reading, white: str) -> str:
    rows = reading.games.select(["game_id", "white"]).to_pylist()
    return next(str(row["game_id"]) for row in rows if white in row["white"])


def test_every_position_with_its_options(reading: Reading) -> None:
    on_board = game_on_board(reading, an_id(reading, "Byrne"))
    found = board_document(on_board)
    assert len(found["positions"]) == len(on_board.so_far.moves) + 1 == 83
    assert found["positions"][-1].keys() == {"fen"}
    whole: Decisions = reading.workspace.decisions(reading.recipe_id)
    for place in (20, 41):
        here = found["positions"][place]
        assert [one["uci"] for one in here["options"]] == [one for one, _ in whole.options(place)]
        assert here["uci"] in [one["uci"] for one in here["options"]]
        assert here["uci"] == whole.text("played")[place]
        assert 0 <= here["lost"] <= 1
        assert all(0 < one["expectation"] < 1 for one in here["options"])


def test_a_game_that_is_not_rated_can_be_looked_at(reading: Reading) -> None:
    on_board = game_on_board(reading, an_id(reading, "script"))
    found = board_document(on_board)
    assert found["exclusion"] is not None
    assert [one.get("san") for one in found["positions"]] == ["e4", "e5", "Qh5", "Ke7", "Qxe5#", None]
    assert len(on_board.live().moves) == 5


def test_both_players_after_every_move(reading: Reading) -> None:
    live = game_on_board(reading, an_id(reading, "Byrne")).live()
    assert len(live.moves) == 82
    assert live.players[0].startswith("Byrne")
    assert live.moves[-1].measures


class _Scale:
    agents = AgentsByElo(np.array([1500.0, 2800.0]), np.array([[0.9, -1.0, 0.5], [1.4, -2.5, 1.7]]))


def test_how_many_players_would_play_each_option(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    on_board = game_on_board(reading, an_id(reading, "Byrne"))
    with pytest.raises(InputError, match="not known for this engine"):
        chances(on_board, 2000)
    monkeypatch.setattr(module, "find_calibration", lambda _: _Scale())
    best: list[float] = []
    for elo in (1500, 2800):
        found: dict[str, Any] = chances(on_board, elo)
        assert found["elo"] == elo
        for ply, one in found["chances"].items():
            assert sum(one["options"]) + one["others"] == pytest.approx(100, abs=0.7), ply
        best.append(np.mean([one["options"][0] for one in found["chances"].values()]))
    assert best[1] > best[0]  # stronger players find the best move more often
    with pytest.raises(InputError, match="between 1500 and 2800"):
        chances(on_board, 1400)


def test_a_game_that_is_not_there(reading: Reading) -> None:
    with pytest.raises(InputError, match="there is no game"):
        game_on_board(reading, "none")
