"""Forecasters of results by their names."""

import importlib
import math
from types import ModuleType

import numpy as np
import pytest

from assay.errors import InputError
from assay.results.baselines import (
    NAMES,
    USUAL,
    Colour,
    Elo,
    Forecaster,
    Glicko2,
    forecaster,
    strengths,
)
from assay.results.ferreira import SUBMITTED
from assay.results.games import ResultGames, Rules, splits
from assay.results.metrics import log_loss
from examples.result_games import few, simulated

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


@pytest.mark.parametrize("name", USUAL)
def test_the_order_of_games_does_not_matter(name: str) -> None:
    games, _ = simulated(players=10, games=120, months=12)
    order = np.random.default_rng(1).permutation(len(games))
    forecasts = (forecaster(name).fit(given).forecast(games) for given in (games, games.select(order)))
    np.testing.assert_allclose(*forecasts, atol=1e-5)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("constant", "colour")])
def test_every_model_learns_something(name: str, games: ResultGames) -> None:
    split = splits(games, 1, rules=Rules(least_games=5))[0]
    model, colour = forecaster(name), Colour()
    error, of_colour = (
        log_loss(split.validation, learner.fit(split.training).forecast(split.validation))
        for learner in (model, colour)
    )
    assert error < of_colour


def test_names_that_do_not_exist_list_those_that_do() -> None:
    with pytest.raises(InputError, match="choose one of company"):
        forecaster("elo")
    assert [forecaster(name).name for name in USUAL] == list(USUAL)


def test_elo_by_hand() -> None:
    model = Elo("logistic", k=20).fit(few((1, "a", "b", 1), (1, "b", "a", 0.5), (2, "a", "b", 0)))
    advantage = model.advantage_
    assert advantage == pytest.approx(0.0, abs=1e-9)  # White made half the points
    # Month 1: a wins and draws from even ratings; month 2 starts from 1510 against 1490 and a loses.
    expected = 1 / (1 + 10 ** (-20 / 400))
    assert model.rating_.tolist() == pytest.approx([1510 - 20 * expected, 1490 + 20 * expected])


def test_the_curves_of_elo() -> None:
    difference = np.array([0.0, 200.0, 400.0])
    np.testing.assert_allclose(Elo("logistic").expectation(difference), [0.5, 0.7597, 0.9091], atol=1e-4)
    np.testing.assert_allclose(Elo("normal").expectation(difference), [0.5, 0.7602, 0.9214], atol=1e-4)
    with pytest.raises(InputError, match="curve"):
        Elo("cubic")
    with pytest.raises(InputError, match="K of Elo"):
        Elo(k=0)


def test_glicko2_gives_glickmans_example() -> None:
    """The worked example of Glickman 2013: 1464.06, 151.52, 0.05999."""
    games = few((1, "player", "first", 1), (1, "player", "second", 0), (1, "third", "player", 1))
    model = Glicko2()
    model.fit(games)  # for the names; then the example's own ratings
    scale = 173.7178
    code = {name: index for index, name in enumerate(games.players)}
    model.advantage_ = 0.0
    model.mu_, model.phi_, model.sigma_ = np.zeros(4), np.zeros(4), np.full(4, 0.06)
    for name, rating, deviation in (
        ("player", 1500, 200),
        ("first", 1400, 30),
        ("second", 1550, 100),
        ("third", 1700, 300),
    ):
        model.mu_[code[name]] = (rating - 1500) / scale
        model.phi_[code[name]] = deviation / scale
    model._rate(games)
    at = code["player"]
    assert 1500 + scale * model.mu_[at] == pytest.approx(1464.06, abs=0.02)
    assert scale * model.phi_[at] == pytest.approx(151.52, abs=0.01)
    assert model.sigma_[at] == pytest.approx(0.05999, abs=1e-5)


def test_glicko2_grows_uncertain_over_months_without_games() -> None:
    rows = [(1, "a", "b", 1), (2, "a", "b", 0.5)]
    near = Glicko2().fit(few(*rows, (3, "c", "d", 1)))
    far = Glicko2().fit(few(*rows, (60, "c", "d", 1)))
    assert far.phi_[0] > near.phi_[0]


# Forecasters of other packages.


@pytest.mark.parametrize("name", ["bradley-terry", "trueskill-through-time", "whole-history"])
def test_a_missing_package_says_how_to_install_it(
    name: str, games: ResultGames, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(package: str) -> ModuleType:
        raise ModuleNotFoundError(package)

    monkeypatch.setattr("assay.results.baselines.import_module", missing)
    assert importlib.import_module("numpy") is np
    with pytest.raises(InputError, match=r"pip install "):
        forecaster(name).fit(games)


# Everyone's strength after the last game.


@pytest.mark.parametrize(("model", "column"), [("ferreira2010", "strength"), ("company", "rating")])
def test_strongest_first(model: str, column: str) -> None:
    games, _ = simulated(players=12, games=600, months=12)
    fitted = strengths(games, model, SUBMITTED)
    rows = fitted.rows()
    assert fitted.to_dict()["games"] == len(games)
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    values = [row[column] for row in rows]
    assert values == sorted(values, reverse=True)
    assert sum(row["games"] for row in rows) == 2 * len(games)
