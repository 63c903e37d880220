"""How raw ratings vary: what is learned from players of known Elo, and intervals that rest on it."""

from dataclasses import replace

import numpy as np
import pytest

from assay.rating.posterior import GRID, Range, summaries
from assay.rating.spread import (
    FORM,
    FORM_ELO,
    RawRatings,
    Spread,
    fit_curve,
    fit_spread,
    learn_form,
    split_into_groups,
)
from examples.spreads import TRUE_FORM, TRUE_UNIT, fitted, plain_spread, raw_of


@pytest.fixture(scope="module")
def spread() -> Spread:
    return fitted(np.random.default_rng(3))


def test_spread_recovers_the_truth(spread: Spread) -> None:
    assert spread.games.tolist() == [1, 2, 4, 8, 16, 32]
    assert spread.curve == pytest.approx(np.broadcast_to(spread.knots, spread.curve.shape), abs=60)
    assert spread.variance[0] == pytest.approx(np.diag(TRUE_UNIT), rel=0.08)
    assert spread.form == pytest.approx(np.full(2, TRUE_FORM), rel=0.2)
    assert np.abs(spread.tilt * 1000).max() < 0.15
    assert spread.milepost_games == 300


def test_without_players_seen_twice_form_is_the_usual_one() -> None:
    spread = fitted(np.random.default_rng(4), players=280, games=1)
    assert spread.form_at(np.array([FORM_ELO]), 0) == pytest.approx([FORM])
    assert spread.form_at(np.array([1600.0]), 0)[0] > 2 * FORM


def test_groups_are_of_one_milepost_each() -> None:
    milepost = np.repeat([0, 1, 2], [7, 8, 9])
    weights = split_into_groups(milepost, 3, 2, np.random.default_rng(0))
    assert (weights.sum(axis=1) == 3).all()
    assert len(weights) == 2 * (2 + 2 + 3)
    for row in weights:
        assert len(set(milepost[row > 0])) == 1


def test_a_curve_rises_where_its_games_do_and_is_not_bent_by_chance() -> None:
    rng = np.random.default_rng(1)
    elo = rng.uniform(1000, 2800, 6000)
    knots = np.linspace(1000, 2800, 8)
    truth = np.where(elo < 2300, elo, 2300 + 0.4 * (elo - 2300))
    curve = fit_curve(elo, truth + rng.normal(0, 400, len(elo)), knots)
    expected = np.where(knots < 2300, knots, 2300 + 0.4 * (knots - 2300))
    assert np.abs(curve - expected).max() < 60
    falling = fit_curve(elo, -elo + rng.normal(0, 100, len(elo)), knots)
    assert (np.diff(falling) > 0).all()


def test_players_at_the_flat_end_of_a_curve_are_rated_without_bias() -> None:
    """A line over the whole scale would rate the strongest hundreds of points too low."""
    rng = np.random.default_rng(7)
    elo = np.tile(np.arange(1000.0, 2900, 100), 80)
    bent = np.where(elo < 2200, elo, 2200 + 0.4 * (elo - 2200))
    spread = fitted_to(elo, np.full(len(elo), 30.0), bent + rng.normal(0, 200, len(elo)))
    top = np.full(4000, 2600.0)
    raw = raw_of((2200 + 0.4 * 400 + rng.normal(0, 200 / np.sqrt(8), 4000))[:, None], np.full(4000, 240.0), 8)
    assert spread.peaks(raw, 0).mean() == pytest.approx(2600, abs=25)
    assert 0.92 < covered(spread, raw, top, prior=Range(1000, 3400)).mean() < 0.99


