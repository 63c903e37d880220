import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import FitError, InputError
from assay.results.competition import read_competition
from assay.results.ferreira import (
    AFTER_THE_FACT,
    INITIAL,
    PAPER_TOLERANCE,
    SUBMITTED,
    Beta,
    Meetings,
    ResultsModel,
    expected_result,
    strengths,
    time_weight,
    transitive,
    with_whites_advantage,
)
from assay.results.games import ResultGames
from examples.result_games import few, simulated

shares = st.floats(0.01, 0.99)


def slow_strengths(games: ResultGames, beta: Beta, rounds: int = 400) -> dict[str, float]:
    """Algorithm 1 as the paper writes it, one player and one game at a time."""
    last = max(games.month.tolist())
    rows = list(
        zip(
            games.month.tolist(),
            games.white.tolist(),
            games.black.tolist(),
            games.result.tolist(),
            strict=True,
        )
    )
    strength = [0.5] * len(games.players)
    for _ in range(rounds):
        previous = list(strength)
        for x in range(len(strength)):
            own = [(m, b, r) for m, w, b, r in rows if w == x] + [
                (m, w, 1 - r) for m, w, b, r in rows if b == x
            ]
            weights = [1 / (1 + beta.b4 * (last - m) / 100) for m, _, _ in own]
            result = beta.b0 * beta.b1 + sum(w * r for w, (_, _, r) in zip(weights, own, strict=True))
            company = beta.b2 * beta.b3 + sum(
                w * previous[o] for w, (_, o, _) in zip(weights, own, strict=True)
            )
            p_xy = result / (beta.b0 + sum(weights))
            p_yz = company / (beta.b2 + sum(weights))
            strength[x] = 1 / (1 + (1 / p_yz - 1) * (1 / p_xy - 1))
    return dict(zip(games.players, strength, strict=True))


@pytest.mark.parametrize("beta", [SUBMITTED, INITIAL, AFTER_THE_FACT])
def test_strengths_are_those_of_the_paper_written_out(beta: Beta) -> None:
    games, _ = simulated(players=6, games=60, months=12)
    slow = slow_strengths(games, beta)
    model = ResultsModel(beta, tolerance=1e-12).fit(games)
    for name, strength in zip(model.players_, model.strength_, strict=True):
        assert strength == pytest.approx(slow[name], rel=1e-8)


@pytest.mark.parametrize("beta", [SUBMITTED, INITIAL, AFTER_THE_FACT])
def test_accelerated_and_plain_iteration_agree(beta: Beta) -> None:
    games, _ = simulated(players=80, games=900, months=60)
    meetings = Meetings.of(games)
    fast = strengths(meetings, beta, tolerance=1e-11)
    plain = strengths(meetings, beta, tolerance=1e-13, accelerate=False)
    np.testing.assert_allclose(fast.strength, plain.strength, rtol=1e-8)
    assert fast.iterations < plain.iterations


def test_a_start_near_the_end_is_quick() -> None:
    games, _ = simulated()
    meetings = Meetings.of(games)
    cold = strengths(meetings, SUBMITTED)
    warm = strengths(meetings, SUBMITTED, start=cold.strength)
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.strength, cold.strength, rtol=1e-4)


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


@given(shares, shares)
def test_transitivity_multiplies_odds(p: float, q: float) -> None:
    both = float(transitive(np.array(p), np.array(q)))
    assert both / (1 - both) == pytest.approx(p / (1 - p) * q / (1 - q), rel=1e-9)


@given(shares, shares, shares)
def test_eq_4_and_5_agree_with_eq_1(x: float, y: float, z: float) -> None:
    x_over_y = expected_result(np.array(x), np.array(y))
    y_over_z = expected_result(np.array(y), np.array(z))
    x_over_z = expected_result(np.array(x), np.array(z))
    assert float(transitive(x_over_y, y_over_z)) == pytest.approx(float(x_over_z), rel=1e-9)


@given(shares)
def test_whites_advantage(p: float) -> None:
    assert float(with_whites_advantage(np.array(p), 0.5)) == pytest.approx(p)
    assert float(with_whites_advantage(np.array(0.5), p)) == pytest.approx(p)


@given(shares, shares)
def test_white_and_black_sum_to_one_without_the_advantage(x: float, y: float) -> None:
    total = expected_result(np.array(x), np.array(y)) + expected_result(np.array(y), np.array(x))
    assert float(total) == pytest.approx(1.0)


def test_time_weights() -> None:
    np.testing.assert_allclose(time_weight(np.array([0, 50, 100]), 1.0), [1.0, 1 / 1.5, 0.5])
    np.testing.assert_allclose(time_weight(np.array([0, 99]), 0.0), [1.0, 1.0])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_games_does_not_matter(seed: int) -> None:
    games, _ = simulated(players=10, games=80)
    shuffled = games.select(np.random.default_rng(seed).permutation(len(games)))
    ours, theirs = (ResultsModel().fit(one).forecast(games) for one in (games, shuffled))
    np.testing.assert_allclose(ours, theirs, rtol=1e-7)


def test_unknown_players_are_forecast_from_the_prior() -> None:
    games, _ = simulated()
    model = ResultsModel().fit(games)
    strangers = few((30, "nobody", "someone", math.nan))
    assert model.forecast(strangers)[0] == pytest.approx(model.white_mean_)
    odds = SUBMITTED.b1 / (1 - SUBMITTED.b1) * SUBMITTED.b3 / (1 - SUBMITTED.b3)
    assert model.prior_ == pytest.approx(odds / (1 + odds))


def test_the_forecast_does_not_look_at_results() -> None:
    games, _ = simulated()
    model = ResultsModel().fit(games)
    np.testing.assert_array_equal(model.forecast(games), model.forecast(games.without_results()))


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


def test_no_games_and_no_results_are_clear_errors() -> None:
    games, _ = simulated()
    with pytest.raises(InputError, match="no games"):
        ResultsModel().fit(games.select(np.zeros(len(games), dtype=bool)))
    with pytest.raises(InputError, match="no result"):
        ResultsModel().fit(games.without_results())


def test_what_the_paper_says_about_the_competition(shared_data) -> None:  # type: ignore[no-untyped-def]
    path: Path = shared_data("results-2010/training_data.csv")
    games = read_competition(path).games
    assert len(games) == 65_053
    model = ResultsModel(SUBMITTED, tolerance=PAPER_TOLERANCE).fit(games)
    assert model.white_mean_ == pytest.approx(0.5456473952, abs=5e-11)
    plain = ResultsModel(SUBMITTED, tolerance=1e-9, accelerate=False).fit(games)
    np.testing.assert_allclose(model.strength_, plain.strength_, rtol=1e-4)
