"""Which prior each player gets, and what it is called."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.group_ratings import Rater
from assay.rating.pipeline import Request, rate_everyone
from assay.rating.posterior import GRID, Range, RawRatings, elo_posterior
from assay.rating.priors import (
    CAVEAT,
    DEVIATIONS,
    RATING_ERROR,
    USUAL_DEVIATION,
    Normal,
    Pool,
    Quantiles,
    check_prior,
    pool_of,
    population,
    prior_notes,
    priors_for,
)
from examples.milepost_games import milepost_games
from examples.spreads import known, plain_spread


@pytest.fixture(scope="module")
def club() -> Decisions:
    return milepost_games([1700], seed=11, games=8, games_each=1)


def without_ratings(decisions: Decisions, players: int) -> Decisions:
    table = decisions.to_table()
    place = table.schema.get_field_index("player_elo")
    strangers = set(decisions.players[:players])
    elos = [
        None if row["player"] in strangers else row["player_elo"]
        for row in table.select(["player", "player_elo"]).to_pylist()
    ]
    field = table.schema.field(place)
    return Decisions.from_table(table.set_column(place, field, pa.array(elos, field.type)))


def test_every_prior_is_named(club: Decisions, calibration: Calibration) -> None:
    rater = Rater(Appearances.of(club), calibration)
    assert priors_for(rater).words == "flat over 1700 to 2600"
    assert priors_for(rater, "pool").words.startswith("pool: normal around 1")
    assert priors_for(rater, "pool").words.endswith("learned from the moves of 16 players")
    assert priors_for(rater, "rating").words.endswith(f"published rating with deviation {RATING_ERROR:.0f}")
    with pytest.raises(InputError, match="no prior 'guess': choose one of flat, pool, population, rating"):
        check_prior("guess")


def test_the_population_is_that_of_the_calibration(club: Decisions, calibration: Calibration) -> None:
    """Of a club below it, ratings by one game are drawn to it; a calibration that says nothing is refused."""
    with pytest.raises(InputError, match="--prior flat or pool"):
        rate_everyone(club, calibration, Request(prior="population"))
    about = {**calibration.about, "population": {"mean": 2300.0, "deviation": 150.0}}
    known = replace(calibration, about=about)
    found = rate_everyone(club, known, Request(prior="population"))
    assert found.prior is not None
    assert found.prior.endswith("games are, around 2300 with deviation 150")
    flat = {one.player: one.combined.elo for one in rate_everyone(club, calibration).players if one.combined}
    drawn = {one.player: one.combined.elo for one in found.players if one.combined}
    assert np.mean([drawn[name] - flat[name] for name in flat]) > 30


def skewed(rng: np.random.Generator, n: int) -> np.ndarray:
    """Ratings as those of real players are: most of them strong, and a long tail down."""
    drawn = 2700 - rng.gamma(2.0, 220.0, 2 * n)
    return np.asarray(drawn[drawn > 1250][:n])


def test_the_density_of_quantiles_is_that_of_the_ratings() -> None:
    elo = skewed(np.random.default_rng(1), 50_000)
    prior = Quantiles(tuple(np.quantile(elo, np.linspace(0, 1, 21))))
    density = np.exp(prior.log_density(GRID))
    density /= density.sum()
    assert density @ GRID == pytest.approx(elo.mean(), abs=15)
    for low, high in ((1500, 1800), (1800, 2100), (2100, 2400), (2400, 2700)):
        inside = density[(low <= GRID) & (high > GRID)].sum()
        assert inside == pytest.approx(np.mean((low <= elo) & (elo < high)), abs=0.03)
    assert np.isfinite(prior.log_density(np.array([-1e5, 0.0, 1e5]))).all()


def test_equal_quantiles_have_their_share() -> None:
    for values, mean in (((2000.0, 2000.0), 2000.0), ((1800.0,) * 3 + (1900.0, 2000.0, 2100.0), 1890.0)):
        density = np.exp(Quantiles(values).log_density(np.arange(1000.0, 3000.0)))
        assert density @ np.arange(1000.0, 3000.0) / density.sum() == pytest.approx(mean, abs=2)


def test_by_quantiles_intervals_of_one_game_hold_and_errors_are_smaller_than_by_a_normal() -> None:
    rng = np.random.default_rng(2)
    taught, elo = skewed(rng, 20_000), skewed(rng, 3000)
    spread = plain_spread(400.0)
    priors = {
        "quantiles": Quantiles(tuple(np.quantile(taught, np.linspace(0, 1, 21)))),
        "normal": Normal(float(taught.mean()), float(taught.std())),
    }
    raws = [RawRatings(np.array([one + rng.normal(0, 400)]), spread.game_size) for one in elo]
    errors = {}
    for name, prior in priors.items():
        found = [elo_posterior(raw, spread, prior, [0]) for raw in raws]
        ends = np.array([(one.mean, *one.region(0.95)) for one in found if one is not None])
        errors[name] = np.abs(ends[:, 0] - elo).mean()
        if name == "quantiles":
            assert 0.935 < np.mean((ends[:, 1] <= elo) & (elo <= ends[:, 2])) < 0.965
    assert errors["quantiles"] < 0.99 * errors["normal"]


def test_the_population_is_read_by_its_quantiles(calibration: Calibration) -> None:
    said = {"mean": 2300.0, "deviation": 150.0, "quantiles": [1900.0, 2250.0, 2350.0, 2500.0]}
    prior = population(replace(calibration, about={**calibration.about, "population": said}))
    assert prior.words.endswith("around 2300 with deviation 150")
    [at_2300, at_2000] = prior.of(np.zeros(1, np.int64)).log_density(np.array([2300.0, 2000.0]))
    assert at_2300 - at_2000 == pytest.approx(np.log(3.5), abs=0.3)


def test_the_usual_error_of_a_rating_is_as_reckoned() -> None:
    """A rating with K = 20 against equals, for long, strays by 42: by 60 with as much again for lag."""
    rng = np.random.default_rng(0)
    off = np.zeros(4000)
    for _ in range(300):
        expected = 1 / (1 + 10 ** (-off / 400))
        off += 20 * ((rng.random(4000) < 0.5) - expected)
    assert off.std() == pytest.approx(42, abs=2)
    assert pytest.approx(np.sqrt(2) * 42, abs=1) == RATING_ERROR


def test_a_club_is_rated_as_a_club(club: Decisions, calibration: Calibration) -> None:
    """Players at the lower end, one game each: flat over the scale puts them too high."""
    found = {
        name: rate_everyone(club, calibration, Request(prior=name)) for name in ("flat", "pool", "rating")
    }
    elo = {name: np.array([one.combined.elo for one in rated.players]) for name, rated in found.items()}
    error = {name: np.abs(one - 1700).mean() for name, one in elo.items()}
    assert error["rating"] < error["pool"] < error["flat"]
    assert np.abs(elo["rating"] - 1700).max() < 2 * RATING_ERROR
    assert CAVEAT in found["flat"].notes
    assert CAVEAT not in found["pool"].notes
    assert found["pool"].prior.startswith("pool")


def test_ratings_of_games_share_the_pool_of_players(club: Decisions, calibration: Calibration) -> None:
    """One game each: a player's only game has the rating of the player."""
    games, players = (
        rate_everyone(club, calibration, Request(prior="pool", by=by)) for by in ("game", "player")
    )
    assert games.prior == players.prior
    assert {one.player: one.combined.elo for one in games.players} == pytest.approx(
        {one.player: one.combined.elo for one in players.players}
    )


