"""Metrics by slices of games."""

import numpy as np

from assay.answers.results import Backtest
from assay.decisions.arrays import Floats
from assay.rating.backtest import backtest
from assay.results.baselines import Constant
from assay.results.games import ResultGames, Rules, Split, splits
from examples.result_games import simulated


def test_slices_cover_all_games(found: Backtest) -> None:
    total = next(row["games"] for row in found.errors if row["split"] == "all")
    for name in ("rating difference", "earlier games", "year"):
        rows = [row for row in found.slices if row["slice"] == name and row["forecaster"] == "oracle"]
        assert sum(row["games"] for row in rows) == total
        assert all("month_rmse" not in row for row in rows)


def test_published_ratings_make_the_slices_where_known(setting: tuple[list[Split], Floats]) -> None:
    games, _ = simulated(players=20, games=800)
    size = len(games)
    rated = ResultGames(
        month=games.month,
        white=games.white,
        black=games.black,
        result=games.result,
        players=games.players,
        white_elo=np.full(size, 2600.0),
        black_elo=np.full(size, 2320.0),
    )
    slices = backtest([Constant()], splits(rated, 1, rules=Rules(least_games=1)), resamples=10).slices
    assert [row["value"] for row in slices if row["slice"] == "rating difference"] == ["200 to 400"]
