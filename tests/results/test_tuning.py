"""Circular search and descent."""

import math

import numpy as np
import pytest

from assay.errors import InputError
from assay.results.ferreira import INITIAL, Beta, BetaObjective, circular_search, descend, tune_beta
from assay.results.games import Rules, Split, splits
from examples.result_games import simulated


def test_circular_search_finds_a_known_minimum() -> None:
    found = circular_search(lambda v: (v[0] - 3.0) ** 2 + (v[1] - 0.2) ** 2, (1.0, 0.5))
    assert found.values == pytest.approx((3.0, 0.2), rel=1e-4)


def test_circular_search_follows_the_paper_step_by_step() -> None:
    seen: list[tuple[float, ...]] = []

    def objective(values: tuple[float, ...]) -> float:
        seen.append(values)
        return abs(values[0] - 1.5)

    found = circular_search(objective, (1.0,), precision=0.25)
    # Up 50% helps; from there 50% down does not; a second circle finds nothing; 25% up and down neither.
    assert seen == [(1.0,), (1.5,), (0.75,), (2.25,), (0.75,), (1.875,), (1.125,)]
    assert found.values == (1.5,)
    assert found.evaluations == len(seen)


def test_a_search_from_nowhere_is_refused() -> None:
    with pytest.raises(InputError, match="cannot start"):
        circular_search(lambda _: math.inf, (1.0,))
    with pytest.raises(InputError, match="precision"):
        circular_search(lambda _: 0.0, (1.0,), precision=0.0)


@pytest.fixture(scope="module")
def sets() -> list[Split]:
    games, _ = simulated(players=60, games=900, months=24)
    return splits(games, 1, rules=Rules(months=4, least_games=5))


def test_tuning_improves_and_reports_the_error_of_its_settings(sets: list[Split]) -> None:
    found = tune_beta(sets, precision=0.3)
    assert found.error < BetaObjective(sets)(tuple(INITIAL))
    assert found.error == pytest.approx(BetaObjective(sets)(found.values), rel=1e-6)


def test_plain_tuning_is_the_circular_search(sets: list[Split]) -> None:
    plain = tune_beta(sets, precision=0.5, plain=True)
    search = circular_search(BetaObjective(sets), tuple(INITIAL), precision=0.5, gain=1e-10)
    assert plain.values == pytest.approx(search.values)


def test_the_descent_goes_down_and_its_residuals_are_the_errors(sets: list[Split]) -> None:
    objective = BetaObjective(sets)
    start = Beta(5.0, 0.4, 2.0, 0.1, 5.0)
    assert objective(tuple(descend(objective, start))) < objective(tuple(start))
    # The sum of squares of the residuals is that of the RMSE: each set's mean square over its root.
    assert np.sum(objective.residuals(start) ** 2) == pytest.approx(objective(tuple(start)), rel=1e-6)


def test_a_descent_that_cannot_fit_gives_way(sets: list[Split], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.results.ferreira._FIT_LIMIT", 1)
    objective = BetaObjective(sets)
    assert descend(objective, INITIAL) == INITIAL
    assert objective(tuple(INITIAL)) == math.inf


def test_settings_outside_the_model_are_never_an_improvement() -> None:
    games, _ = simulated()
    sets = splits(games, 1, rules=Rules(least_games=1))
    assert BetaObjective(sets)((1.0, 1.5, 1.0, 0.5, 1.0)) == math.inf
    assert math.isfinite(BetaObjective(sets)(tuple(Beta(1.0, 0.5, 1.0, 0.5, 1.0))))
