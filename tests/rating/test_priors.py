"""Which prior each player gets, and what it is called."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from assay.domain.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.groups import Rater
from assay.rating.posterior import GRID
from assay.rating.priors import CAVEAT, RATING_ERROR, Normal, check_prior, prior_notes, priors_for
from assay.rating.rate import rate_everyone
from examples.milepost_games import milepost_games


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
        rate_everyone(club, calibration, prior="population")
    about = {**calibration.about, "population": {"mean": 2300.0, "deviation": 150.0}}
    known = replace(calibration, about=about)
    found = rate_everyone(club, known, prior="population")
    assert found.prior is not None
    assert found.prior.startswith("population: normal around 2300 with deviation 150")
    flat = {one.player: one.combined.elo for one in rate_everyone(club, calibration).players if one.combined}
    drawn = {one.player: one.combined.elo for one in found.players if one.combined}
    assert np.mean([drawn[name] - flat[name] for name in flat]) > 30


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
    found = {name: rate_everyone(club, calibration, prior=name) for name in ("flat", "pool", "rating")}
    elo = {name: np.array([one.combined.elo for one in rated.players]) for name, rated in found.items()}
    error = {name: np.abs(one - 1700).mean() for name, one in elo.items()}
    assert error["rating"] < error["pool"] < error["flat"]
    assert np.abs(elo["rating"] - 1700).max() < 2 * RATING_ERROR
    assert CAVEAT in found["flat"].notes
    assert CAVEAT not in found["pool"].notes
    assert found["pool"].prior.startswith("pool")


def test_ratings_of_games_share_the_pool_of_players(club: Decisions, calibration: Calibration) -> None:
    """One game each: a player's only game has the rating of the player."""
    games, players = (rate_everyone(club, calibration, prior="pool", by=by) for by in ("game", "player"))
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
