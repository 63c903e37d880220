"""Games by results for tests: simulated, with known truth."""

import numpy as np

from assay.domain.results import Floats, ResultGames


def simulated(
    players: int = 30, games: int = 1500, months: int = 24, seed: int = 1, white: float = 0.2
) -> tuple[ResultGames, Floats]:
    """Games in order of months, and the true log strengths; draws are common, as in chess."""
    random = np.random.default_rng(seed)
    truth = random.normal(0.0, 0.7, players)
    pair = np.array([random.choice(players, 2, replace=False) for _ in range(games)])
    expectation = 1.0 / (1.0 + np.exp(-(truth[pair[:, 0]] - truth[pair[:, 1]] + white)))
    # Two coins with the same odds: their mean is 0, 0.5 or 1 and has the right expectation.
    result = random.binomial(2, expectation) / 2.0
    month = np.sort(random.integers(1, months + 1, games))
    names = tuple(f"player {index:03}" for index in range(players))
    return ResultGames(month, pair[:, 0], pair[:, 1], result, names), truth


def few(*rows: tuple[int, str, str, float]) -> ResultGames:
    """Games written out: month, White, Black, result."""
    month, white, black, result = zip(*rows, strict=True)
    return ResultGames.from_names(month, white, black, result)
