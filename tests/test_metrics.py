import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.models.results import INITIAL, Beta
from assay.validation.metrics import (
    METRICS,
    binomial_deviance,
    brier,
    calibration,
    log_loss,
    month_errors,
    month_rmse,
    rmse,
)
from assay.validation.splits import Rules, Split, splits
from assay.validation.tuning import BetaObjective, circular_search, descend, tune_beta
from result_games import few, simulated

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


# Splits in time


def test_splits_of_the_three_kinds() -> None:
    games, _ = simulated(games=3000, months=100)
    rules = Rules(least_games=1)
    assert [one.label for one in splits(games, 3, rules=rules)] == ["1-95/96-100", "1-94/95-99", "1-93/94-98"]
    separate = splits(games, 3, apart=5, rules=rules)
    assert [one.label for one in separate] == ["1-95/96-100", "1-90/91-95", "1-85/86-90"]
    limited = splits(games, 2, rules=Rules(least_games=1, history=48))
    assert [one.label for one in limited] == ["48-95/96-100", "47-94/95-99"]


def test_both_players_must_have_enough_recent_games() -> None:
    rows = [(month, "a", "b", 1.0) for month in range(50, 62)]  # 12 games each, in the last 48 months
    rows += [(1, "old", "older", 0.5)] * 20 + [(61, "new", "newer", 0.5)] * 11
    after = [(62, "a", "b", 0.5), (62, "a", "old", 1.0), (63, "new", "b", 0.0), (64, "a", "stranger", 1.0)]
    split = Split.at(few(*rows, *after), 61)
    assert len(split.validation) == 1
    assert len(Split.at(few(*rows, *after), 61, Rules(least_games=11)).validation) == 2
    # Even where no games are asked for, both must have been seen.
    assert len(Split.at(few(*rows, *after), 61, Rules(least_games=0)).validation) == 3


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 8), st.integers(0, 15))
def test_training_is_before_validation(seed: int, months: int, least: int) -> None:
    games, _ = simulated(players=12, games=600, months=40, seed=seed)
    split = Split.at(games, 30, Rules(months=months, least_games=least))
    assert split.training.month.max() <= 30
    assert (split.validation.month > 30).all()
    assert (split.validation.month <= 30 + months).all()


def test_impossible_splits_are_clear_errors() -> None:
    games, _ = simulated(months=10)
    with pytest.raises(InputError, match="too few months"):
        splits(games, 8)
    with pytest.raises(InputError, match="ask for fewer splits"):
        splits(games, 1, rules=Rules(least_games=10_000))
    with pytest.raises(InputError, match="no games with results"):
        splits(games.without_results(), 1)
    with pytest.raises(InputError, match="at least one month"):
        Rules(months=0)


# Tuning


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
    monkeypatch.setattr("assay.validation.tuning._FIT_LIMIT", 1)
    objective = BetaObjective(sets)
    assert descend(objective, INITIAL) == INITIAL
    assert objective(tuple(INITIAL)) == math.inf


def test_settings_outside_the_model_are_never_an_improvement() -> None:
    games, _ = simulated()
    sets = splits(games, 1, rules=Rules(least_games=1))
    assert BetaObjective(sets)((1.0, 1.5, 1.0, 0.5, 1.0)) == math.inf
    assert math.isfinite(BetaObjective(sets)(tuple(Beta(1.0, 0.5, 1.0, 0.5, 1.0))))
