"""The best decision bound and vectors for results."""

import pytest

from assay.decisions.decisions import Decisions
from assay.models.losses.covariance import (
    CovarianceModel,
    ResultVector,
)
from assay.models.losses.covariance_fit import (
    best_bounds,
    best_spline,
    best_tanh,
    correlation_surface,
    indicators,
    statistics,
)
from examples.game_tables import make_games

STEP = ResultVector("step")


@pytest.fixture(scope="module")
def games() -> Decisions:
    return make_games()


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
