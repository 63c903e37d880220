"""How far raw ratings stray."""

from dataclasses import replace

import numpy as np
import pytest

from assay.rating.posterior import Range, RawRatings, elo_posterior
from assay.rating.spread import LEAST_FORM, Spread, deal, fit_spread, learn_form
from examples.spreads import TRUE_FORM, TRUE_UNIT, fitted, plain_spread


@pytest.fixture(scope="module")
def spread() -> Spread:
    return fitted(np.random.default_rng(3))


def test_spread_recovers_the_truth(spread: Spread) -> None:
    assert spread.games.tolist() == [1, 2, 4, 8, 16, 32]
    assert spread.slope == pytest.approx(np.ones((6, 2)), abs=0.06)
    assert spread.unit[0] == pytest.approx(TRUE_UNIT, rel=0.08)
    assert np.linalg.eigvalsh(spread.unit).min() > 0
    assert spread.form == pytest.approx(TRUE_FORM, rel=0.15)
    assert np.abs(spread.tilt * 1000).max() < 0.15
    assert spread.milepost_games == 300


def test_without_players_seen_twice_form_is_the_least() -> None:
    assert fitted(np.random.default_rng(4), players=280, games=1).form == 50.0


def test_dealt_groups_are_of_one_milepost_each() -> None:
    milepost = np.repeat([0, 1, 2], [7, 8, 9])
    weights = deal(milepost, 3, 2, np.random.default_rng(0))
    assert (weights.sum(axis=1) == 3).all()
    assert len(weights) == 2 * (2 + 2 + 3)
    for row in weights:
        assert len(set(milepost[row > 0])) == 1


def single_games(rng: np.random.Generator, form: np.ndarray, games: int) -> tuple[np.ndarray, ...]:
    """Raw ratings, Elo and player of single games that stray by 300 points around each player's form."""
    player = np.repeat(np.arange(len(form)), games)
    raw = 2000 + form[player] + rng.normal(0, 300, len(player))
    return raw[:, None], np.full(len(player), 2000.0), player


@pytest.mark.parametrize("form", [100.0, 250.0])
def test_form_is_what_does_not_shrink_with_the_number_of_games(form: float) -> None:
    rng = np.random.default_rng(5)
    raw, elo, player = single_games(rng, rng.normal(0, form, 400), 10)
    found = learn_form(plain_spread(300.0), raw, elo, player)
    assert found == pytest.approx(form, rel=0.12)


def test_whoever_has_hundreds_of_games_is_one_player() -> None:
    rng = np.random.default_rng(6)
    raw, elo, player = single_games(rng, rng.normal(0, 100, 200), 10)
    often = [np.concatenate(pair) for pair in ((raw, np.full((500, 1), 1300.0)), (elo, np.full(500, 2000.0)))]
    found = learn_form(plain_spread(300.0), *often, np.append(player, np.full(500, 200)))
    # By games, of which 500 in 2,500 are 700 points off, it would be above 300.
    assert 100 < found < 190


def test_one_game_each_tells_nothing_of_form() -> None:
    raw, elo, player = single_games(np.random.default_rng(7), np.zeros(50), 1)
    assert learn_form(plain_spread(300.0), raw, elo, player) == LEAST_FORM


def of_many_lengths(rng: np.random.Generator, lasting: float, n: int = 5600) -> tuple[np.ndarray, ...]:
    """Elo, sizes and raw ratings of single games, a share of whose variance is there at any length."""
    elo = np.tile(np.arange(1500.0, 2900, 100), n // 14)
    size = rng.choice([12.0, 20.0, 30.0, 40.0, 70.0], len(elo))
    variance = 400.0**2 * (lasting + (1 - lasting) * size.mean() / size)
    return elo, size, elo + rng.normal(0, np.sqrt(variance))


def fitted_to(elo: np.ndarray, size: np.ndarray, raw: np.ndarray) -> Spread:
    return fit_spread(
        ("one",),
        lambda weights: (weights * size) @ raw[:, None] / (weights @ size)[:, None],
        elo,
        size,
        np.arange(len(elo)),
        ((elo - 1500) // 100).astype(np.int64),
    )


@pytest.mark.parametrize("lasting", [0.0, 0.4, 0.7])
def test_what_lasts_of_a_game_is_recovered_and_intervals_hold_at_every_length(lasting: float) -> None:
    rng = np.random.default_rng(8)
    spread = fitted_to(*of_many_lengths(rng, lasting))
    assert spread.lasting == pytest.approx(lasting, abs=0.1)
    assert spread.unit[0, 0, 0] ** 0.5 == pytest.approx(400, rel=0.05)
    held: dict[float, list[bool]] = {}
    for elo, size, raw in zip(*of_many_lengths(rng, lasting, 2800), strict=True):
        one = RawRatings(np.array([raw]), float(size), squares=float(size**2))
        held.setdefault(float(size), []).append(holds(one, spread, elo))
    assert all(0.92 < np.mean(one) < 0.98 for one in held.values()), held


def holds(raw: RawRatings, spread: Spread, elo: float) -> bool:
    posterior = elo_posterior(raw, spread, Range(600, 3800), [0])
    assert posterior is not None
    low, high = posterior.region(0.95)
    return bool(low <= elo <= high)


@pytest.mark.parametrize("lengths", [(12.0,) * 4, (70.0,) * 4, (12.0, 12.0, 12.0, 70.0)])
def test_intervals_of_several_games_hold_whatever_their_lengths(lengths: tuple[float, ...]) -> None:
    """Games are pooled by their decisions, so a long one among short ones counts for most of them."""
    rng = np.random.default_rng(10)
    lasting, usual = 0.5, 34.4
    spread = replace(fitted_to(*of_many_lengths(rng, lasting)), form=0.0)
    size = np.array(lengths)
    deviation = 400 * np.sqrt(lasting + (1 - lasting) * usual / size)
    found = []
    for _ in range(1500):
        elo = rng.uniform(1600, 2700)
        raw = np.average(elo + rng.normal(0, deviation), weights=size)
        one = RawRatings(np.array([raw]), size.sum(), squares=float(np.square(size).sum()), players=4.0)
        found.append(holds(one, spread, elo))
    assert 0.93 < np.mean(found) < 0.97


def test_games_of_the_usual_length_amount_to_the_decisions_they_have() -> None:
    elo, size, raw = of_many_lengths(np.random.default_rng(9), 0.5)
    spread = fitted_to(elo, size, raw)
    usual = spread.game_size
    sizes = np.array([usual, 3 * usual, 0.0])
    assert spread.amount(sizes, np.array([usual**2, 3 * usual**2, 0.0])) == pytest.approx(sizes)
    single = np.array([usual / 3, 3 * usual])
    short, long = spread.amount(single, single**2).tolist()
    assert short > usual / 3
    assert long < 3 * usual
    assert fitted_to(elo, np.full(len(elo), 30.0), raw).lasting == 0.0


def test_what_a_game_strays_by_beyond_chance_hardly_falls_with_its_length_where_it_lasts() -> None:
    falls, lasts = (replace(plain_spread(400.0), lasting=share) for share in (0.0, 0.7))
    ratio = [
        one.beyond_chance("all", 2150, 350, 2.0) / one.beyond_chance("all", 2150, 35, 2.0)
        for one in (falls, lasts)
    ]
    assert ratio[0] < 0.45
    assert ratio[1] > 0.8
    several = lasts.beyond_chance("all", 2150, 350, 2.0, games=10)
    assert several == pytest.approx(falls.beyond_chance("all", 2150, 350, 2.0))
