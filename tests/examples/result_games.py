"""Games by results for tests: simulated, with known truth."""

from pathlib import Path

import numpy as np

from assay.decisions.arrays import Floats
from assay.results.competition import COLUMNS
from assay.results.games import ResultGames


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
    return ResultGames(month=month, white=pair[:, 0], black=pair[:, 1], result=result, players=names), truth


def few(*rows: tuple[int, str, str, float]) -> ResultGames:
    """Games written out: month, White, Black, result."""
    month, white, black, result = zip(*rows, strict=True)
    return ResultGames.from_names(month, white, black, result)


# The games of make_decisions: Ann and Bob change colours, two games a year from 2000.
TRAINING = ResultGames.from_names(
    [12 * 1999 + 1 + 6 * game for game in range(6)],
    ["Ann", "Bob"] * 3,
    ["Bob", "Ann"] * 3,
    [1.0, 0.5, 0.0, 1.0, 0.5, 0.0],
    game_id=tuple(f"game{game}" for game in range(6)),
)

HEADER = ",".join(f'"{column}"' for column in COLUMNS)
"""The first line of a file of the competition of 2010."""


def write_competition(path: Path, games: ResultGames, *, results: bool = True) -> Path:
    """A file in the competition's format, with the results or without."""
    lines = [
        f"{month},{white + 1},{black + 1},{result if results else ''}"
        for month, white, black, result in zip(
            games.month, games.white, games.black, games.result.tolist(), strict=True
        )
    ]
    path.write_text("\n".join([HEADER, *lines, ""]))
    return path
