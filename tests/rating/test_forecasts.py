"""Forecasts: every interval has its estimate in it, and holds the truth as often as it says."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from assay.answers.comparisons import Match
from assay.answers.ratings import Rating
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.names import Who
from assay.errors import InputError
from assay.models.markov import MarkovModel
from assay.models.registry import make_model
from assay.rating.calibration import Calibration
from assay.rating.careers import Careers
from assay.rating.comparisons import (
    find_matches,
    forecast_between,
    forecast_matches,
    match_errors,
    rated_forecasts,
    read_matches,
)
from assay.rating.pipeline import rate_decisions
from assay.reproduce.alliot2017 import championships
from assay.testing import make_decisions
from examples.game_tables import make_games
from examples.milepost_games import milepost_games


def _rating(elo: float, reach: float) -> Rating:
    return Rating("combined", elo, low=elo - reach, high=elo + reach, decisions=100, games=4)


def test_a_forecast_between_ratings_holds_its_estimate() -> None:
    exact = forecast_between(_rating(2200, 1e-6), _rating(2000, 1e-6))
    assert exact.expectation == pytest.approx(float(expectation(200)))
    unsure = forecast_between(_rating(2200, 600), _rating(2000, 600))
    assert unsure.low < unsure.expectation < unsure.high
    assert 0.5 < unsure.expectation < exact.expectation  # drawn to one half by what is not known
    back = forecast_between(_rating(2000, 600), _rating(2200, 600))
    assert back.expectation == pytest.approx(1 - unsure.expectation)
    assert back.low == pytest.approx(1 - unsure.high)


@pytest.mark.parametrize("method", ["gain", "conformance"])
def test_intervals_of_few_games_hold_the_truth(method: str) -> None:
    large = Careers(make_model(method), milepost_games([2000, 2250], games=60, games_each=60, seed=5))
    white = [name for name in large.players if name.startswith("white")]
    truth = large.forecast(Who(white[0]), Who(white[1]), resamples=2).expectation
    few = Careers(make_model(method), milepost_games([2000, 2250], games=50, games_each=5, seed=6))
    pairs = zip(*([name for name in few.players if elo in name] for elo in (" 2000 ", " 2250 ")), strict=True)
    found = [few.forecast(Who(one), Who(other), resamples=60) for one, other in pairs]
    assert len(found) == 20
    assert all(one.low <= one.expectation <= one.high for one in found)
    # So many at least, but for one run in a thousand.
    assert sum(one.low <= truth <= one.high for one in found) >= binom.ppf(0.001, len(found), 0.95)


def test_too_few_games_have_no_interval_and_say_so() -> None:
    few = Careers(make_model("gain"), milepost_games([2000, 2250], games=3, games_each=3))
    one, other = few.players[:2]
    found = few.forecast(Who(one), Who(other))
    assert np.isnan(found.low)
    assert any("fewer than 4 games" in note for note in found.notes)


def test_ratings_forecast_as_rate_has_them(calibration: Calibration) -> None:
    new = milepost_games([1800, 2400], seed=21, games=4, games_each=4)
    rated = {player.player: player for player in rate_decisions(new, calibration)[0]}
    weak, strong = (rated[name] for name in sorted(new.players) if name.startswith("white"))
    found = rated_forecasts(strong, weak)
    assert found["combined"].expectation > 0.8
    assert all(one.low <= one.expectation <= one.high for one in found.values())
    assert rated_forecasts(strong, None) == {}


# Matches forecast from the year before.


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    """Ann and Bob in 2000, 2001, ..., 2004: two games a year."""
    return make_decisions(games=10, plies=80)


class TestMatches:
    def test_the_papers_elo_forecasts(self) -> None:
        printed = [row for row in championships() if row.first_elo]
        assert len(championships()) == 17
        assert len(printed) == 11
        assert expectation(125) == pytest.approx(0.67, abs=0.005)

    def test_forecasts_are_from_the_year_before(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=10)
        matches = [
            Match(first="Ann", second="Bob", year=2003, actual=0.6, first_elo=2500, second_elo=2400),
            Match(first="Ann", second="Bob", year=1980, actual=0.5),
        ]
        rows = forecast_matches(matches, [careers])
        years = Who("Ann", 2002), Who("Bob", 2002)
        only = Careers(MarkovModel(), decisions.select(year=[2000, 2001, 2002]), min_moves=10)
        assert rows[0].forecasts["markov"].expectation == only.forecast(*years).expectation
        # A prior of all years would have known more than there was to know.
        assert rows[0].forecasts["markov"].expectation != careers.forecast(*years).expectation
        assert set(rows[0].forecasts) == {"markov", "elo", "half"}
        assert "markov" not in rows[1].forecasts
        assert "markov: no moves of Ann in 1979" in rows[1].notes[0]
        errors = {one.method: one for one in match_errors(rows)}
        assert errors["half"].error == pytest.approx(0.05)
        assert errors["elo"].matches == 1

    def test_matches_are_found_among_the_games(self, decisions: Decisions) -> None:
        assert find_matches(decisions, min_games=2) == []  # two games a year, in two events
        [first, *_] = find_matches(decisions, min_games=1)
        assert (first.first, first.second, first.first_elo, first.second_elo) == ("Ann", "Bob", 2400, 2200)
        games = make_games(games=9, moves=12)
        one_event = find_matches(games, min_games=3)
        assert [(m.first, m.second, m.year, m.games) for m in one_event] == [
            ("A", "B", y, 3) for y in (2000, 2001, 2002)
        ]
        results = {m.year: m.actual for m in one_event}
        for year in (2000, 2001, 2002):
            own = games.select(player="A", year=year)
            shares = dict(zip(own.text("game_id"), own.numbers("result"), strict=True))
            assert results[year] == pytest.approx(np.mean(list(shares.values())))

    def test_lists_of_matches(self, tmp_path: Path) -> None:
        path = tmp_path / "matches.csv"
        path.write_text(
            "first,second,year,actual,first_elo,second_elo\nAnn,Bob,2003,62,2500,\nA,B,2001,0.5,,\n"
        )
        assert read_matches(path) == [
            Match(first="Ann", second="Bob", year=2003, actual=0.62, first_elo=2500),
            Match(first="A", second="B", year=2001, actual=0.5),
        ]
        path.write_text("first,second\nAnn,Bob\n")
        with pytest.raises(InputError, match="year"):
            read_matches(path)
        path.write_text("first,second,year,actual\nAnn,Bob,soon,50\n")
        with pytest.raises(InputError, match="not a match"):
            read_matches(path)
