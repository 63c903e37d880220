import numpy as np
import pytest

from assay.errors import InputError
from assay.models.traits.lessons import MOST_WEIGHT, Lessons, learn, learn_again, shares


def test_the_best_weights_are_recovered() -> None:
    """Signs that rise with Elo by a, with noise of deviation s each: the best weights go as a / s squared."""
    rng = np.random.default_rng(0)
    elo = np.linspace(1500, 2800, 40_000)
    rises, noise = np.array([1.0, -0.5, 0.0, 0.0, 0.25]), np.array([2.0, 1.0, 1.0, 3.0, 0.5])
    strength = (elo - elo.mean()) / elo.std()
    means = np.outer(strength, rises) + rng.normal(0, noise, (40_000, 5))
    found, apart = learn(means, elo, elo, np.arange(40_000) % 10)
    best = rises / noise**2
    shrunk = best / (1 + rises @ best)
    assert found.weight == pytest.approx(shrunk, abs=0.02)
    reached = (rises @ best) / (1 + rises @ best)
    assert np.corrcoef(apart, elo)[0, 1] ** 2 == pytest.approx(reached, abs=0.03)


def test_noise_teaches_nothing_about_those_who_were_kept_apart() -> None:
    rng = np.random.default_rng(1)
    means, elo = rng.normal(size=(300, 60)), rng.uniform(1500, 2800, 300)
    found, apart = learn(means, elo, elo, np.arange(300) % 10)
    assert abs(np.corrcoef(apart, elo)[0, 1]) < 0.2
    assert np.corrcoef(found.of(means), elo)[0, 1] > 0.3, "in hindsight noise always seems to know"


def test_what_is_not_known_says_nothing() -> None:
    lessons = Lessons(np.array([1.0, 2.0]), np.array([0.5, 3.0]))
    assert lessons.of(np.array([[3.0, np.nan], [1.0, 2.0]])).tolist() == [1.0, 0.0]


def test_one_fold_teaches_nothing() -> None:
    with pytest.raises(InputError, match="one group of players"):
        learn(np.zeros((4, 2)), np.arange(4.0), np.arange(4.0), np.zeros(4, np.int64))


def test_a_sign_of_the_opponent_is_not_taken_for_one_of_the_player() -> None:
    """One sign tells of the player, one of the mean of both; few games are against others than equals."""
    rng = np.random.default_rng(2)
    elo = rng.uniform(1500, 2800, 2000)
    opponent = elo + np.where(np.arange(2000) < 1700, 0, rng.choice((-400, 400), 2000))
    means = np.stack((elo + rng.normal(0, 150, 2000), (elo + opponent) / 2 + rng.normal(0, 50, 2000)), axis=1)
    fold = np.arange(2000) % 10
    taught, blind = learn(means, elo, opponent, fold)[0], learn(means, elo, elo, fold)[0]
    drawn = [one.weight[1] / one.weight.sum() for one in (taught, blind)]
    # Not all of it: each counts three times, where six would be as much as all that are against equals.
    assert drawn[0] < drawn[1] - 0.1


def test_games_against_others_than_equals_count_as_much_as_those_against_equals_if_they_are_enough() -> None:
    target = np.linspace(-1.5, 1.5, 1000)
    unequal = np.arange(1000) % 3 == 0
    found = shares(target, unequal)
    assert found[unequal].sum() == pytest.approx(found[~unequal].sum())
    few = np.arange(1000) % 100 == 0
    found = shares(target, few)
    assert found[few].mean() == pytest.approx(MOST_WEIGHT * found[~few].mean(), rel=0.01)
    assert shares(target, np.zeros(1000, dtype=bool)).mean() == pytest.approx(1)


def test_lessons_are_fitted_to_another_source_of_values() -> None:
    """Of signs that moved, were stretched and blurred, weights say what the native ones said."""
    rng = np.random.default_rng(4)
    native = Lessons(np.array([1.0, 0.0, 2.0]), np.array([0.5, -1.0, 0.3]))
    before = native.centre + rng.normal(size=(400, 3))
    after = 0.7 + before * [1.5, 1.0, 0.5] + rng.normal(0, 0.1, (400, 3))
    found, apart = learn_again(native, before, after, np.arange(400) % 10)
    assert found.centre == pytest.approx(after.mean(axis=0) - before.mean(axis=0) + native.centre)
    assert found.weight == pytest.approx(native.weight / [1.5, 1.0, 0.5], rel=0.1)
    assert np.corrcoef(apart, native.of(before))[0, 1] > 0.98


def test_of_few_appearances_native_lessons_are_hardly_changed() -> None:
    rng = np.random.default_rng(5)
    native = Lessons(np.zeros(60), rng.normal(size=60))
    before = rng.normal(size=(40, 60))
    found, _ = learn_again(native, before, before + rng.normal(0, 1, (40, 60)), np.arange(40) % 10)
    assert np.corrcoef(found.weight, native.weight)[0, 1] > 0.9
