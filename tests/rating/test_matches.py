"""Matches forecast from the year before."""

from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.names import Who
from assay.errors import InputError
from assay.models.markov.model import MarkovModel
from assay.rating.careers import Careers
from assay.rating.matches import (
    Match,
    find_matches,
    forecast_matches,
    match_errors,
    read_matches,
)
from assay.reproduction.alliot2017.championships import championships
from assay.testing import make_decisions
from examples.game_tables import make_games


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
