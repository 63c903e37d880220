"""The calibration figure of a backtest."""

import numpy as np
import pytest

from assay.figures import files
from assay.rating.backtest import Backtest, backtest
from assay.report.calibration import calibration_figure
from assay.results.baselines import Colour, Elo
from assay.results.games import Rules, splits
from assay.results.metrics import CalibrationBin
from examples.oracles import Oracle
from examples.result_games import simulated


@pytest.fixture(scope="module")
def found() -> Backtest:
    games, truth = simulated(players=30, games=2000, months=20)
    sets = splits(games, 1, rules=Rules(least_games=5))
    return backtest([Oracle(truth), Elo(), Colour()], sets, resamples=10)


def test_the_figure_is_one_file_without_a_network(found: Backtest) -> None:
    figure = calibration_figure(found)
    lines = [line for line in figure.root.iter("polyline") if "stroke" in str(line.get("class"))]
    assert len(lines) == 3
    page = files.page(figure)
    assert "<script" not in page
    assert "oracle" in page
    assert found.stamp["digest"] in page


def test_bins_of_few_games_are_not_drawn() -> None:
    def of(games: int) -> CalibrationBin:
        return CalibrationBin(low=0, high=1, games=games, forecast=0.25, result=0.5, error=0.1)

    bins = {"elo": [of(9), of(10), of(1000)]}
    made = Backtest(rows=[], slices=[], differences=[], calibration=bins)
    text = calibration_figure(made).svg()
    assert "10 games" in text
    assert "1,000 games" in text
    assert "9 games" not in text
    assert np.isclose(float(text.split("expected 0.")[1][:3]), 250)
