"""Which prior each player gets: population, event and player; flat; around the published rating."""

from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.rating.calibration import Calibration
from assay.rating.pipeline import Request, rate_everyone
from assay.rating.posterior import GRID, Normal, Range, summaries
from assay.rating.priors import (
    ANYBODY,
    RATING_ERROR,
    SPREADS,
    Events,
    Player,
    Population,
    Quantiles,
    _event,
    check_prior,
)
from examples.milepost_games import milepost_games

SMALL, LARGE = Events(2350.0, 4.44, 0.6), Events(2200.0, 5.2, 0.36)


def population(shared: float = 80.0) -> Population:
    rng = np.random.default_rng(0)
    elo = np.clip(rng.normal(2150, 270, 5000), 1250, 2850)
    quantiles = Quantiles(tuple(np.quantile(elo, np.linspace(0, 1, 21))))
    return Population(
        quantiles, Range(1250, 2850), MappingProxyType({False: SMALL, True: LARGE}), shared, 0.0
    )


def described(value: Population) -> dict[str, object]:
    events = {
        name: [one.level, 230.0, one.log_spread, one.log_spread_deviation]
        for name, one in (("small", SMALL), ("large", LARGE))
    }
    return {
        "mean": 2150.0,
        "deviation": 270.0,
        "quantiles": list(value.players.values),
        "events": events,
        "shared_error": value.shared_error,
    }


