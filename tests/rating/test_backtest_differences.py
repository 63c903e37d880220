"""Paired differences with intervals by players."""

import numpy as np
import pytest

from assay.answers.results import Backtest
from assay.decisions.arrays import Floats
from assay.rating.backtest import backtest
from assay.results.baselines import Constant
from assay.results.games import ResultGames, Rules, splits
from examples.result_games import simulated


def test_a_difference_is_that_of_the_table(found: Backtest) -> None:
    over_all = {row["forecaster"]: row for row in found.errors if row["split"] == "all"}
    for one in found.differences:
        expected = over_all[one.first][one.metric] - over_all[one.second][one.metric]
        assert one.difference == pytest.approx(expected, abs=1e-12)


class Noise(Constant):
    """One half, with errors of its own: per game, or per player and the same in all their games."""

    def __init__(self, name: str, random: np.random.Generator, by_player: bool) -> None:
        self.name, self._random, self._by_player = name, random, by_player

    def forecast(self, games: ResultGames) -> Floats:
        if self._by_player:
            wrong = self._random.normal(0, 0.04, len(games.players))
            return 0.5 + wrong[games.white] - wrong[games.black]
        return 0.5 + self._random.normal(0, 0.05, len(games))


@pytest.mark.parametrize("by_player", [False, True])
def test_intervals_cover_a_difference_that_is_not_there(by_player: bool) -> None:
    """Two forecasters as good as each other: zero lies inside nearly every 95% interval."""
    inside = 0
    for seed in range(30):
        games, _ = simulated(players=60, games=2000, seed=seed)
        random = np.random.default_rng(1000 + seed)  # not the simulation's: it would know the truth
        sets = splits(games, 1, rules=Rules(least_games=5))
        pair = [Noise(name, random, by_player) for name in ("first", "second")]
        inside += sum(one.low <= 0 <= one.high for one in backtest(pair, sets, resamples=300).differences)
    assert inside >= 55  # of 60; 57 expected
