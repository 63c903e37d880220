import math
from pathlib import Path

import pytest

from assay import models
from assay.cli import main
from assay.domain.profile import Profile
from assay.domain.rating import Forecast
from assay.domain.results import ResultGames
from assay.domain.rules import Rule
from assay.errors import FitError, InputError, MappingError
from assay.models.conformance import ConformanceModel
from assay.models.markov import MarkovModel
from assay.models.registry import methods
from assay.validation.backtest import backtest
from assay.validation.baselines import Colour, Forecaster
from assay.validation.forecasters import forecaster
from assay.validation.move_forecaster import MoveForecaster
from assay.validation.splits import Rules, splits
from assay.workspace import Workspace
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


@pytest.fixture
def _one_more_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "MeanRankModel", MeanRankModel, raising=False)
    monkeypatch.setattr(models, "__all__", [*models.__all__, "MeanRankModel"])


@pytest.mark.usefixtures("_one_more_model")
def test_a_model_of_moves_is_found_by_its_name() -> None:
    assert forecaster("mean_rank", decisions=make_decisions()).name == "mean_rank"
    with pytest.raises(InputError, match="give it a workspace"):
        forecaster("mean_rank")
    with pytest.raises(InputError, match=r"choose one of .*mean_rank"):
        forecaster("nonsense")


@pytest.mark.usefixtures("_one_more_model")
def test_the_command_reads_decisions_from_a_workspace(
    monkeypatch: pytest.MonkeyPatch, examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Workspace, "decisions", lambda self, recipe: make_decisions())
    # The same games twice, the second time a year later: something to learn from, something to forecast.
    text = (examples / "tournament.pgn").read_text()
    later = tmp_path / "games.pgn"
    later.write_text(text + "\n\n" + text.replace('[Date "2026', '[Date "2027'))
    workspace = tmp_path / "w.assay"
    assert main(["import", str(later), "-w", str(workspace)]) == 0
    arguments = ["--sets", "1", "--least-games", "1", "--models", "mean_rank,colour"]
    assert main(["backtest", "--games", str(workspace), *arguments]) == 0
    assert "games forecast by colour alone" in capsys.readouterr().out
    assert main(["backtest", "--games", str(later), *arguments]) == 2


def test_every_method_of_the_registry_takes_part_or_says_why_not() -> None:
    sets = splits(TRAINING, 1, rules=Rules(months=12, least_games=1))
    decisions = make_decisions(plies=80)
    every = [forecaster(name, decisions=decisions) for name in methods()]
    found = backtest([*every, Colour()], sets, resamples=10)
    assert list(found.unable) == ["bayes"]
    assert "Elo mapping" in found.unable["bayes"]
    able = {row["forecaster"] for row in found.rows}
    assert able == {*methods(), "colour"} - {"bayes"}
    with pytest.raises(MappingError, match="Elo mapping"):
        backtest([forecaster("bayes", decisions=decisions)], sets, resamples=10)


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
