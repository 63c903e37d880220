import math

import pytest

from assay.domain.results import ResultGames
from assay.errors import InputError
from assay.validation.backtest import backtest
from assay.validation.baselines import Colour, Forecaster
from assay.validation.move_forecaster import MoveForecaster
from assay.validation.splits import Rules, splits
from decision_tables import make_decisions
from result_games import few
from test_model_contract import MeanRankModel

# The games of make_decisions: Ann and Bob change colours, two games a year from 2000.
TRAINING = ResultGames.from_names(
    [12 * 1999 + 1 + 6 * game for game in range(6)],
    ["Ann", "Bob"] * 3,
    ["Bob", "Ann"] * 3,
    [1.0, 0.5, 0.0, 1.0, 0.5, 0.0],
    game_id=tuple(f"game{game}" for game in range(6)),
)


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


def test_it_takes_part_in_a_backtest() -> None:
    model = MoveForecaster(MeanRankModel(), make_decisions())
    assert isinstance(model, Forecaster)
    sets = splits(TRAINING, 1, rules=Rules(months=12, least_games=1))
    found = backtest([model, Colour()], sets, resamples=10)
    assert {row["forecaster"] for row in found.rows} == {"mean_rank", "colour"}


def test_games_without_ids_are_refused() -> None:
    model = MoveForecaster(MeanRankModel(), make_decisions())
    with pytest.raises(InputError, match="reads moves"):
        model.fit(few((1, "Ann", "Bob", 1.0)))
