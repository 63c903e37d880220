import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.results.metrics import (
    METRICS,
    binomial_deviance,
    brier,
    calibration,
    log_loss,
    month_errors,
    month_rmse,
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


def test_month_rmse_does_not_depend_on_the_order_of_games() -> None:
    games, _ = simulated()
    forecast = np.random.default_rng(0).uniform(size=len(games))
    order = np.random.default_rng(1).permutation(len(games))
    assert month_rmse(games.select(order), forecast[order]) == pytest.approx(month_rmse(games, forecast))


def test_calibration_bins() -> None:
    games, truth = simulated(games=20_000)
    expected = 1 / (1 + np.exp(-(truth[games.white] - truth[games.black] + 0.2)))
    bins = calibration(games, expected)
    assert sum(one.games for one in bins) == len(games)
    assert all(one.low <= one.forecast <= one.high for one in bins)
    assert all(abs(one.result - one.forecast) < 4 * one.error + 0.01 for one in bins)
    assert [one.games for one in calibration(GAMES, np.array([0.0, 1.0, 0.99]))] == [1, 2]
