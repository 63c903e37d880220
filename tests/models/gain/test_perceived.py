import numpy as np
import pytest

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError
from assay.models.gain.perceived import engine_strength, perceived_ratings, strength


def paper_iteration(differences: Floats, known: Floats) -> Floats:
    """Algorithm 2 as it is written: one player at a time, until nothing changes."""
    ratings = known.astype(float).copy()
    for _ in range(10_000):
        before = ratings.copy()
        for player in range(len(ratings)):
            met = ~np.isnan(differences[player])
            met[player] = False
            if met.any():
                ratings[player] = np.mean(ratings[met] + differences[player][met])
        if np.abs(ratings - before).max() < 1e-10:
            break
    return np.asarray(ratings + known.mean() - ratings.mean())


def random_differences(n: int, seed: int, share: float = 1.0) -> Floats:
    generator = np.random.default_rng(seed)
    noise = np.triu(generator.normal(0, 40, (n, n)), 1)
    drawn = np.triu(generator.random((n, n)) < share, 1)
    drawn[np.arange(n - 1), np.arange(1, n)] = True  # a path through all keeps them connected
    return np.where(drawn | drawn.T, noise - noise.T, np.nan)


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_the_solution_is_what_the_papers_iteration_converges_to(share: float) -> None:
    known = np.random.default_rng(1).normal(2700, 60, 8)
    differences = random_differences(8, seed=2, share=share)
    solved = perceived_ratings(differences, known)
    np.testing.assert_allclose(solved.ratings, paper_iteration(differences, known), atol=1e-6)
    assert solved.ratings.mean() == pytest.approx(known.mean())
    assert solved.n_groups == 1


def test_true_ratings_come_back() -> None:
    truth = np.array([2500.0, 2600, 2700, 2800])
    solved = perceived_ratings(truth[:, None] - truth[None, :], truth + np.array([100, -100, 50, -50]))
    np.testing.assert_allclose(solved.ratings, truth)


def test_separate_groups_are_anchored_on_their_own_means() -> None:
    differences = np.full((5, 5), np.nan)
    differences[0, 1], differences[1, 0] = 100, -100
    differences[2, 3], differences[3, 2] = 50, -50
    solved = perceived_ratings(differences, [2600, 2600, 2400, 2300, 2000])
    assert solved.ratings.tolist() == pytest.approx([2650, 2550, 2375, 2325, 2000])
    assert solved.n_groups == 3
    assert solved.anchors[solved.group].tolist() == pytest.approx([2600, 2600, 2350, 2350, 2000])


def test_unrated_players_count_but_do_not_anchor() -> None:
    differences = np.array([[np.nan, 30, np.nan], [-30, np.nan, np.nan], [np.nan] * 3])
    solved = perceived_ratings(differences, [2600, np.nan, np.nan])
    assert solved.ratings[:2].tolist() == pytest.approx([2600, 2570])
    assert np.isnan(solved.anchors[solved.group[2]])
    assert solved.ratings[2] == 0


def test_an_infinite_difference_gives_no_ratings() -> None:
    with pytest.raises(FitError, match="infinite"):
        perceived_ratings([[np.nan, np.inf], [-np.inf, np.nan]], [2600, 2600])


def test_differences_must_be_of_two_minds_about_each_pair() -> None:
    with pytest.raises(InputError, match="negative"):
        perceived_ratings([[np.nan, 10], [10, np.nan]], [2600, 2600])
    with pytest.raises(InputError, match="one row"):
        perceived_ratings([[np.nan, 10]], [2600, 2600])


def test_engine_strength_and_strength_against_it_are_inverse() -> None:
    ratings, expectations = np.array([2700.0, 2600, np.nan]), np.array([0.4, 0.3, 0.2])
    by_player, average = engine_strength(expectations, ratings)
    assert strength(0.4, by_player[0]) == pytest.approx(2700)
    assert average == pytest.approx(by_player[:2].mean())


def test_engine_strength_needs_someone_rated() -> None:
    with pytest.raises(InputError, match="known rating"):
        engine_strength([0.4, 0.0], [np.nan, 2600])