def single_games(rng: np.random.Generator, form: np.ndarray, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Errors of single games that vary by 300 points around each player's form, and whose they are."""
    player = np.repeat(np.arange(len(form)), games)
    return (form[player] + rng.normal(0, 300, len(player)))[:, None], player


@pytest.mark.parametrize(("form", "usual"), [(100.0, 85.0), (250.0, 170.0)])
def test_form_is_what_does_not_shrink_with_the_number_of_games(form: float, usual: float) -> None:
    rng = np.random.default_rng(5)
    error, player = single_games(rng, rng.normal(0, form, 400), 10)
    assert learn_form(error, player, usual) == pytest.approx([form], rel=0.12)


def test_whoever_has_hundreds_of_games_is_one_player() -> None:
    rng = np.random.default_rng(6)
    error, player = single_games(rng, rng.normal(0, 100, 200), 10)
    error, player = np.concatenate((error, np.full((500, 1), -700.0))), np.append(player, np.full(500, 200))
    # By games, of which 500 in 2,500 are 700 points off, it would be above 300.
    assert 80 < learn_form(error, player, 85.0)[0] < 190


def test_form_of_few_players_is_nearly_the_usual_one() -> None:
    rng = np.random.default_rng(9)
    found = [learn_form(*single_games(rng, rng.normal(0, 85, 40), 3), 85.0)[0] for _ in range(200)]
    assert np.mean(found) == pytest.approx(85, abs=20)
    assert np.std(found) < 35


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
        ((elo - elo.min()) // 100).astype(np.int64),
    )


def covered(
    spread: Spread, raw: RawRatings, elo: np.ndarray, level: float = 0.95, prior: Range | None = None
) -> np.ndarray:
    # Nobody here is beyond the ends.
    logs = (prior or Range(1500, 2800, fading=1.0)).posterior(spread.log_likelihood(raw, 0))
    _, low, high = summaries(logs, level)
    return (low <= elo) & (elo <= high)


@pytest.mark.parametrize("lasting", [0.0, 0.4, 0.7])
def test_the_share_that_lasts_is_recovered_and_intervals_cover_at_every_length(lasting: float) -> None:
    rng = np.random.default_rng(8)
    spread = fitted_to(*of_many_lengths(rng, lasting))
    assert spread.lasting == pytest.approx(lasting, abs=0.1)
    assert spread.one_game()[0] == pytest.approx(400, rel=0.05)
    elo, size, raw = of_many_lengths(rng, lasting, 5600)
    inside = covered(spread, raw_of(raw[:, None], size), elo)
    assert all(0.92 < inside[size == length].mean() < 0.98 for length in np.unique(size))


@pytest.mark.parametrize("lengths", [(12.0,) * 4, (70.0,) * 4, (12.0, 12.0, 12.0, 70.0)])
def test_intervals_of_several_games_cover_whatever_their_lengths(lengths: tuple[float, ...]) -> None:
    """Games are pooled by their decisions, so a long one among short ones counts for most of them."""
    rng = np.random.default_rng(10)
    lasting, usual, n = 0.5, 34.4, 3000
    spread = replace(fitted_to(*of_many_lengths(rng, lasting)), form=np.zeros(1))
    size = np.array(lengths)
    elo = rng.uniform(1500, 2800, n)
    each = elo[:, None] + rng.normal(0, 400 * np.sqrt(lasting + (1 - lasting) * usual / size), (n, len(size)))
    raw = RawRatings(
        np.average(each, axis=1, weights=size)[:, None],
        np.full(n, size.sum()),
        np.full(n, np.square(size).sum()),
        np.full(n, 4),
        np.full(n, 4.0),
    )
    assert 0.93 < covered(spread, raw, elo).mean() < 0.97


@pytest.mark.parametrize("games", [1, 3, 10, 40])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_cover_simulated_players(games: int, level: float) -> None:
    """Four thousand players, each with a form of their own."""
    rng = np.random.default_rng(games)
    spread, n = plain_spread(500.0, TRUE_FORM), 4000
    prior = Range(1500, 2800)
    density = np.exp(prior.log_density(GRID))
    elo = rng.choice(GRID, n, p=density / density.sum()) + rng.uniform(-2, 2, n)
    within = np.sqrt((500.0**2 - TRUE_FORM**2) / games)
    raw = elo + rng.normal(0, TRUE_FORM, n) + rng.normal(0, within, n)
    inside = covered(spread, raw_of(raw[:, None], np.full(n, 35.0 * games), games), elo, level, prior)
    assert inside.mean() == pytest.approx(level, abs=0.025)


def test_form_is_not_averaged_away(spread: Spread) -> None:
    many, composite = (
        raw_of(np.full((1, 2), 2000.0), np.array([30.0 * 10_000]), 10_000, players)
        for players in (1.0, 10_000.0)
    )
    elo = np.array([2000.0])
    assert spread.deviations(many, 0, elo)[0, 0] > 0.9 * spread.form[0]
    assert spread.deviations(composite, 0, elo)[0, 0] < 0.5 * spread.form[0]


def test_what_carrying_a_scale_over_adds_is_not_averaged_away() -> None:
    spread = replace(plain_spread(400.0), carried=70.0)
    many = raw_of(np.full((1, 1), 2000.0), np.array([35.0 * 10_000]), 10_000, 10_000.0)
    assert spread.deviations(many, 0, np.array([2000.0]))[0, 0] == pytest.approx(70, abs=1)


def test_games_of_the_usual_length_count_as_many_as_they_are() -> None:
    elo, size, raw = of_many_lengths(np.random.default_rng(9), 0.5)
    spread = fitted_to(elo, size, raw)
    usual = spread.game_size
    sizes = np.array([usual, 3 * usual])
    assert spread.usual_games(sizes, np.array([usual**2, 3 * usual**2])) == pytest.approx([1, 3])
    short, long = spread.usual_games(sizes_of := np.array([usual / 3, 3 * usual]), sizes_of**2).tolist()
    assert short > 1 / 3
    assert long < 3
    assert fitted_to(elo, np.full(len(elo), 30.0), raw).lasting == 0.0


def test_variance_beyond_chance_hardly_falls_with_a_games_length_where_it_lasts() -> None:
    falls, lasts = (replace(plain_spread(400.0), lasting=share) for share in (0.0, 0.7))
    ratio = [
        one.beyond_chance("all", 2150, 350, 2.0) / one.beyond_chance("all", 2150, 35, 2.0)
        for one in (falls, lasts)
    ]
    assert ratio[0] < 0.45
    assert ratio[1] > 0.8
    several = lasts.beyond_chance("all", 2150, 350, 2.0, games=10)
    assert several == pytest.approx(falls.beyond_chance("all", 2150, 350, 2.0))
