"""Forecasters of results by their names."""

import math

import numpy as np
import pytest

from assay.errors import InputError
from assay.results.baselines import NAMES, USUAL, Colour, Forecaster, forecaster
from assay.results.games import ResultGames, Rules, splits
from assay.results.metrics import log_loss
from assay.validation.forecasters import forecasters
from examples.result_games import few

STRANGERS = few((99, "nobody", "someone", math.nan))


@pytest.mark.parametrize("name", NAMES)
def test_every_forecaster_keeps_the_contract(name: str, games: ResultGames) -> None:
    model = forecaster(name)
    assert isinstance(model, Forecaster)
    assert model.name == name
    assert model.fit(games) is model
    forecast = model.forecast(games)
    assert forecast.shape == (len(games),)
    assert ((forecast > 0) & (forecast < 1)).all()
    # Results of the games to forecast are not looked at.
    np.testing.assert_array_equal(forecast, model.forecast(games.without_results()))
    # Strangers are forecast too: even, but for White's advantage.
    assert model.forecast(STRANGERS)[0] == pytest.approx(0.55, abs=0.06)
    with pytest.raises(InputError, match="no games"):
        forecaster(name).fit(games.select(np.zeros(len(games), dtype=bool)))
    with pytest.raises(InputError, match="no result"):
        forecaster(name).fit(games.without_results())


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("constant", "colour")])
def test_every_model_learns_something(name: str, games: ResultGames) -> None:
    split = splits(games, 1, rules=Rules(least_games=5))[0]
    model, colour = forecaster(name), Colour()
    errors = [
        log_loss(split.validation, one.fit(split.training).forecast(split.validation))
        for one in (model, colour)
    ]
    assert errors[0] < errors[1]


def test_names_that_do_not_exist_list_those_that_do() -> None:
    with pytest.raises(InputError, match="choose one of company"):
        forecaster("elo")
    assert [one.name for one in forecasters(USUAL)] == list(USUAL)
