"""Cross-tables of events, matches and careers."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models import GainModel
from assay.models.gain.tournament import cross_tables
from assay.testing import make_decisions
from examples.gain_examples import place, round_robin


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return round_robin()


def test_cells_are_comparisons_of_all_games_of_the_event(decisions: Decisions) -> None:
    model = GainModel()
    [table] = cross_tables(decisions, model, resamples=20)
    a, b = place(table, "A"), place(table, "B")
    profiles = {name: model.profile(decisions.select(player=name)) for name in "ABCD"}
    expected = model.forecast(profiles["A"], profiles["B"]).expectation
    assert table.expectations[a, b] == pytest.approx(expected)
    assert table.expectations[b, a] == pytest.approx(1 - expected)
    assert table.games[a, b] == table.games[b, a] == 4
    assert table.results[a, b] + table.results[b, a] == pytest.approx(4)
    assert np.isnan(np.diag(table.expectations)).all()


def test_a_match_is_compared_by_its_own_games(decisions: Decisions) -> None:
    model = GainModel()
    [table] = cross_tables(decisions, model, by="match", resamples=0)
    a, b = place(table, "A"), place(table, "B")
    one = model.profile(decisions.select(player="A", opponent="B"))
    other = model.profile(decisions.select(player="B", opponent="A"))
    assert table.expectations[a, b] == pytest.approx(model.forecast(one, other).expectation)
    with pytest.raises(InputError, match="did not meet"):
        cross_tables(decisions, model, by="match", pairs="all")


def test_intervals_hold_the_strength_and_need_games(decisions: Decisions) -> None:
    [table] = cross_tables(decisions, GainModel(), resamples=100)
    assert (table.low < table.perceived.ratings).all()
    assert (table.perceived.ratings < table.high).all()
    [few] = cross_tables(round_robin("AB", games=2), GainModel(), resamples=100)
    assert np.isnan(few.low).all()


def test_each_event_has_a_table_and_a_career_has_all_games() -> None:
    decisions = make_decisions(games=9)
    events = cross_tables(decisions, GainModel(), resamples=0)
    assert [table.title for table in events] == ["event0", "event1", "event2"]
    assert all(table.games.sum() == 6 for table in events)
    [career] = cross_tables(decisions, GainModel(), by="career", resamples=0)
    assert career.games.sum() == 18
    [of_event] = cross_tables(decisions, GainModel(), by="career", event="event1", resamples=0)
    assert of_event.games.sum() == 6
    a, b = place(career, "Ann"), place(career, "Bob")
    c, d = place(of_event, "Ann"), place(of_event, "Bob")
    assert of_event.expectations[c, d] == pytest.approx(career.expectations[a, b])
    with pytest.raises(InputError, match="there are event0"):
        cross_tables(decisions, GainModel(), event="nowhere")


def test_players_who_did_not_meet_are_compared_on_request() -> None:
    apart = Decisions.concat([round_robin("AB"), round_robin("CD")])
    [met] = cross_tables(apart, GainModel(), resamples=0)
    assert np.isnan(met.expectations[place(met, "A"), place(met, "C")])
    assert met.perceived.n_groups == 2
    assert any("2 groups" in note and "its own" in note for note in met.notes)
    [everyone] = cross_tables(apart, GainModel(), pairs="all", resamples=0)
    assert everyone.perceived.n_groups == 1
    assert not np.isnan(everyone.expectations[place(everyone, "A"), place(everyone, "C")])
    assert everyone.total_expectations.sum() == pytest.approx(8)  # only games that were played


def test_decisions_of_one_side_alone_give_a_table() -> None:
    decisions = make_decisions().select(player="Ann")
    [table] = cross_tables(decisions, GainModel(), by="career", resamples=10)
    assert table.players == ("Ann",)
    assert table.total_results.tolist() == [0.0]
    assert table.perceived.ratings.tolist() == [2400.0]


def test_infinite_differences_are_said_and_do_not_count() -> None:
    decisions = make_decisions(games=1, plies=2)
    [table] = cross_tables(decisions, GainModel(), resamples=0)
    assert np.isinf(table.differences).sum() == 2
    assert any("infinite" in note for note in table.notes)
    assert table.perceived.ratings.tolist() == table.elos.tolist()


def test_nothing_to_show_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="passes the rules"):
        cross_tables(make_decisions().select(player="Nobody"), GainModel())
    with pytest.raises(InputError, match="one of"):
        cross_tables(make_decisions(), GainModel(), by="moon")