def test_who_has_no_rating_is_said(club: Decisions, calibration: Calibration) -> None:
    rater = Rater(Appearances.of(without_ratings(club, 5)), calibration)
    priors = priors_for(rater, "rating")
    (note,) = priors.notes
    assert note.startswith(f"No published rating: {club.players[0]}")
    assert "and 2 more. The prior there is pool: normal" in note
    codes = [rater.appearances.names("player").index(name) for name in (club.players[0], club.players[-1])]
    stranger, known = (priors.of(np.flatnonzero(rater.appearances.player == code)) for code in codes)
    assert known == Normal(1700.0, RATING_ERROR)
    assert not isinstance(stranger, Normal)
    assert np.isfinite(stranger.log_density(GRID)).all()


def test_the_caveat_is_for_few_games_and_the_flat_prior(club: Decisions, calibration: Calibration) -> None:
    rater = Rater(Appearances.of(club), calibration)
    assert prior_notes(priors_for(rater), [40, 3]) == (CAVEAT,)
    assert prior_notes(priors_for(rater), [40, 4]) == ()
    assert prior_notes(priors_for(rater, "rating"), [1]) == ()


# The population of the players at hand, against the same by plain integration and against known truth.

SPAN = Range(1500, 2800)


def log_likelihoods(elos: list[float], error: float) -> list[np.ndarray]:
    return [-0.5 * np.square((GRID - elo) / error) for elo in elos]