def log_likelihood(peak: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    return -0.5 * np.square((GRID - peak[..., None]) / deviation[..., None])


@pytest.fixture(scope="module")
def club() -> Decisions:
    return milepost_games([1700], seed=11, games=8, games_each=1)


def test_names_of_priors() -> None:
    assert check_prior("population") == "population"
    with pytest.raises(InputError, match="no prior 'guess': choose one of population, flat, rating"):
        check_prior("guess")


def test_the_density_of_quantiles_is_that_of_the_ratings() -> None:
    rng = np.random.default_rng(1)
    elo = 2700 - rng.gamma(2.0, 220.0, 100_000)
    elo = elo[elo > 1250]
    prior = Quantiles(tuple(np.quantile(elo, np.linspace(0, 1, 21))))
    density = np.exp(prior.log_density(GRID))
    assert density.sum() * 4 == pytest.approx(1, abs=0.02)
    for low, high in ((1500, 1800), (1800, 2100), (2100, 2400), (2400, 2700)):
        inside = density[(low <= GRID) & (high > GRID)].sum() * 4
        assert inside == pytest.approx(np.mean((low <= elo) & (elo < high)), abs=0.03)
    assert np.isfinite(prior.log_density(np.array([-1e5, 0.0, 1e5]))).all()


def test_equal_quantiles_have_their_share() -> None:
    for values, mean in (((2000.0, 2000.0), 2000.0), ((1800.0,) * 3 + (1900.0, 2000.0, 2100.0), 1890.0)):
        density = np.exp(Quantiles(values).log_density(np.arange(1000.0, 3000.0)))
        assert density @ np.arange(1000.0, 3000.0) / density.sum() == pytest.approx(mean, abs=2)


def test_the_usual_error_of_a_rating_is_as_reckoned() -> None:
    """A rating with K = 20 against equals, for long, varies by 42: by 60 with as much again for lag."""
    rng = np.random.default_rng(0)
    off = np.zeros(4000)
    for _ in range(300):
        expected = 1 / (1 + 10 ** (-off / 400))
        off += 20 * ((rng.random(4000) < 0.5) - expected)
    assert off.std() == pytest.approx(42, abs=2)
    assert pytest.approx(np.sqrt(2) * 42, abs=1) == RATING_ERROR


def event_of(n: int, rng: np.random.Generator, shared: float, anybody: Population) -> tuple[np.ndarray, ...]:
    """True Elo of the players of a made-up event, and how they appear, with the error that they share."""
    events = anybody.events[n > 15]
    level = rng.uniform(anybody.span.lowest, anybody.span.highest)
    spread = float(np.exp(rng.normal(events.log_spread, events.log_spread_deviation)))
    spread = min(max(spread, SPREADS[0]), SPREADS[-1])
    elo = rng.normal(level, 0.93 * spread, n)
    strangers = rng.random(n) < ANYBODY
    density = np.exp(anybody.log_density(GRID))
    elo[strangers] = rng.choice(GRID, strangers.sum(), p=density / density.sum())
    return elo, elo + rng.normal(0, shared)


@pytest.mark.parametrize(("size", "games"), [(8, 1), (8, 9), (30, 3), (100, 1)])
def test_ratings_of_events_cover_as_often_as_they_should(size: int, games: int) -> None:
    """By simulation, in events of 8, 30 and 100 players; and they err less than with the flat prior.

    Differences between two players too, whose ratings have the event's level and error in common.
    """
    rng = np.random.default_rng(size * 10 + games)
    shared, deviation = 80.0, 400.0 / np.sqrt(games)
    anybody = population(shared)
    inside, error, flat_error, apart, independent = [], [], [], [], []
    for _ in range(max(1200 // size, 15)):
        elo, appears = event_of(size, rng, shared, anybody)
        peak = appears + rng.normal(0, deviation, size)
        logs = log_likelihood(peak, np.full(size, deviation))[:, ::4]
        priors = _event(anybody, [games] * size, list(logs), shared)
        rated = []
        for place, prior in enumerate(priors):
            likelihood = log_likelihood(peak[place], np.array(deviation))
            mean, low, high = summaries(prior.posterior(likelihood), 0.95)
            rated.append((float(mean) - elo[place], float(high - low) / 3.92, prior.common))
            inside.append(low <= elo[place] <= high)
            error.append(abs(float(mean) - elo[place]))
            flat_error.append(abs(float(summaries(anybody.span.posterior(likelihood), 0.95)[0]) - elo[place]))
        for (one, width, common), (other, other_width, also_common) in pairwise(rated):
            both = width**2 + other_width**2
            apart.append(abs(one - other) < 1.96 * np.sqrt(both - 2 * common * also_common))
            independent.append(abs(one - other) < 1.96 * np.sqrt(both))
    assert 0.92 < np.mean(apart) <= np.mean(independent)
    # Ratings of one event err together, so there are fewer independent ones than players.
    assert 0.92 < np.mean(inside) < 0.98
    assert np.mean(error) < np.mean(flat_error)


def test_an_event_is_what_brute_force_has() -> None:
    """Against a sum over level, spread, shared error and Elo of one player, with the others known exactly."""
    rng = np.random.default_rng(3)
    shared = 80.0
    anybody = population(shared)
    peak, deviation = np.array([2300.0, 2360.0, 2410.0, 2280.0, 2600.0]), np.full(5, 250.0)
    priors = _event(anybody, [1] * 5, list(log_likelihood(peak, deviation)[:, ::4]), shared)
    mean, low, high = summaries(priors[4].posterior(log_likelihood(peak[4], deviation[4])), 0.95)
    n = 400_000
    level = rng.uniform(anybody.span.lowest, anybody.span.highest, n)
    spread = SPREADS[
        rng.choice(
            len(SPREADS),
            n,
            p=(w := np.exp(-0.5 * ((np.log(SPREADS) - SMALL.log_spread) / SMALL.log_spread_deviation) ** 2))
            / w.sum(),
        )
    ]
    error = rng.normal(0, shared, n)
    log = np.zeros(n)
    for place in range(4):
        variance = deviation[place] ** 2 + (0.93 * spread) ** 2
        log += -0.5 * (peak[place] - level - error) ** 2 / variance - 0.5 * np.log(variance)
    elo = level + 0.93 * spread * rng.normal(size=n)
    log += -0.5 * ((peak[4] - elo - error) / deviation[4]) ** 2
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    order = np.argsort(elo)
    quantiles = np.interp([0.025, 0.975], np.cumsum(weight[order]), elo[order])
    # One player in twenty is anybody of the population, which brute force leaves out.
    assert float(mean) == pytest.approx(float(weight @ elo), abs=15)
    assert [float(low), float(high)] == pytest.approx(quantiles.tolist(), abs=30)


@pytest.mark.parametrize(("level", "most"), [(1350.0, 30.0), (2750.0, 30.0)])
def test_events_at_the_ends_of_the_scale_are_not_shrunk_to_the_middle(level: float, most: float) -> None:
    """Nine players with eight games each, as exact as games of grandmasters with `quick`."""
    rng = np.random.default_rng(0)
    anybody, deviation = population(), 550.0 / np.sqrt(8)
    bias = []
    for _ in range(60):
        elo = rng.normal(level, 40.0, 9)
        peak = elo + rng.normal(0, deviation, 9)
        logs = log_likelihood(peak, np.full(9, deviation))
        priors = _event(anybody, [8] * 9, list(logs[:, ::4]), anybody.shared_error)
        means = [summaries(one.posterior(log), 0.95)[0] for one, log in zip(priors, logs, strict=True)]
        bias.append(np.mean(means) - elo.mean())
    assert abs(np.mean(bias)) < most


def test_a_club_is_rated_as_a_club(club: Decisions, calibration: Calibration) -> None:
    """Players at the lower end, one game each: flat over the scale puts them too high."""
    informed = replace(calibration, about={**calibration.about, "population": described(population())})
    rated = {
        name: rate_everyone(club, informed, Request(prior=name)) for name in ("flat", "population", "rating")
    }
    elo = {name: np.array([one.combined.elo for one in answer.players]) for name, answer in rated.items()}
    assert np.abs(elo["rating"] - 1700).mean() < np.abs(elo["flat"] - 1700).mean()
    assert np.abs(elo["rating"] - 1700).max() < 2 * RATING_ERROR
    assert rated["population"].prior.startswith("population: players of such games, median 21")
    for player in rated["population"].players:
        assert player.moves_only is not None
        same = [one for one in rated["flat"].players if one.player == player.player]
        assert player.moves_only.elo == pytest.approx(same[0].combined.elo)


def test_games_of_an_event_have_the_event_of_its_players(club: Decisions, calibration: Calibration) -> None:
    """One game each: a player's only game has the rating of the player."""
    informed = replace(calibration, about={**calibration.about, "population": described(population())})
    games, players = (rate_everyone(club, informed, Request(by=by)) for by in ("game", "player"))
    assert {one.player: one.combined.elo for one in games.players} == pytest.approx(
        {one.player: one.combined.elo for one in players.players}
    )


def test_a_calibration_without_a_population_says_so(club: Decisions, calibration: Calibration) -> None:
    rated = rate_everyone(club, calibration)
    assert rated.prior == calibration.range.words
    assert any("does not contain how strong its players are" in note for note in rated.notes)


def test_who_has_no_published_rating_has_the_population(calibration: Calibration) -> None:
    from assay.rating.priors import Priors, _published

    groups = [Player("Ann", None, 1, 2100.0), Player("Bob"), Player("Ann")]
    fallback = Priors("population", "the others", [population()] * 3)
    priors = _published(groups, fallback)
    assert priors.each[0] == priors.each[2] == Normal(2100.0, RATING_ERROR)
    assert priors.each[1] is fallback.each[1]
    assert priors.notes == ("No published rating: Bob. The prior there is the others.",)
