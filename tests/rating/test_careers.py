"""Players through the years: forgetting, activity, head-to-heads."""

import numpy as np
import pytest

from assay.answers.comparisons import HeadToHeads
from assay.decisions.decisions import Decisions
from assay.decisions.names import Who
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.conformance import ConformanceModel, cumulative
from assay.models.covariance import CovarianceModel
from assay.models.markov import MarkovModel
from assay.rating.careers import Careers, career_table, head_to_heads
from assay.testing import make_decisions


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    """Ann and Bob in 2000, 2001, ..., 2004: two games a year."""
    return make_decisions(games=10, plies=80)


class TestCareers:
    def test_years_before_count_half_and_later_ones_nothing(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=10)
        parts = [careers.single[Who("Ann", year)] for year in (2000, 2001, 2002)]
        assert careers.profile(Who("Ann", 2002)).equals(Profile.sum(parts, [0.25, 0.5, 1.0]))
        whole = MarkovModel().profile(decisions.select(player="Ann"))
        assert careers.profile(Who("Ann")).equals(whole)

    def test_the_smoothed_indicator_is_the_papers_q(self, decisions: Decisions) -> None:
        model = ConformanceModel("raw")
        careers = Careers(model, decisions, min_moves=10)
        years = [2000, 2001, 2002]
        counts = [careers.single[Who("Bob", year)].evidence for year in years]
        # Section 3.2.1: R' of counts by year, each year before counting half as much.
        q = cumulative(np.array([0.25, 0.5, 1.0]) @ np.array(counts))
        assert model.at(careers.profile(Who("Bob", 2002)), 30).value == pytest.approx(q[3])

    def test_years_with_few_moves_are_not_active_and_say_so(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=500)
        key = Who("Ann", 2001)
        assert not careers.is_active(key)
        assert "below the 500 moves" in careers.note(key)
        assert careers.active() == []
        assert any("below" in note for note in careers.forecast(key, Who("Bob", 2001)).notes)
        with pytest.raises(InputError, match="--min-moves"):
            head_to_heads(careers)

    def test_a_player_whose_moves_are_all_left_out_is_not_said_to_be_missing(
        self, decisions: Decisions
    ) -> None:
        of_ann = np.array([name == "Ann" for name in decisions.text("player")])
        careers = Careers(
            MarkovModel(), decisions.take(np.flatnonzero(of_ann | (decisions.numbers("ply") < 8)))
        )
        assert careers.players == ["Ann"]
        with pytest.raises(InputError, match="no decisions of Bob pass the rules"):
            careers.parse("bob")

    def test_before_a_year_nothing_is_learned_from_it(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=10)
        only = Careers(MarkovModel(), decisions.select(year=[2000, 2001, 2002]), min_moves=10)
        earlier, prior = careers.before(2003), careers.model.prior_
        assert earlier.single.keys() == only.single.keys()
        assert (earlier.model.prior_.rows == only.model.prior_.rows).all()
        assert earlier.before(2005).single.keys() == only.single.keys()
        assert careers.before(2005).single.keys() > only.single.keys()
        assert careers.model.prior_ is prior
        with pytest.raises(InputError, match="no moves before 2000"):
            careers.before(2000)

    def test_a_wrong_factor_is_refused(self, decisions: Decisions) -> None:
        with pytest.raises(InputError, match="forgetting"):
            Careers(MarkovModel(), decisions, forgetting=0.5)


class TestHeadToHeads:
    def test_best_years_have_most_victories_over_others(self) -> None:
        keys = tuple(Who(name, year) for name in "AB" for year in (1, 2))
        table = np.full((4, 4), 0.5)
        table[0, 2:], table[2:, 0] = (0.4, 0.6), (0.6, 0.4)
        table[1, 2:], table[2:, 1] = (0.55, 0.7), (0.45, 0.3)
        best = HeadToHeads(keys, table).best_years()
        assert best == (Who("A", 2), Who("B", 1))
        assert HeadToHeads(keys, table).among(best).as_white.tolist() == [[0.5, 0.55], [0.45, 0.5]]

    def test_matches_share_colours(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=10)
        table = head_to_heads(careers)
        assert len(table.keys) == 10
        assert table.match + table.match.T == pytest.approx(np.ones((10, 10)))
        i, j = 1, 7
        assert table.match[i, j] == pytest.approx(careers.forecast(table.keys[i], table.keys[j]).expectation)

    def test_ranges_are_those_of_a_forecast(self, decisions: Decisions) -> None:
        for model in (ConformanceModel(), CovarianceModel(), MarkovModel()):
            careers = Careers(model, decisions, min_moves=10)
            keys = Who("Ann", 2004), Who("Bob", 2004)
            table = careers.with_ranges(head_to_heads(careers, keys), resamples=50)
            forecast = careers.forecast(*keys, resamples=50)
            assert table.low is not None
            assert table.high is not None
            assert (table.low[0, 1], table.high[0, 1]) == pytest.approx((forecast.low, forecast.high))
            assert table.low[1, 0] == pytest.approx(1 - forecast.high)
            assert np.isnan(np.diag(table.low)).all()
            [words] = table.details()
            assert len(list(words.rows)) == 1


def test_a_career_has_every_year_and_the_numbers_of_every_method(decisions: Decisions) -> None:
    model, conformance = MarkovModel(), ConformanceModel()
    ours, theirs = (Careers(method, decisions, min_moves=70) for method in (model, conformance))
    rows = career_table("bob", theirs, [ours], resamples=20)
    assert [row["year"] for row in rows] == [2000, 2001, 2002, 2003, 2004]
    for row in rows:
        key = Who("Bob", row["year"])
        assert (row["player"], row["ratings"], row["active"]) == ("Bob", {}, theirs.is_active(key))
        assert row["decisions"] == theirs.single[key].decisions
        assert row["conformance"] == conformance.estimate(theirs.profile(key))["conformance"].value
        assert row["conformance_0"] <= row["conformance"]
        assert row["conformance_low"] <= row["conformance"] <= row["conformance_high"]
        expected = model.estimate(ours.profile(key))["expectation"]
        assert row["markov_expectation"] == pytest.approx(expected.value)
