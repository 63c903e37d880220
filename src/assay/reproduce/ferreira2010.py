"""Ferreira 2010: numbers that need the competition's games, which are not ours to give away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.answers.results import Reproduction

if TYPE_CHECKING:
    from assay.results.games import ResultGames

PAPER = "ferreira2010"

TRAINING = "results-2010/training_data.csv"
TEST = "the results of months 101 to 105, which the competition did not publish with its games"


def rows(training: ResultGames | None = None) -> Iterator[Reproduction]:
    """Section 4 from the training games, where they are given; section 5 needs results of the test games."""
    mean = None if training is None else float(training.result.mean())
    games = None if training is None else float(len(training))
    yield Reproduction(
        PAPER, "mean result of White, section 4", 0.5456473952, mean, 5e-11, kind="arithmetic", needs=TRAINING
    )
    yield Reproduction(
        PAPER, "number of training games, section 4", 65_053.0, games, 0, kind="arithmetic", needs=TRAINING
    )
    for equation, error in ((17, 0.695755), (18, 0.694430)):
        item = f"month-aggregated RMSE of Eq. {equation}, section 5"
        yield Reproduction(PAPER, item, error, None, 5e-7, kind="inference", needs=TEST)
