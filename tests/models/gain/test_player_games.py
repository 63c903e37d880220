"""Distributions of gain of every player in every game, against the model on each by itself."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.models import GainModel
from assay.models.gain.player_games import PlayerGames
from assay.testing import make_decisions
from examples.gain_examples import round_robin


def test_every_row_is_one_player_in_one_game() -> None:
    decisions, model = round_robin(games=2), GainModel()
    found = PlayerGames.of(decisions, model)
    ids = np.array(decisions.text("game_id"))
    rows = {}
    for row, player in enumerate(found.player):
        name, opponent = found.players[player], found.players[found.opponent[row]]
        meetings = decisions.select(player=name)
        own = meetings.take(np.flatnonzero(np.array(meetings.text("opponent")) == opponent))
        histograms = [
            model.profile(own.select(game=game)).evidence.ravel()
            for game in dict.fromkeys(own.text("game_id"))
        ]
        mine = np.asarray(found.histograms[[row]].todense()).ravel()
        assert any(np.array_equal(mine, one) for one in histograms)
        rows.setdefault(int(found.game[row]), set()).add(name)
        assert found.events[found.event[row]] == "The Event"
    assert found.n_games == len(set(ids.tolist()))
    assert all(len(players) == 2 for players in rows.values())


def test_results_of_a_game_share_its_point() -> None:
    found = PlayerGames.of(make_decisions(games=5), GainModel())
    for game in range(found.n_games):
        assert found.result[found.game == game].sum() == 1
    assert {found.players[p]: e for p, e in zip(found.player, found.elo, strict=True)} == {
        "Ann": 2400,
        "Bob": 2200,
    }


def test_some_rows_have_games_without_gaps() -> None:
    found = PlayerGames.of(make_decisions(games=5), GainModel())
    some = found.take(np.flatnonzero(np.isin(found.game, [1, 4])))
    assert sorted(set(some.game.tolist())) == [0, 1]
    assert some.n_games == 2
    assert some.histograms.shape[0] == len(some.player) == 4


def test_an_opponent_without_decisions_is_nobody() -> None:
    found = PlayerGames.of(make_decisions(games=3).select(player="Ann"), GainModel())
    assert found.players == ("Ann",)
    assert set(found.opponent.tolist()) == {-1}


def test_nothing_passes_the_rules() -> None:
    decisions = make_decisions(games=1)
    opening = decisions.take(np.flatnonzero(decisions.numbers("ply") < 0))
    with pytest.raises(InputError, match="none of the 0 decisions passes the rules of gain"):
        PlayerGames.of(opening, GainModel())