def normal(x: np.ndarray | float, mean: float, deviation: float) -> np.ndarray:
    return np.exp(-0.5 * np.square((x - mean) / deviation)) / (deviation * np.sqrt(2 * np.pi))


def slow_prior(elos: list[float], error: float, at: np.ndarray) -> np.ndarray:
    """Density of one more player: every pair of mean and deviation in turn, nothing clever.

    The integral of a normal likelihood times a normal is a normal of both variances.
    """
    total = np.zeros(len(at))
    weight_of_all = 0.0
    for deviation in DEVIATIONS:
        for mean in np.arange(900.0, 3401.0, 12.5):
            before = np.exp(SPAN.log_density(np.array([mean]))[0]) * deviation
            before *= np.exp(-0.5 * (deviation / USUAL_DEVIATION) ** 2)
            weight = before * np.prod([normal(elo, mean, np.hypot(deviation, error)) for elo in elos])
            total += weight * normal(at, mean, deviation)
            weight_of_all += weight
    return total / weight_of_all


@pytest.mark.parametrize("elos", [[], [1650.0], [1600.0, 1700.0, 1540.0], [2500.0, 1700.0]])
def test_the_prior_of_a_player_is_what_the_others_let_expect(elos: list[float]) -> None:
    at = np.arange(1200.0, 3001.0, 150.0)
    own = 2300.0  # whatever the player's own moves say: it must not count
    pool = Pool.learn(log_likelihoods([*elos, own], 80.0), SPAN)
    found = np.exp(pool.without(len(elos)).log_density(at))
    assert found == pytest.approx(slow_prior(elos, 80.0, at), rel=0.05, abs=2e-6)


def test_mean_and_deviation_of_a_population_are_found() -> None:
    rng = np.random.default_rng(5)
    elos = rng.normal(1620, 110, 300)
    pool = Pool.learn(log_likelihoods((elos + rng.normal(0, 300, 300)).tolist(), 300.0), SPAN)
    # Standard errors: 18 of the mean; the deviation hides below errors almost three times as large.
    assert pool.mean == pytest.approx(1620, abs=54)
    assert 40 < pool.deviation < 200
    assert pool.weights().sum() == pytest.approx(1)


def test_a_club_comes_out_as_it_is() -> None:
    """One game each: the flat prior lifts everybody to the middle of the scale, the pool does not."""
    spread = known()
    rng = np.random.default_rng(6)
    elos = rng.normal(1600, 100, 100)
    raws = [RawRatings(rng.multivariate_normal([elo, elo], spread.unit[0]), 30.0) for elo in elos]
    pool, priors = pool_of(raws, spread, SPAN, [0, 1])
    assert pool is not None
    means = {}
    for name, chosen in {"flat": [SPAN] * 100, "pool": priors}.items():
        posteriors = [
            elo_posterior(raw, spread, prior, [0, 1]) for raw, prior in zip(raws, chosen, strict=True)
        ]
        means[name] = np.mean([one.mean for one in posteriors if one is not None])
    assert means["flat"] > 1750
    assert means["pool"] == pytest.approx(1600, abs=150)  # three standard errors


def test_moves_that_say_nothing_make_no_pool() -> None:
    spread = known()
    nothing = RawRatings(np.array([np.nan, np.nan]), 30.0)
    something = RawRatings(np.array([1700.0, 1700.0]), 30.0)
    assert pool_of([nothing], spread, SPAN, [0, 1]) == (None, [SPAN])
    pool, priors = pool_of([nothing, something], spread, SPAN, [0, 1])
    assert pool is not None
    assert len(pool.log_likelihoods) == 1
    assert len(priors) == 2
