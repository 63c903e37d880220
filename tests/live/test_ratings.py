"""The rating after a move is the one that `rate` has of the game up to there."""

import numpy as np
import pytest

from assay.answers.ratings import Rating, with_combined
from assay.live.ratings import known_after
from assay.rating.calibration import Calibration
from assay.rating.rate import LEAST_DECISIONS, rate_decisions
from examples.milepost_games import milepost_games


def _numbers(rating: Rating) -> tuple[float, float, float]:
    return rating.elo, rating.low, rating.high


def test_after_a_move_it_is_the_rating_of_the_game_so_far(calibration: Calibration) -> None:
    game = milepost_games([2200], seed=31, games=1, games_each=1)
    plies = [20, 45, 69]
    found = known_after(game, plies, calibration)
    assert found[0].combined is None
    assert found[0].decisions < LEAST_DECISIONS
    for ply, known in zip(plies[1:], found[1:], strict=True):
        so_far = game.take(np.arange(ply + 1))
        players, _ = rate_decisions(so_far, calibration, least=1)
        [one] = [player for player in players if player.player == game.text("player")[ply]]
        assert known.decisions == one.decisions
        assert known.ratings.keys() == {*one.ratings, "combined"}
        for name, rating in with_combined(one).items():
            assert _numbers(known.ratings[name]) == pytest.approx(_numbers(rating), abs=0.01)
        assert known.measures == {}
        model = calibration.models["bayes"]
        own = so_far.select(player=one.player)
        assert known.skill == model.estimate(model.profile(own))["c"]
    assert found[0].skill is None
    widths = [known.combined.high - known.combined.low for known in found[1:]]
    assert widths[1] < widths[0]


def test_without_a_calibration_there_are_measures() -> None:
    game = milepost_games([2200], seed=31, games=1, games_each=1)
    early, late = known_after(game, [10, 69], None)
    assert early.measures == {}
    assert late.ratings == {}
    players, _ = rate_decisions(game, None)
    [one] = [player for player in players if player.player == game.text("player")[69]]
    assert late.measures.keys() == one.measures.keys()
    assert all(
        found.value == pytest.approx(one.measures[name].value) for name, found in late.measures.items()
    )
    assert late.skill is not None
    assert late.skill.value == late.measures["bayes"].value
    assert known_after(game, [], None) == []
