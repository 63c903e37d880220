"""A forecaster that knows the truth."""

from typing import Self

import numpy as np

from assay.decisions.arrays import Floats
from assay.results.games import ResultGames


class Oracle:
    """Knows the truth; tells what it was given, so that a test can look over its shoulder."""

    name = "oracle"

    def __init__(self, truth: Floats) -> None:
        self._truth = truth
        self.given: list[ResultGames] = []

    def fit(self, games: ResultGames) -> Self:
        self.last_month = games.month.max()
        return self

    def forecast(self, games: ResultGames) -> Floats:
        self.given.append(games)
        assert (games.month > self.last_month).all()
        difference = self._truth[games.white] - self._truth[games.black]
        return 1 / (1 + np.exp(-difference - 0.2))
