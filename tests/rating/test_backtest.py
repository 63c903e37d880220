"""Forecasters of results and of moves against each other on later games."""

import math
from pathlib import Path

import numpy as np
import pytest

from assay.answers.ratings import Forecast
from assay.answers.results import Backtest
from assay.cli import main
from assay.decisions.arrays import Floats
from assay.decisions.profile import Profile
from assay.decisions.rules import Rule
from assay.errors import FitError, InputError, MappingError
from assay.models.conformance import ConformanceModel
from assay.models.markov import MarkovModel
from assay.models.registry import methods
from assay.rating.backtest import MoveForecaster, backtest, forecasters
from assay.results.baselines import Colour, Constant, Elo
from assay.results.ferreira import ResultsModel
from assay.results.games import ResultGames, Rules, Split, splits
from assay.results.metrics import METRICS
from assay.testing import make_decisions
from assay.workspace import Workspace
from examples import SIMULATED
from examples.mean_rank import MeanRankModel
from examples.oracles import Oracle
from examples.packages import install_package
from examples.result_games import TRAINING, few, simulated


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


# Paired differences with intervals by players.


def test_a_difference_is_that_of_the_table(found: Backtest) -> None:
    over_all = {row["forecaster"]: row for row in found.errors if row["split"] == "all"}
    for one in found.differences:
        expected = over_all[one.first][one.metric] - over_all[one.second][one.metric]
        assert one.difference == pytest.approx(expected, abs=1e-12)


class Noise(Constant):
    """One half, with errors of its own: per game, or per player and the same in all their games."""

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


# Forecasters of results and of moves by their names.


@pytest.fixture
def _one_more_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(install_package(tmp_path / "package")))


@pytest.mark.usefixtures("_one_more_model")
def test_a_model_of_moves_is_found_by_its_name() -> None:
    assert forecasters(["mean_rank"], decisions=make_decisions())[0].name == "mean_rank"
    with pytest.raises(InputError, match="give it a workspace"):
        forecasters(["mean_rank"])
    with pytest.raises(InputError, match=r"choose one of .*mean_rank"):
        forecasters(["nonsense"])


@pytest.mark.usefixtures("_one_more_model")
def test_the_command_reads_decisions_from_a_workspace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Workspace, "recipe_id", lambda self, recipe: recipe or "the only one used here")
    decisions = {"the only one used here": make_decisions()}
    monkeypatch.setattr(Workspace, "decisions", lambda self, recipe: decisions[recipe])
    # The same games twice, the second time a year later: something to learn from, something to forecast.
    text = SIMULATED.read_text()
    later = tmp_path / "games.pgn"
    later.write_text(text + "\n\n" + text.replace('[Date "2026', '[Date "2027'))
    workspace = tmp_path / "w.assay"
    assert main(["import", str(later), "-w", str(workspace)]) == 0
    arguments = ["--sets", "1", "--least-games", "1", "--models", "mean_rank,colour"]
    assert main(["backtest", str(workspace), *arguments]) == 0
    assert "games forecast by colour alone" in capsys.readouterr().out
    assert main(["backtest", str(later), *arguments]) == 2


def test_every_method_of_the_registry_takes_part_or_says_why_not() -> None:
    sets = splits(TRAINING, 1, rules=Rules(months=12, least_games=1))
    decisions = make_decisions(plies=80)
    every = forecasters(list(methods()), decisions=decisions)
    found = backtest([*every, Colour()], sets, resamples=10)
    assert list(found.unable) == ["bayes", "choice"]
    assert "Elo mapping" in found.unable["bayes"]
    able = {row["forecaster"] for row in found.errors}
    assert able == {*methods(), "colour"} - {"bayes", "choice"}
    with pytest.raises(MappingError, match="Elo mapping"):
        backtest(forecasters(["bayes"], decisions=decisions), sets, resamples=10)


def test_profiles_come_from_training_games_only() -> None:
    decisions = make_decisions()
    first = TRAINING.select(TRAINING.month < TRAINING.month[3])
    model = MoveForecaster(MeanRankModel(), decisions).fit(first)
    expected = MeanRankModel().profile(decisions.select(player="Ann", game=["game0", "game1", "game2"]))
    assert model.profiles_["Ann"].equals(expected)


