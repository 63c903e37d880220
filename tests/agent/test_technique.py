import numpy as np
import pytest

from assay.agent.technique import mates_in_one, unfolded, with_draws


def test_within_ten_pawns_nothing_changes() -> None:
    values = np.array([-1000.0, -37.0, 0.0, 250.0, 1000.0])
    assert unfolded(values).tolist() == values.tolist()


def test_the_scale_never_falls_and_is_odd() -> None:
    rising = np.array([0, 999, 1000, 1001, 2000, 9000, 30_999, 31_900, 31_980, 31_990, 31_998, 31_999.0])
    found = unfolded(rising)
    assert (np.diff(found) >= 0).all()
    assert (np.diff(found)[[1, 2, 3, 4, 5, 6, 8, 9, 10]] > 0).all()
    assert unfolded(-rising).tolist() == (-found).tolist()


def test_a_mate_is_worth_a_unit_of_the_agents_more_for_each_move_that_it_is_nearer() -> None:
    two, one = unfolded(np.array([31_998.0, 31_999.0]))
    assert one - two == 30
    assert unfolded(np.array([31_900.0])) > unfolded(np.array([30_999.0]))


def test_mates_in_one_are_found_whatever_depth_lists_them() -> None:
    trace = [(1, "a1a8", 31_999), (1, "b1b2", 40), (2, "b1b2", 31_998), (2, "a1a8", 31_999)]
    assert mates_in_one(trace) == ["a1a8"]
    assert mates_in_one([(1, "b1b2", 31_998)]) == []


def test_a_move_that_ends_the_game_as_a_draw_is_worth_one_at_every_depth() -> None:
    trace = [(1, "a", 500), (1, "b", 480), (2, "b", 520), (2, "c", 510)]
    assert with_draws(trace, {"b"}) == [(1, "a", 500), (1, "b", 0), (2, "c", 510), (2, "b", 0)]
    assert with_draws(trace, frozenset()) is trace
    # Not among the lines, and worth more than all of them to whoever is losing.
    assert (1, "z", 0) in with_draws(trace, {"z"})
    assert with_draws(trace, {"b"})[0] == pytest.approx((1, "a", 500))
