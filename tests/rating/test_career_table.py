"""A career as rows: every year, its intervals, and ratings where there is a scale."""

import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.names import Who
from assay.models.losses.conformance import ConformanceModel
from assay.models.markov.model import MarkovModel
from assay.rating.calibration import Calibration
from assay.rating.career_table import career_table
from assay.rating.careers import Careers
from assay.rating.rate import rate_decisions
from assay.testing import make_decisions
from examples.milepost_games import milepost_games


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    """Ann and Bob in 2000, 2001, ..., 2004: two games a year."""
    return make_decisions(games=10, plies=80)


def test_a_career_has_every_year(decisions: Decisions) -> None:
    rows = career_table(decisions, "Ann", [MarkovModel()], min_moves=10, resamples=20)
    assert [row["year"] for row in rows] == [2000, 2001, 2002, 2003, 2004]
    assert all(row["conformance_low"] <= row["conformance"] <= row["conformance_high"] for row in rows)
    assert all(row["conformance_0"] <= row["conformance"] for row in rows)
    assert all("markov_expectation" in row and row["ratings"] == {} for row in rows)


def test_numbers_are_those_of_the_careers(decisions: Decisions) -> None:
    model, conformance = MarkovModel(), ConformanceModel()
    rows = career_table(decisions, "bob", [model], min_moves=70, resamples=0)
    ours = Careers(model, decisions, min_moves=70)
    theirs = Careers(conformance, decisions, min_moves=70)
    for row in rows:
        key = Who("Bob", row["year"])
        assert row["player"] == "Bob"
        assert row["active"] == theirs.is_active(key)
        assert row["decisions"] == theirs.single[key].decisions
        assert row["conformance"] == conformance.estimate(theirs.profile(key))["conformance"].value
        expected = model.estimate(ours.profile(key))["expectation"]
        assert row["markov_expectation"] == pytest.approx(expected.value)


def test_ratings_are_of_the_years_own_games(calibration: Calibration) -> None:
    decisions = milepost_games([1800, 2200], seed=5, games=4)
    player = decisions.players[0]
    rows = career_table(decisions, player, calibration=calibration, min_moves=10, resamples=0)
    own, _ = rate_decisions(decisions.select(player=player), calibration, by="year")
    by_year = {int(one.group): one for one in own}
    assert {row["year"] for row in rows if row["ratings"]} == set(by_year)
    for row in rows:
        if row["ratings"]:
            combined = by_year[row["year"]].combined
            assert row["ratings"]["combined"] == {
                "elo": combined.elo,
                "low": combined.low,
                "high": combined.high,
            }
