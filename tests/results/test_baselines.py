import numpy as np
import pytest

from assay.errors import InputError
from assay.results.baselines import Colour, Constant, Elo, Glicko2, new_volatility
from assay.results.games import ResultGames
from examples.result_games import few


def test_constant_and_colour(games: ResultGames) -> None:
    assert set(Constant().fit(games).forecast(games)) == {0.5}
    assert Colour().fit(games).forecast(games)[0] == pytest.approx(games.result.mean())


def test_elo_by_hand() -> None:
    model = Elo("logistic", k=20, initial=1500).fit(
        few((1, "a", "b", 1), (1, "b", "a", 0.5), (2, "a", "b", 0))
    )
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
    model = Glicko2(tau=0.5)
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


def test_volatility_rises_after_a_surprise_and_hardly_moves_without() -> None:
    phi, variance, sigma = np.array([1.0, 1.0]), np.array([2.0, 2.0]), np.array([0.06, 0.06])
    found = new_volatility(np.array([6.0, 0.0]), phi, variance, sigma, 0.5)
    assert found[0] > 0.06
    assert found[1] < 0.06


def test_glicko2_grows_uncertain_over_months_without_games() -> None:
    rows = [(1, "a", "b", 1), (2, "a", "b", 0.5)]
    near = Glicko2().fit(few(*rows, (3, "c", "d", 1)))
    far = Glicko2().fit(few(*rows, (60, "c", "d", 1)))
    assert far.phi_[0] > near.phi_[0]
    with pytest.raises(InputError, match="positive"):
        Glicko2(tau=0)
