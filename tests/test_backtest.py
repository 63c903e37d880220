from typing import Self

import numpy as np
import pytest

from assay.domain.results import Floats, ResultGames
from assay.errors import InputError
from assay.models.results import ResultsModel
from assay.report.calibration import calibration_figure, calibration_page
from assay.validation.backtest import Backtest, backtest
from assay.validation.baselines import Colour, Constant, Elo
from assay.validation.metrics import METRICS
from assay.validation.splits import Rules, Split, splits
from result_games import simulated


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


@pytest.fixture(scope="module")
def setting() -> tuple[list[Split], Floats]:
    games, truth = simulated(players=60, games=6000, months=40)
    return splits(games, 3, apart=5, rules=Rules(least_games=5)), truth


@pytest.fixture(scope="module")
def found(setting: tuple[list[Split], Floats]) -> Backtest:
    sets, truth = setting
    return backtest([Oracle(truth), ResultsModel(), Elo(), Colour()], sets, seed=7, resamples=400)


def test_results_are_hidden_from_forecasters(setting: tuple[list[Split], Floats]) -> None:
    sets, truth = setting
    oracle = Oracle(truth)
    backtest([oracle], sets, resamples=10)
    assert len(oracle.given) == len(sets)
    assert all(np.isnan(games.result).all() for games in oracle.given)


def test_there_is_a_row_for_each_forecaster_and_split_and_one_over_all(found: Backtest) -> None:
    assert len(found.rows) == 4 * (3 + 1)
    for name in ("oracle", "colour"):
        rows = [row for row in found.rows if row["forecaster"] == name]
        assert rows[-1]["split"] == "all"
        for metric in METRICS:
            assert rows[-1][metric] == pytest.approx(np.mean([row[metric] for row in rows[:-1]]))


def test_truth_beats_everything_and_the_interval_says_so(found: Backtest) -> None:
    colour = [one for one in found.differences if one.second == "colour"]
    assert {one.metric for one in colour} == {"log_loss", "month_rmse"}
    assert all(one.low < one.difference < one.high < 0 for one in colour)
    assert all(one.first == "oracle" for one in found.differences)


def test_a_difference_is_that_of_the_table(found: Backtest) -> None:
    over_all = {row["forecaster"]: row for row in found.rows if row["split"] == "all"}
    for one in found.differences:
        expected = over_all[one.first][one.metric] - over_all[one.second][one.metric]
        assert one.difference == pytest.approx(expected, abs=1e-12)


class Noise(Constant):
    """One half, with errors of its own: per game, or per player and the same in all his games."""

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


def test_slices_cover_all_games(found: Backtest) -> None:
    total = next(row["games"] for row in found.rows if row["split"] == "all")
    for name in ("rating difference", "earlier games", "year"):
        rows = [row for row in found.slices if row["slice"] == name and row["forecaster"] == "oracle"]
        assert sum(row["games"] for row in rows) == total
        assert all("month_rmse" not in row for row in rows)


def test_published_ratings_make_the_slices_where_known(setting: tuple[list[Split], Floats]) -> None:
    games, _ = simulated(players=20, games=800)
    size = len(games)
    rated = ResultGames(
        games.month,
        games.white,
        games.black,
        games.result,
        games.players,
        white_elo=np.full(size, 2600.0),
        black_elo=np.full(size, 2320.0),
    )
    slices = backtest([Constant()], splits(rated, 1, rules=Rules(least_games=1)), resamples=10).slices
    assert [row["value"] for row in slices if row["slice"] == "rating difference"] == ["200 to 400"]


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


def test_the_figure_is_one_file_without_a_network(found: Backtest) -> None:
    assert len(calibration_figure(found).data) == 1 + 4
    page = calibration_page(found)
    assert "<script src=" not in page
    assert "oracle" in page
    assert found.stamp["digest"] in page
