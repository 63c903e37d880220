"""Distributions of loss against each other (Alliot 2017, sections 3.3 and 4.3)."""

import numpy as np
import pytest
from scipy.special import erf

from assay.domain.decisions import Decisions
from assay.errors import InputError
from assay.models.covariance import (
    CovarianceModel,
    ResultVector,
    convolved_distribution,
    convolved_expectations,
    difference_distribution,
)
from assay.models.covariance_fit import (
    best_bounds,
    best_spline,
    best_tanh,
    correlation_surface,
    indicators,
    statistics,
)
from decision_tables import make_decisions
from game_tables import make_games

STEP = ResultVector("step")
VECTORS = [STEP, ResultVector(), ResultVector("tanh"), ResultVector("spline", knots=(0.6, 0.8, 0.9))]


@pytest.fixture(scope="module")
def games() -> Decisions:
    return make_games()


def some_distributions(count: int, size: int = 9) -> np.ndarray:
    return np.random.default_rng(3).dirichlet(1 / np.arange(1, size + 1), size=count)


class TestConvolution:
    def test_the_difference_is_the_corrected_sum(self) -> None:
        white, black = some_distributions(2, 5)
        answer = difference_distribution(white, black)
        for x in range(-4, 5):
            known = sum(white[m] * black[m + x] for m in range(5) if 0 <= m + x < 5)
            assert answer[x + 4] == pytest.approx(known)

    @pytest.mark.parametrize("n0", [0, 1, 5])
    def test_powers_are_repeated_convolutions(self, n0: int) -> None:
        white, black = some_distributions(2)
        pair = difference_distribution(white, black)
        known = pair
        for _ in range(n0):
            known = np.convolve(known, pair)
        assert convolved_distribution(white, black, n0) == pytest.approx(known, abs=1e-12)

    @pytest.mark.parametrize("vector", VECTORS, ids=str)
    @pytest.mark.parametrize("n0", [0, 7])
    def test_the_matrix_product_is_every_pair_by_itself(self, vector: ResultVector, n0: int) -> None:
        players = some_distributions(4)
        answer = convolved_expectations(players, players, n0, 0.1, vector)
        pawns = 0.1 * np.arange(-8 * (n0 + 1), 8 * (n0 + 1) + 1)
        for i, white in enumerate(players):
            for j, black in enumerate(players):
                known = convolved_distribution(white, black, n0) @ vector(pawns)
                assert answer[i, j] == pytest.approx(known, abs=1e-9)
        assert answer + answer.T == pytest.approx(np.ones((4, 4)))

    def test_many_pairs_near_the_normal_approximation(self) -> None:
        white, black = some_distributions(2, 12)
        n, step, b = 200, 0.1, 4.0
        x = step * np.arange(12)
        mean = n * (black @ x - white @ x)
        deviation = np.sqrt(n * (black @ x**2 - (black @ x) ** 2 + white @ x**2 - (white @ x) ** 2))
        win = convolved_expectations(white[None], black[None], n - 1, step, lambda d: d > b + 1e-9)[0, 0]
        assert win == pytest.approx((1 - erf((b + step / 2 - mean) / (np.sqrt(2) * deviation))) / 2, abs=0.01)


class TestVector:
    @pytest.mark.parametrize("vector", VECTORS, ids=str)
    def test_vectors_rise_and_are_odd_about_one_half(self, vector: ResultVector) -> None:
        pawns = np.linspace(-6, 6, 121)
        worth = vector(pawns)
        assert (np.diff(worth) >= 0).all()
        assert worth + vector(-pawns) == pytest.approx(np.ones(121))
        assert vector([0.0])[0] == 0.5

    def test_a_spline_goes_through_its_knots(self) -> None:
        assert VECTORS[3]([1, 2, 3, 4, 5]) == pytest.approx([0.6, 0.8, 0.9, 1, 1])

    def test_unknown_vectors_are_refused(self) -> None:
        with pytest.raises(InputError, match="vectors are"):
            ResultVector("cubic")  # type: ignore[arg-type]
        with pytest.raises(InputError, match="knots"):
            ResultVector("spline")


class TestModel:
    def test_win_draw_and_loss_go_with_the_expectation(self) -> None:
        decisions = make_decisions(games=6, plies=60)
        model = CovarianceModel()
        a, b = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
        forecast = model.forecast(a, b)
        assert forecast.win + forecast.draw + forecast.loss == pytest.approx(1)
        assert forecast.expectation == pytest.approx(forecast.win + forecast.draw / 2)

    def test_who_loses_less_is_expected_to_win(self) -> None:
        model = CovarianceModel()
        profile = model.profile(make_decisions(games=6, plies=60))
        better = type(profile)(model.identity, np.array([90.0, 10] + [0] * 39), 100, 3)
        worse = type(profile)(model.identity, np.array([85.0, 10] + [0] * 18 + [5] + [0] * 20), 100, 3)
        assert model.forecast(better, worse).expectation > 0.55
        # Two pawns lost every twentieth move: the bound is passed in long games, and they separate more.
        short = CovarianceModel(n0=0, vector=STEP)
        assert 0.5 < short.forecast(better, worse).expectation < model.forecast(better, worse).expectation

    def test_beta_stretches(self) -> None:
        decisions = make_decisions(games=6, plies=60)
        plain, stretched = CovarianceModel(n0=0), CovarianceModel(n0=0, beta=2.0)
        a, b = (plain.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
        assert stretched.forecast(a, b).expectation - 0.5 == pytest.approx(
            2 * (plain.forecast(a, b).expectation - 0.5)
        )


class TestFits:
    def test_the_surface_is_that_of_single_models(self, games: Decisions) -> None:
        surface = correlation_surface(games, [0, 9], [0.0, 1.0, 2.0])
        for row, n0 in enumerate((0, 9)):
            for column, b in enumerate((0.0, 1.0, 2.0)):
                model = CovarianceModel(n0=n0, vector=ResultVector(b=b))
                assert surface[row, column] == pytest.approx(statistics(*indicators(games, model)).rho)
        assert best_bounds(surface, [0.0, 1.0, 2.0])[1][1] == surface[1].max()

    def test_longer_games_and_fitted_vectors_go_better_with_results(self, games: Decisions) -> None:
        step = statistics(*indicators(games, CovarianceModel(n0=0, vector=STEP)))
        surface = correlation_surface(games, [0, 20], [0.0, 0.5, 1.0, 2.0, 3.0])
        assert surface[1].max() > step.rho
        k1, k2, a, rho = best_tanh(games)
        fitted = CovarianceModel("pondered", n0=0, k1=k1, k2=k2, vector=ResultVector("tanh", a=a))
        assert statistics(*indicators(games, fitted)).rho == pytest.approx(rho)
        assert rho > step.rho

    def test_the_spline_is_the_best_rising_vector(self, games: Decisions) -> None:
        k1, k2, vector, rho = best_spline(games)
        model = CovarianceModel("pondered", n0=0, k1=k1, k2=k2, vector=vector)
        assert statistics(*indicators(games, model)).rho == pytest.approx(rho)
        for a in (0.3, 1.0, 3.0):
            other = CovarianceModel("pondered", n0=0, k1=k1, k2=k2, vector=ResultVector("tanh", a=a))
            assert rho >= statistics(*indicators(games, other)).rho - 0.01
