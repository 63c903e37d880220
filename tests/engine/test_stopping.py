"""Alliot 2017, section 2.3."""

from hypothesis import given
from hypothesis import strategies as st

from assay.engine.stopping import decided_minutes, may_stop, stable_minutes

cp = st.integers(-3000, 3000)


def test_the_worked_example_of_condition_2():
    assert decided_minutes(-420, 400, -410) == 2


def test_the_worked_example_of_condition_3():
    assert stable_minutes(53, -63, 57) == 2


def test_condition_2_needs_alternating_signs():
    assert decided_minutes(420, 400, -410) is None
    assert decided_minutes(-420, 0, -410) is None


@given(cp, cp, cp)
def test_condition_2_lies_between_one_minute_and_the_limit(e0, e1, e2):
    minutes = decided_minutes(e0, e1, e2)
    assert minutes is None or 1 <= minutes <= 4


@given(st.floats(0, 0.99), st.lists(cp, max_size=8), st.lists(cp, max_size=2))
def test_no_search_stops_within_the_first_minute(minutes, depths, neighbours):
    assert not may_stop(minutes, depths, neighbours)


@given(st.floats(3, 10), st.lists(cp, max_size=8), st.lists(cp, max_size=2))
def test_every_search_stops_after_three_minutes(minutes, depths, neighbours):
    assert may_stop(minutes, depths, neighbours)


def test_a_stable_search_stops_early():
    # The paper's example: the values seen by UCI all have the mover's view.
    assert not may_stop(2.0, [0, 53, 63, 57], [])
    assert may_stop(2.01, [0, 53, 63, 57], [])
    assert may_stop(1.01, [20, 20, 20], [])
    assert not may_stop(2.5, [20, 20], [])


def test_a_decided_game_stops_early():
    unstable = [-900, 0, -420]
    assert not may_stop(2.0, unstable, [400, -410])
    assert may_stop(2.01, unstable, [400, -410])
    assert not may_stop(2.9, unstable, [400, 410])
    assert not may_stop(2.9, unstable, [400])