def test_forecasts_are_the_models_with_whites_advantage() -> None:
    decisions = make_decisions()
    model = MoveForecaster(MeanRankModel(), decisions).fit(TRAINING)
    profiles = [MeanRankModel().profile(decisions.select(player=name)) for name in ("Ann", "Bob")]
    even = MeanRankModel().forecast(*profiles).expectation
    forecast = model.forecast(few((30_000, "Ann", "Bob", math.nan)))
    odds = even / (1 - even) * model.white_mean_ / (1 - model.white_mean_)
    assert forecast[0] == pytest.approx(odds / (1 + odds))
    assert model.covered_ == 1.0


def test_players_without_analyses_are_forecast_by_colour() -> None:
    model = MoveForecaster(MeanRankModel(), make_decisions()).fit(TRAINING)
    games = few((30_000, "Ann", "Cid", math.nan), (30_000, "Ann", "Bob", math.nan))
    assert model.forecast(games)[0] == pytest.approx(TRAINING.result.mean())
    assert model.covered_ == 0.5


class Unreadable(MeanRankModel):
    """Asks more of decisions than these have."""

    def rules(self) -> tuple[Rule, ...]:
        raise InputError("these decisions have no traces")


def test_a_method_that_cannot_read_the_decisions_does_not_end_the_run() -> None:
    sets = splits(TRAINING, 1, rules=Rules(months=12, least_games=1))
    found = backtest([MoveForecaster(Unreadable(), make_decisions()), Colour()], sets, resamples=10)
    assert found.unable == {"mean_rank": "these decisions have no traces"}


def test_the_prior_is_learned_anew_from_each_training_set() -> None:
    decisions = make_decisions(plies=80)
    model = MarkovModel()
    reader = MoveForecaster(model, decisions)
    for games in (TRAINING, TRAINING.select(TRAINING.month < TRAINING.month[3])):
        reader.fit(games)
        profiles = [
            MarkovModel().profile(decisions.select(player=name, game=list(games.game_id)))
            for name in ("Ann", "Bob")
        ]
        learned, known = reader.model_, MarkovModel().learn(profiles)
        assert isinstance(learned, MarkovModel)
        assert learned.prior_ is not None
        assert known.prior_ is not None
        assert (learned.prior_.rows == known.prior_.rows).all()
    assert model.prior_ is None


def test_whites_advantage_is_not_added_twice() -> None:
    games = few((30_000, "Ann", "Bob", math.nan), (30_000, "Bob", "Ann", math.nan))
    plain, advantaged = ConformanceModel(), ConformanceModel()
    plain.alpha_, advantaged.alpha_ = 0.0, 0.2
    forecasts = [
        MoveForecaster(model, make_decisions(plies=80)).fit(TRAINING).forecast(games)
        for model in (plain, advantaged)
    ]
    assert forecasts[0] == pytest.approx(forecasts[1])
    assert forecasts[0][0] != pytest.approx(forecasts[0][1])


class Unfit(MeanRankModel):
    """Finds no fit for any pair."""

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        raise FitError("no fit for these")


def test_a_pair_without_a_fit_is_counted_and_forecast_by_colour() -> None:
    model = MoveForecaster(Unfit(), make_decisions())
    sets = splits(TRAINING, 1, rules=Rules(months=12, least_games=1))
    found = backtest([model], sets, resamples=10)
    games = len(sets[0].validation)
    assert (model.covered_, model.unfitted_) == (0.0, games)
    assert found.unable == {}
    assert found.notes[0].startswith(f"mean_rank: {games} of {games} games forecast by colour alone, {games}")


def test_games_without_ids_are_refused() -> None:
    model = MoveForecaster(MeanRankModel(), make_decisions())
    with pytest.raises(InputError, match="reads moves"):
        model.fit(few((1, "Ann", "Bob", 1.0)))


# Metrics by slices of games.


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
