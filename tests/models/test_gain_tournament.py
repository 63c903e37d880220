"""Cross-tables of events, matches and careers."""

import math

import numpy as np
import pytest

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.gain import (
    GainModel,
    cross_tables,
    engine_strength_from,
    of_strength,
    perceived_ratings,
    rating_difference,
    results_between,
    strengths,
)
from assay.testing import make_decisions
from examples.gain_examples import place, round_robin, with_column


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
    assert len(met.perceived.anchors) == 2
    assert any("2 groups" in note and "its own" in note for note in met.notes)
    [everyone] = cross_tables(apart, GainModel(), pairs="all", resamples=0)
    assert len(everyone.perceived.anchors) == 1
    assert not np.isnan(everyone.expectations[place(everyone, "A"), place(everyone, "C")])
    assert everyone.total_expectations.sum() == pytest.approx(8)  # only games that were played


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


def test_totals_and_order(decisions: Decisions) -> None:
    [table] = cross_tables(decisions, GainModel(), resamples=0)
    assert table.total_results.sum() == pytest.approx(24)
    assert table.total_expectations.sum() == pytest.approx(24)
    assert (np.diff(table.total_results) <= 0).all()
    assert table.perceived.ratings.mean() == pytest.approx(table.elos.mean())
    assert (table.perceived.ratings - table.elos).sum() == pytest.approx(0)
    np.testing.assert_allclose(*table.engine_strength)  # section 6: both averages are exactly the same


def test_the_order_of_players_goes_through_the_whole_table(decisions: Decisions) -> None:
    """Each player's row, found by name, is the same whatever their results were."""
    turned = with_column(decisions, "result", (1 - decisions.numbers("result")).tolist())
    [first], [second] = (cross_tables(d, GainModel(), resamples=10) for d in (decisions, turned))
    assert first.players != second.players
    for name in "ABCD":
        i, j = place(first, name), place(second, name)
        assert first.perceived.ratings[i] == pytest.approx(second.perceived.ratings[j])
        assert first.low[i] == pytest.approx(second.low[j])
        assert first.against_engine[i] == pytest.approx(second.against_engine[j])
        assert first.elos[i] == second.elos[j]


def test_results_of_one_side_and_unknown_ones() -> None:
    game, result = np.array([0, 0, 1, 2]), np.array([1.0, 1.0, 0.5, math.nan])
    player, opponent = np.array([0, 0, 1, 0]), np.array([1, 1, 0, 2])
    games, results = results_between(player, opponent, game, result, 3)
    assert games.tolist() == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    assert results[0, 1] == 1.5
    assert results[1, 0] == 0.5
    assert math.isnan(results[0, 2])
    assert math.isnan(results[1, 2])


def paper_iteration(differences: Floats, known: Floats) -> Floats:
    """Algorithm 2 as it is written: one player at a time, until nothing changes."""
    ratings = known.astype(float).copy()
    for _ in range(10_000):
        before = ratings.copy()
        for player in range(len(ratings)):
            met = ~np.isnan(differences[player])
            met[player] = False
            if met.any():
                ratings[player] = np.mean(ratings[met] + differences[player][met])
        if np.abs(ratings - before).max() < 1e-10:
            break
    return np.asarray(ratings + known.mean() - ratings.mean())


def random_differences(n: int, seed: int, share: float = 1.0) -> Floats:
    generator = np.random.default_rng(seed)
    noise = np.triu(generator.normal(0, 40, (n, n)), 1)
    drawn = np.triu(generator.random((n, n)) < share, 1)
    drawn[np.arange(n - 1), np.arange(1, n)] = True  # a path through all keeps them connected
    return np.where(drawn | drawn.T, noise - noise.T, np.nan)


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_the_solution_is_what_the_papers_iteration_converges_to(share: float) -> None:
    known = np.random.default_rng(1).normal(2700, 60, 8)
    differences = random_differences(8, seed=2, share=share)
    solved = perceived_ratings(differences, known)
    np.testing.assert_allclose(solved.ratings, paper_iteration(differences, known), atol=1e-6)
    assert solved.ratings.mean() == pytest.approx(known.mean())
    assert len(solved.anchors) == 1


def test_separate_groups_are_anchored_on_their_own_means() -> None:
    differences = np.full((5, 5), np.nan)
    differences[0, 1], differences[1, 0] = 100, -100
    differences[2, 3], differences[3, 2] = 50, -50
    solved = perceived_ratings(differences, [2600, 2600, 2400, 2300, 2000])
    assert solved.ratings.tolist() == pytest.approx([2650, 2550, 2375, 2325, 2000])
    assert len(solved.anchors) == 3
    assert solved.anchors[solved.group].tolist() == pytest.approx([2600, 2600, 2350, 2350, 2000])


def test_unrated_players_count_but_do_not_anchor() -> None:
    differences = np.array([[np.nan, 30, np.nan], [-30, np.nan, np.nan], [np.nan] * 3])
    solved = perceived_ratings(differences, [2600, np.nan, np.nan])
    assert solved.ratings[:2].tolist() == pytest.approx([2600, 2570])
    assert np.isnan(solved.anchors[solved.group[2]])
    assert solved.ratings[2] == 0


# Strength through an engine: Algorithms 3 and 4 over sets of games.


def test_algorithm_four_undoes_algorithm_three() -> None:
    """The mean strength of the players that gave the engine its strength is their mean rating."""
    decisions, model = make_decisions(games=20, plies=60), GainModel()
    found = strengths(decisions, of_strength(model, engine_strength_from(decisions, model)))
    rated = [float(own.numbers("player_elo")[0]) for _, own in decisions.by("player")]
    assert sum(one.value for one in found.values()) == pytest.approx(sum(rated))


def test_strength_is_the_engine_s_and_the_difference_to_it() -> None:
    decisions = make_decisions(games=20, plies=60)
    model = of_strength(GainModel(), 2860)
    for (player, event), one in strengths(decisions, model).items():
        own = GainModel().estimate(GainModel().profile(decisions.select(player=player)))
        assert event == ""
        assert one.value == pytest.approx(2860 + float(rating_difference(own["expectation"].value)))
        assert one.low < one.value < one.high
