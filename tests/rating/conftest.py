"""One backtest for all tests of its parts."""

import pytest

from assay.decisions.arrays import Floats
from assay.rating.backtest import Backtest, backtest
from assay.results.baselines import Colour, Elo
from assay.results.ferreira import ResultsModel
from assay.results.games import Rules, Split, splits
from examples.oracles import Oracle
from examples.result_games import simulated


@pytest.fixture(scope="session")
def setting() -> tuple[list[Split], Floats]:
    games, truth = simulated(players=60, games=6000, months=40)
    return splits(games, 3, apart=5, rules=Rules(least_games=5)), truth


@pytest.fixture(scope="session")
def found(setting: tuple[list[Split], Floats]) -> Backtest:
    sets, truth = setting
    return backtest([Oracle(truth), ResultsModel(), Elo(), Colour()], sets, seed=7, resamples=400)
