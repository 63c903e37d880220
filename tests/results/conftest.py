"""Games of simulated players for all tests of forecasters."""

import pytest

from assay.results.games import ResultGames
from examples.result_games import simulated


@pytest.fixture(scope="session")
def games() -> ResultGames:
    return simulated(players=20, games=1200)[0]
