import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decisions.elo import expectation
from assay.results.metrics import (
    METRICS,
    binomial_deviance,
    brier,
    calibration,
    draw_parameter,
    log_likelihood,
    log_loss,
    month_errors,
    month_rmse,
    outcome_probabilities,
    rmse,
)
from examples.result_games import few, simulated

GAMES = few((1, "a", "b", 1), (1, "a", "c", 0.5), (2, "b", "a", 0))


FORECAST = np.array([0.6, 0.5, 0.3])


def test_month_rmse_by_hand() -> None:
    # Month 1: a made 1.5 of 1.1 expected, b 0 of 0.4, c 0.5 of 0.5. Month 2: b made 0 of 0.3, a 1 of 0.7.
    errors = [0.4, -0.4, 0.0, -0.3, 0.3]
    assert month_rmse(GAMES, FORECAST) == pytest.approx(math.sqrt(sum(e * e for e in errors) / 5))
    found = month_errors(GAMES, FORECAST)
    assert sorted(found.error.tolist()) == pytest.approx(sorted(errors))
    assert sorted(found.player.tolist()) == [0, 0, 1, 1, 2]
    assert found.games[found.place].tolist() == [2, 2, 1, 1, 1, 1]


def test_metrics_by_hand() -> None:
    assert brier(GAMES, FORECAST) == pytest.approx((0.16 + 0 + 0.09) / 3)
    assert rmse(GAMES, FORECAST) == pytest.approx(math.sqrt(0.25 / 3))
    entropy = -(math.log(0.6) + math.log(0.5) + math.log(0.7)) / 3
    assert log_loss(GAMES, FORECAST) == pytest.approx(entropy)
    assert binomial_deviance(GAMES, FORECAST) == pytest.approx(entropy / math.log(10))


def test_the_deviance_of_2011_is_clipped() -> None:
    surprise = few((1, "a", "b", 0))
    assert binomial_deviance(surprise, np.array([1.0])) == pytest.approx(2.0)  # -log10(0.01)
    assert math.isfinite(log_loss(surprise, np.array([1.0])))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 0.2))
def test_no_metric_rewards_a_shift_away_from_the_truth(seed: int, shift: float) -> None:
    games, truth = simulated(players=10, games=1000, seed=seed % 50)
    expected = 1 / (1 + np.exp(-(truth[games.white] - truth[games.black] + 0.2)))
    wrong = np.clip(expected + shift + 0.15, 0, 1)
    for metric in METRICS.values():
        assert metric(games, expected) < metric(games, wrong)


def test_calibration_bins() -> None:
    games, truth = simulated(games=20_000)
    expected = 1 / (1 + np.exp(-(truth[games.white] - truth[games.black] + 0.2)))
    bins = calibration(games, expected)
    assert sum(one.games for one in bins) == len(games)
    assert all(one.low <= one.forecast <= one.high for one in bins)
    assert all(abs(one.result - one.forecast) < 4 * one.error + 0.01 for one in bins)
    assert [one.games for one in calibration(GAMES, np.array([0.0, 1.0, 0.99]))] == [1, 2]


# Win, draw and loss at a difference of Elo.

DIFFERENCES = np.arange(-900.0, 901.0, 50.0)


@pytest.mark.parametrize("nu", [0.0, 0.3, 1.0, 2.0, 5.0])
def test_elo_and_davidson_both_hold(nu: float) -> None:
    win, drawn, loss = outcome_probabilities(DIFFERENCES, nu)
    assert min(win.min(), drawn.min(), loss.min()) >= 0
    assert win + drawn + loss == pytest.approx(np.ones(len(DIFFERENCES)))
    assert win + drawn / 2 == pytest.approx(expectation(DIFFERENCES))
    assert drawn**2 == pytest.approx(nu**2 * win * loss)
    # The player's loss is the opponent's win.
    assert loss == pytest.approx(win[::-1])
    middle = len(DIFFERENCES) // 2
    assert drawn[middle] == pytest.approx(nu / (2 + nu))


def test_the_parameter_is_that_of_the_draws_there_are() -> None:
    assert draw_parameter(np.zeros(0)) == pytest.approx(2 * 0.35 / 0.65)
    many = np.repeat([1.0, 0.5, 0.0], [3000, 4000, 3000])
    _, drawn, _ = outcome_probabilities(0.0, draw_parameter(many))
    assert float(drawn) == pytest.approx(0.4, abs=0.001)
    assert draw_parameter(np.ones(5)) > 0.5  # five decisive games do not make draws impossible


def test_likelihoods_of_all_results_add_up_to_one() -> None:
    total = sum(np.exp(log_likelihood(DIFFERENCES, result, 1.2)) for result in (0.0, 0.5, 1.0))
    assert total == pytest.approx(np.ones(len(DIFFERENCES)))
    assert np.isfinite(log_likelihood(np.array([-1e5]), 1.0, 0.0)).all()
