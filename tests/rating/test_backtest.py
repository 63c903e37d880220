import numpy as np
import pytest

from assay.answers.results import Backtest
from assay.decisions.arrays import Floats
from assay.errors import InputError
from assay.rating.backtest import backtest
from assay.results.baselines import Colour, Constant, Elo
from assay.results.games import ResultGames, Split
from assay.results.metrics import METRICS
from examples.oracles import Oracle


def test_results_are_hidden_from_forecasters(setting: tuple[list[Split], Floats]) -> None:
    sets, truth = setting
    oracle = Oracle(truth)
    backtest([oracle], sets, resamples=10)
    assert len(oracle.given) == len(sets)
    assert all(np.isnan(games.result).all() for games in oracle.given)


def test_there_is_a_row_for_each_forecaster_and_split_and_one_over_all(found: Backtest) -> None:
    assert len(found.errors) == 4 * (3 + 1)
    for name in ("oracle", "colour"):
        rows = [row for row in found.errors if row["forecaster"] == name]
        assert rows[-1]["split"] == "all"
        for metric in METRICS:
            assert rows[-1][metric] == pytest.approx(np.mean([row[metric] for row in rows[:-1]]))


def test_truth_beats_everything_and_the_interval_says_so(found: Backtest) -> None:
    colour = [one for one in found.differences if one.second == "colour"]
    assert {one.metric for one in colour} == {"log_loss", "month_rmse"}
    assert all(one.low < one.difference < one.high < 0 for one in colour)
    assert all(one.first == "oracle" for one in found.differences)


def test_the_stamp_names_data_versions_and_seed(setting: tuple[list[Split], Floats], found: Backtest) -> None:
    sets, _ = setting
    assert found.stamp["seed"] == 7
    assert set(found.stamp["versions"]) == {"assay", "numpy", "scipy", "python"}
    assert found.stamp["splits"] == [split.label for split in sets]
    other = backtest([Constant()], sets[:1], resamples=10)
    assert other.stamp["digest"] != found.stamp["digest"]


def test_the_same_seed_gives_the_same_intervals(setting: tuple[list[Split], Floats]) -> None:
    sets, _ = setting
    first, second = (backtest([Elo(), Colour()], sets, seed=3, resamples=50) for _ in range(2))
    assert first.differences == second.differences


def test_a_forecaster_that_answers_nonsense_is_refused(setting: tuple[list[Split], Floats]) -> None:
    sets, _ = setting

    class Wild(Constant):
        name = "wild"

        def forecast(self, games: ResultGames) -> Floats:
            return np.full(len(games), 1.5)

    class Short(Constant):
        name = "short"

        def forecast(self, games: ResultGames) -> Floats:
            return np.full(3, 0.5)

    with pytest.raises(InputError, match="not between 0 and 1"):
        backtest([Wild()], sets)
    with pytest.raises(InputError, match="gave 3 forecasts"):
        backtest([Short()], sets)
    with pytest.raises(InputError, match="two forecasters of one name"):
        backtest([Constant(), Constant()], sets)
    with pytest.raises(InputError, match="at least one"):
        backtest([], sets)
