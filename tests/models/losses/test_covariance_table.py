"""Covariance with results as rows, against the fit asked bound by bound."""

import numpy as np
import pytest

from assay.models.losses.covariance import CovarianceModel, ResultVector
from assay.models.losses.covariance_fit import indicators
from assay.models.losses.covariance_table import BOUNDS, covariance_with_results, fitted_vector
from assay.models.outcomes import correlation, fit_line
from examples.game_tables import make_games


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


def test_the_line_is_that_of_the_indicators() -> None:
    decisions = make_games(games=40)
    (row,) = covariance_with_results(decisions, [3])
    indicator, result = indicators(decisions, CovarianceModel(n0=3, vector=ResultVector(b=row["b"])))
    assert (row["alpha"], row["beta"]) == pytest.approx(fit_line(indicator, result))
    assert row["mean"] == pytest.approx(float(np.mean(indicator)))


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
