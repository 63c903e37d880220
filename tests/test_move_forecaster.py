import math
from pathlib import Path

import pytest

from assay import models
from assay.cli import main
from assay.domain.results import ResultGames
from assay.errors import InputError
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
    assert "mean_rank" in capsys.readouterr().out
    assert main(["backtest", "--games", str(later), *arguments]) == 2


def test_games_without_ids_are_refused() -> None:
    model = MoveForecaster(MeanRankModel(), make_decisions())
    with pytest.raises(InputError, match="reads moves"):
        model.fit(few((1, "Ann", "Bob", 1.0)))
