import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from assay.models.gain import distribution

LIMIT = 60
gains = st.lists(st.integers(-2 * LIMIT, 2 * LIMIT), min_size=1, max_size=25)


def slow_expectation(x: list[int], y: list[int]) -> float:
    """Every move of one against every move of the other."""
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in x for b in y) / (len(x) * len(y))


def slow_correlation(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> dict[int, float]:
    """Eq. 1, term by term."""
    fx, fy = x / x.sum(), y / y.sum()
    found: dict[int, float] = {}
    for n in range(-(len(x) - 1), len(x)):
        found[n] = sum(fy[m] * fx[n + m] for m in range(len(y)) if 0 <= n + m < len(x))
    return found


@given(gains, gains)
@settings(max_examples=100, deadline=None)
def test_expectation_is_the_share_of_move_pairs_won(x: list[int], y: list[int]) -> None:
    a, b = distribution.histogram(x, LIMIT), distribution.histogram(y, LIMIT)
    assert distribution.expectation(a, b) == pytest.approx(slow_expectation(x, y), abs=1e-12)
    assert distribution.expectation(a, b) + distribution.expectation(b, a) == pytest.approx(1, abs=1e-12)


def test_the_correlation_is_equation_1_and_its_right_half_equation_2() -> None:
    limit = 6
    generator = np.random.default_rng(3)
    x, y = (generator.integers(0, 5, distribution.n_bins(limit)).astype(float) for _ in range(2))
    found, expected = distribution.cross_correlation(x, y), slow_correlation(x, y)
    middle = len(x) - 1
    for n, value in expected.items():
        assert found[middle + n] == pytest.approx(value, abs=1e-12)
    assert 0.5 * found[middle] + found[middle + 1 :].sum() == pytest.approx(distribution.expectation(x, y))
    assert found.sum() == pytest.approx(1)


def test_all_pairs_at_once_are_the_pairs_one_by_one() -> None:
    generator = np.random.default_rng(5)
    group = np.sort(generator.integers(0, 7, 400))
    some = generator.integers(-2 * LIMIT, 2 * LIMIT + 1, 400)
    rows = distribution.histograms(some, group, 7, LIMIT)
    dense = rows.toarray()
    expected = [[distribution.expectation(x, y) for y in dense] for x in dense]
    np.testing.assert_allclose(distribution.expectations(rows), expected, atol=1e-12)
    np.testing.assert_allclose(distribution.expectations(rows[:3], dense[3:]), np.array(expected)[:3, 3:])
    np.testing.assert_allclose(
        distribution.paired_expectations(dense[:3], dense[4:]), [expected[i][i + 4] for i in range(3)]
    )


def test_blocks_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(6)
    rows = distribution.histograms(
        generator.integers(-100, 100, 300), generator.integers(0, 9, 300), 9, LIMIT
    )
    whole = distribution.expectations(rows)
    monkeypatch.setattr(distribution, "_BLOCK", 400)
    np.testing.assert_array_equal(distribution.expectations(rows), whole)


def test_certainty_is_exact() -> None:
    good, bad = distribution.histogram([5] * 7, LIMIT), distribution.histogram([-5] * 3, LIMIT)
    assert distribution.expectation(good, bad) == 1.0
    assert distribution.expectation(0.3 * good, 0.7 * bad) == 1.0
    assert distribution.expectation(bad, good) == 0.0
    assert distribution.rating_difference([0.0, 1.0]).tolist() == [-math.inf, math.inf]


@given(st.floats(-900, 900))
@settings(deadline=None)
def test_difference_and_expectation_are_inverse(difference: float) -> None:
    expectation = ndtr(difference / distribution.ELO_SPREAD)
    assert float(distribution.rating_difference(expectation)) == pytest.approx(difference, abs=1e-3)


def test_a_difference_of_200_points_is_elo_s() -> None:
    # Elo 1978: 200 points are 76% with the normal distribution.
    assert float(distribution.rating_difference(0.7602)) == pytest.approx(200, abs=0.1)


@pytest.mark.parametrize("shares", [(0.75, 0.2, 0.05), (0.5, 0.3, 0.2), (0.95, 0.04, 0.01)])
@pytest.mark.parametrize("n", [5, 40])
def test_the_interval_covers_the_truth(shares: tuple[float, float, float], n: int) -> None:
    """Moves below, at and above the engine's, with known chances: 2000 games of n moves."""
    games = 2000
    counts = np.random.default_rng(n).multinomial(n, shares, games)
    total, squares = counts @ [0, 0.5, 1], counts @ [0, 0.25, 1]
    low, high = distribution.beta_interval(*distribution.posterior(np.full(games, n), total, squares))
    # As given by running_strength: the interval holds the value found.
    low, high = np.minimum(low, total / n), np.maximum(high, total / n)
    truth = 0.5 * shares[1] + shares[2]
    covered = np.mean((low <= truth) & (truth <= high))
    # Four deviations of the share covered in 2000 games below 95%.
    assert covered > 0.95 - 4 * math.sqrt(0.95 * 0.05 / games)


def test_the_interval_of_two_players_covers_the_truth() -> None:
    generator = np.random.default_rng(8)
    x, y = (generator.laplace(mean, 15, (400, 60)) for mean in (-5, -12))
    big = [
        distribution.histogram(generator.laplace(mean, 15, 200_000).clip(-120, 120), LIMIT)
        for mean in (-5, -12)
    ]
    truth = distribution.expectation(big[0], big[1])
    covered = 0
    for one, other in zip(x.clip(-120, 120), y.clip(-120, 120), strict=True):
        a, b = distribution.histogram(one, LIMIT), distribution.histogram(other, LIMIT)
        _, low, high = distribution.expectation_interval(a, b, overdispersion=1.0, of_y=1.0)
        covered += low <= truth <= high
    assert covered / 400 > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 400)


def test_overdispersion_widens_the_interval() -> None:
    x = distribution.histogram([-10, -5, 0, 3, -20] * 8, LIMIT)
    narrow = distribution.expectation_interval(x, distribution.peak(LIMIT), overdispersion=1.0)
    wide = distribution.expectation_interval(x, distribution.peak(LIMIT), overdispersion=2.0)
    assert wide[0] > narrow[0]
    assert wide[1] < narrow[1] < narrow[2] < wide[2]


def test_moves_of_one_game_count_less_the_more_there_are() -> None:
    assert distribution.overdispersion([0, 1, 41], 0.05).tolist() == pytest.approx([1, 1, 3])


def test_the_interval_covers_the_truth_of_games_that_differ() -> None:
    """Games whose own chances vary about the truth, as correlated moves make them: 3000 games of 40 moves."""
    generator = np.random.default_rng(2)
    games, n, truth, correlation = 3000, 40, 0.2, 0.04
    # A beta-binomial: its correlation is 1 / (a + b + 1).
    size = 1 / correlation - 1
    wins = generator.binomial(n, generator.beta(truth * size, (1 - truth) * size, games))
    together = distribution.overdispersion(n, correlation)
    low, high = distribution.beta_interval(*distribution.posterior(np.full(games, n), wins, wins, together))
    covered = np.mean((low <= truth) & (truth <= high))
    assert covered > 0.95 - 4 * math.sqrt(0.95 * 0.05 / games)
