"""Distributions of loss against each other (Alliot 2017, sections 3.3 and 4.3)."""

import numpy as np
import pytest
from scipy.special import erf

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models.covariance import (
    BOUNDS,
    CovarianceModel,
    ResultVector,
    best_bounds,
    best_spline,
    best_tanh,
    class_losses,
    convolved_expectations,
    correlation_surface,
    covariance_with_results,
    fitted_vector,
    indicators,
    statistics,
)
from assay.models.intervals import correlation
from assay.testing import make_decisions
from examples.game_tables import make_games

STEP = ResultVector(b=0.0)
VECTORS = [STEP, ResultVector(), ResultVector("tanh"), ResultVector("spline", knots=(0.6, 0.8, 0.9))]


def some_distributions(count: int, size: int = 9) -> np.ndarray:
    return np.random.default_rng(3).dirichlet(1 / np.arange(1, size + 1), size=count)


def slow_differences(white: Floats, black: Floats, n0: int) -> Floats:
    """R_{W-B}(x) = sum over m of R_W(m) R_B(m + x), convolved n0 times with itself, one by one."""
    n = len(white)
    pair = [sum(white[m] * black[m + x] for m in range(n) if 0 <= m + x < n) for x in range(-n + 1, n)]
    known = np.array(pair)
    for _ in range(n0):
        known = np.convolve(known, pair)
    return known


class TestConvolution:
    @pytest.mark.parametrize("vector", VECTORS, ids=str)
    @pytest.mark.parametrize("n0", [0, 7])
    def test_the_matrix_product_is_every_pair_by_itself(self, vector: ResultVector, n0: int) -> None:
        players = some_distributions(4)
        answer = convolved_expectations(players, players, n0, 0.1, vector)
        pawns = 0.1 * np.arange(-8 * (n0 + 1), 8 * (n0 + 1) + 1)
        for i, white in enumerate(players):
            for j, black in enumerate(players):
                known = slow_differences(white, black, n0) @ vector(pawns)
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


class TestModel:
    def test_win_draw_and_loss_go_with_the_expectation(self) -> None:
        decisions = make_decisions(games=6, plies=60)
        model = CovarianceModel()
        a, b = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
        forecast = model.forecast(a, b)
        assert forecast.win + forecast.draw + forecast.loss == pytest.approx(1)
        assert forecast.expectation == pytest.approx(forecast.win + forecast.draw / 2)


class TestMeanLoss:
    def test_it_is_that_of_the_moves(self) -> None:
        """Whole centipawns, fewer the larger they are: the classes give back the mean that is known."""
        decisions = make_decisions(games=200, plies=120)
        model = CovarianceModel()
        kept, _ = model.select(decisions)
        known = np.minimum(model.measure.of(kept), model.top)
        found = model.estimate(model.profile(decisions))["loss"].value
        assert found == pytest.approx(known.mean(), abs=0.02 * known.mean())
        upper_ends = 10 * np.ceil(known / 10).mean()
        assert abs(upper_ends - known.mean()) > 2 * abs(found - known.mean())

    def test_classes_are_worth_their_middles(self) -> None:
        whole = np.r_[0, np.arange(5.5, 391, 10), 400]
        np.testing.assert_allclose(class_losses("raw"), whole)
        assert class_losses("pondered")[:3].tolist() == [0, 5, 15]


# The best decision bound and vectors for results.


@pytest.fixture(scope="module")
def games() -> Decisions:
    return make_games()


class TestFits:
    def test_the_surface_is_that_of_single_models(self, games: Decisions) -> None:
        surface = correlation_surface(games, [0, 9], [0.0, 1.0, 2.0])
        for row, n0 in enumerate((0, 9)):
            for column, b in enumerate((0.0, 1.0, 2.0)):
                model = CovarianceModel(n0=n0, vector=ResultVector(b=b))
                assert surface[row, column] == pytest.approx(
                    statistics(*indicators(games, model))["correlation"]
                )
        assert best_bounds(surface, [0.0, 1.0, 2.0])[1][1] == surface[1].max()

    def test_longer_games_and_fitted_vectors_go_better_with_results(self, games: Decisions) -> None:
        step = statistics(*indicators(games, CovarianceModel(n0=0, vector=STEP)))
        surface = correlation_surface(games, [0, 20], [0.0, 0.5, 1.0, 2.0, 3.0])
        assert surface[1].max() > step["correlation"]
        k1, k2, a, rho = best_tanh(games)
        fitted = CovarianceModel("pondered", n0=0, k1=k1, k2=k2, vector=ResultVector("tanh", a=a))
        assert statistics(*indicators(games, fitted))["correlation"] == pytest.approx(rho)
        assert rho > step["correlation"]

    def test_the_spline_is_the_best_rising_vector(self, games: Decisions) -> None:
        k1, k2, vector, rho = best_spline(games)
        model = CovarianceModel("pondered", n0=0, k1=k1, k2=k2, vector=vector)
        assert statistics(*indicators(games, model))["correlation"] == pytest.approx(rho)
        for a in (0.3, 1.0, 3.0):
            other = CovarianceModel("pondered", n0=0, k1=k1, k2=k2, vector=ResultVector("tanh", a=a))
            assert rho >= statistics(*indicators(games, other))["correlation"] - 0.01


# Covariance with results as rows, against the fit asked bound by bound.


def test_the_best_bound_of_each_number_of_convolutions() -> None:
    decisions = make_games(games=40)
    rows = covariance_with_results(decisions, [0, 4])
    assert [row["n0"] for row in rows] == [0, 4]
    for row in rows:

        def found(bound: float, n0: int = row["n0"]) -> float:
            return correlation(*indicators(decisions, CovarianceModel(n0=n0, vector=ResultVector(b=bound))))

        assert row["b"] in BOUNDS
        assert row["correlation"] == pytest.approx(found(row["b"]))
        assert row["correlation"] >= np.nanmax([found(bound) for bound in BOUNDS[::8]]) - 1e-9


def test_curves_go_better_with_results_than_the_paper_s() -> None:
    decisions = make_games(games=40)
    paper, tanh = fitted_vector(decisions, "tanh")
    (spline,) = fitted_vector(decisions, "spline")
    assert tanh["correlation"] >= paper["correlation"]
    assert spline["knots"] == sorted(spline["knots"])
    model = CovarianceModel(
        "pondered", n0=0, k1=tanh["k1"], k2=tanh["k2"], vector=ResultVector("tanh", a=tanh["a"])
    )
    assert tanh["correlation"] == pytest.approx(correlation(*indicators(decisions, model)))
