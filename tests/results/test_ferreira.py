import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import FitError, InputError
from assay.results.ferreira import (
    AFTER_THE_FACT,
    INITIAL,
    SUBMITTED,
    Beta,
    BetaObjective,
    Meetings,
    ResultsModel,
    circular_search,
    descend,
    expected_result,
    strengths,
    transitive,
    tune_beta,
)
from assay.results.games import ResultGames, Rules, Split, splits
from examples.result_games import few, simulated

shares = st.floats(0.01, 0.99)


def slow_strengths(games: ResultGames, beta: Beta, rounds: int = 400) -> dict[str, float]:
    """Algorithm 1 as the paper writes it, one player and one game at a time."""
    last = max(games.month.tolist())
    columns = (games.month, games.white, games.black, games.result)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    strength = [0.5] * len(games.players)
    for _ in range(rounds):
        previous = list(strength)
        for x in range(len(strength)):
            games_of_x = [(m, b, r) for m, w, b, r in rows if w == x]
            games_of_x += [(m, w, 1 - r) for m, w, b, r in rows if b == x]
            weights = [1 / (1 + beta.b4 * (last - m) / 100) for m, _, _ in games_of_x]
            weighted = list(zip(weights, games_of_x, strict=True))
            result = beta.b0 * beta.b1 + sum(w * r for w, (_, _, r) in weighted)
            company = beta.b2 * beta.b3 + sum(w * previous[o] for w, (_, o, _) in weighted)
            p_xy = result / (beta.b0 + sum(weights))
            p_yz = company / (beta.b2 + sum(weights))
            strength[x] = 1 / (1 + (1 / p_yz - 1) * (1 / p_xy - 1))
    return dict(zip(games.players, strength, strict=True))


@pytest.mark.parametrize("beta", [SUBMITTED, INITIAL, AFTER_THE_FACT])
def test_strengths_are_those_of_the_paper_written_out(beta: Beta) -> None:
    games, _ = simulated(players=6, games=60, months=12)
    slow = slow_strengths(games, beta)
    found, rounds = strengths(Meetings.of(games), beta, tolerance=1e-12)
    assert found == pytest.approx([slow[name] for name in games.players], rel=1e-8)
    _, near_the_end = strengths(Meetings.of(games), beta, tolerance=1e-12, start=found)
    assert near_the_end < rounds


def test_too_few_iterations_are_an_error_not_a_number() -> None:
    games, _ = simulated()
    with pytest.raises(FitError, match="did not converge"):
        strengths(Meetings.of(games), SUBMITTED, limit=2)


def test_the_true_order_of_players_is_found() -> None:
    games, truth = simulated(players=40, games=6000)
    model = ResultsModel(Beta(1.0, 0.5, 1.0, 0.3, 0.0)).fit(games)
    assert np.corrcoef(np.log(model.strength_), truth)[0, 1] > 0.97
    expected = 1 / (1 + np.exp(-(truth[games.white] - truth[games.black] + 0.2)))
    forecast = model.forecast(games)
    assert np.corrcoef(forecast, expected)[0, 1] > 0.97
    # Eq. 7 takes the ratio of expected scores where Bradley and Terry take that of odds: too cautious,
    # unless all strengths are small.
    assert np.polyfit(expected, forecast, 1)[0] < 0.9


@given(shares, shares, shares)
def test_eq_4_and_5_agree_with_eq_1(x: float, y: float, z: float) -> None:
    x_over_y = expected_result(np.array(x), np.array(y))
    y_over_z = expected_result(np.array(y), np.array(z))
    x_over_z = expected_result(np.array(x), np.array(z))
    assert float(transitive(x_over_y, y_over_z)) == pytest.approx(float(x_over_z), rel=1e-9)


def test_unknown_players_are_forecast_from_the_prior() -> None:
    games, _ = simulated()
    model = ResultsModel().fit(games)
    strangers = few((30, "nobody", "someone", math.nan))
    assert model.forecast(strangers)[0] == pytest.approx(model.white_mean_)
    odds = SUBMITTED.b1 / (1 - SUBMITTED.b1) * SUBMITTED.b3 / (1 - SUBMITTED.b3)
    assert model.prior_ == pytest.approx(odds / (1 + odds))


@pytest.mark.parametrize(
    "beta",
    [
        (0, 0.5, 1, 0.5, 1),
        (1, 0, 1, 0.5, 1),
        (1, 0.5, 1, 1, 1),
        (1, 0.5, -1, 0.5, 1),
        (1, 0.5, 1, 0.5, -1),
        (math.nan, 0.5, 1, 0.5, 1),
    ],
)
def test_settings_that_make_no_sense_are_refused(beta: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="beta"):
        ResultsModel(Beta(*beta))


# Circular search and descent.


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
