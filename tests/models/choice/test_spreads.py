"""Scaled differences of the options of a turn."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from assay.errors import InputError
from assay.models.choice.spreads import Scaling, Spreads, antiderivative, differences, extended


@settings(deadline=None)
@given(high=st.floats(-8, 8), drop=st.floats(0, 8))
def test_a_difference_is_the_integral_across_zero_too(high: float, drop: float) -> None:
    low = high - drop
    area, _ = quad(lambda x: 1 / (1 + abs(x)), low, high, points=[0] if low < 0 < high else None)
    assert float(antiderivative(high) - antiderivative(low)) == pytest.approx(area, abs=1e-9)


def test_the_side_behind_is_scaled_down_more() -> None:
    offsets = np.array([0, 2, 4])
    delta = differences([200, 100, -200, -300], offsets)
    assert delta[1] == pytest.approx(math.log(3 / 2))
    assert delta[3] == pytest.approx(math.log(4 / 3))


def test_later_ties_are_set_apart_and_everything_can_be_switched_off() -> None:
    offsets = np.array([0, 4])
    values = [0, 0, -1, -3000]
    assert differences(values, offsets) == pytest.approx([0, 0.03, math.log(1.01), math.log(5)])
    plain = Scaling(logarithmic=False, tie=0, cap=None)
    assert differences(values, offsets, plain) == pytest.approx([0, 0, 0.01, 30])
    with pytest.raises(InputError, match="tail"):
        Scaling(unlisted="ignored")
    with pytest.raises(InputError, match="cap"):
        Scaling(cap=0)


def test_unlisted_moves_follow_the_last_line() -> None:
    # Four lines at 0, 1, 2, 4 and the played move, searched alone, at 5.2; seven legal moves.
    spreads = Spreads(np.array([0, 1, 2, 4, 5.2]), np.array([0, 5]), np.array([4]))
    longer = extended(spreads, np.array([4]), np.array([7]))
    # From the second line to the fourth the mean step is 1.5: guesses at 5.5 and 7, behind the played one.
    assert longer.delta == pytest.approx([0, 1, 2, 4, 5.2, 5.5, 7.0])
    assert longer.played.tolist() == [4]
    behind = Spreads(np.array([0, 1, 2, 4, 6.0]), np.array([0, 5]), np.array([4]))
    longer = extended(behind, np.array([4]), np.array([7]))
    assert longer.delta == pytest.approx([0, 1, 2, 4, 5.5, 6.0, 7.0])
    assert longer.played.tolist() == [5]


def test_there_is_no_tail_without_three_lines_or_unlisted_moves() -> None:
    spreads = Spreads(np.array([0, 1.0, 0, 1, 2]), np.array([0, 2, 5]), np.array([0, 0]))
    assert extended(spreads, np.array([2, 3]), np.array([30, 3])).offsets.tolist() == [0, 2, 5]
    assert np.diff(extended(spreads, np.array([2, 3]), np.array([30, 5])).offsets).tolist() == [2, 5]


def slow_extended(spreads: Spreads, lines: list[int], legal: list[int]) -> list[tuple[list[float], int]]:
    """Differences and what was played, turn by turn: sorted as the docstring says."""
    turns = []
    for t, (n, every) in enumerate(zip(lines, legal, strict=True)):
        own = spreads.delta[spreads.offsets[t] : spreads.offsets[t + 1]].tolist()
        unlisted = max(every - len(own), 0) if n >= 3 else 0
        step = max(own[n - 1] - own[(n - 1) // 2], 0.0) / max(n - 1 - (n - 1) // 2, 1)
        behind = [(own[k], 0, k) for k in range(n, len(own))]
        behind += [(own[n - 1] + rank * step, 1, -1) for rank in range(1, unlisted + 1)]
        placed = [(own[k], 0, k) for k in range(n)] + (sorted(behind) if unlisted else behind)
        played = [k for _, _, k in placed].index(spreads.played[t])
        turns.append(([delta for delta, _, _ in placed], played))
    return turns


def test_options_searched_alone_take_their_place_among_the_guessed() -> None:
    generator = np.random.default_rng(4)
    lengths = generator.integers(1, 9, 300)
    lines = np.array([generator.integers(1, n + 1) for n in lengths])
    legal = lengths + generator.integers(0, 12, 300)
    legal[0], lines[0] = lengths[0] + 5, min(3, lengths[0])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    delta = np.round(generator.exponential(0.2, offsets[-1]), 2)  # in steps, so that some are equal
    played = np.array([generator.integers(0, n) for n in lengths])
    spreads = Spreads(delta, offsets, played)
    found = extended(spreads, lines, legal)
    for t, (own, place) in enumerate(slow_extended(spreads, lines.tolist(), legal.tolist())):
        if lines[t] >= 3 and legal[t] > lengths[t]:
            assert found.delta[found.offsets[t] : found.offsets[t + 1]].tolist() == own
            assert found.played[t] == place
