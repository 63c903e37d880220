import math

import pytest

from assay.answers.ratings import Forecast
from assay.decisions.profile import Profile
from assay.decisions.rules import Rule
from assay.errors import FitError, InputError
from assay.models.conformance import ConformanceModel
from assay.models.markov import MarkovModel
from assay.rating.backtest import MoveForecaster, backtest
from assay.results.baselines import Colour, Forecaster
from assay.results.games import Rules, splits
from assay.testing import make_decisions
from examples.mean_rank import MeanRankModel
from examples.result_games import TRAINING, few


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
    assert {row["forecaster"] for row in found.errors} == {"mean_rank", "colour"}


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
