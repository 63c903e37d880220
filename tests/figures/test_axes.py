"""Axes: round numbers, ranges, places and marks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.figures.axes import Axes, Box, log_ticks, small_axes, span, ticks
from assay.figures.svg import element


def axes(**options: bool) -> Axes:
    return Axes(element(None, "svg"), Box(0, 0, 100, 100), (1, 100), (0, 10), **options)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_ticks_are_few_and_within(low: float, width: float, most: int) -> None:
    found = ticks(low, low + width, most)
    assert 1 <= len(found) <= most
    assert all(low - 1e-6 * width - 1e-6 <= one <= low + width + 1e-6 * width + 1e-6 for one in found)


def test_ticks_are_round() -> None:
    assert ticks(2683, 2862) == [2700, 2750, 2800, 2850]
    assert ticks(0, 1, 3) == [0, 0.5, 1]


@given(st.floats(1e-3, 1e6), st.floats(1.01, 1e8), st.integers(2, 9))
def test_ticks_of_ratios_are_few_and_within(low: float, ratio: float, most: int) -> None:
    found = log_ticks(low, low * ratio, most)
    assert 1 <= len(found) <= most
    assert all(low * 0.999 <= one <= low * ratio * 1.001 for one in found)


def test_ticks_of_ratios_are_round() -> None:
    assert log_ticks(90, 1700) == [100, 200, 500, 1000]
    assert log_ticks(1, 1e5) == [1, 10, 100, 1000, 10000, 100000]


def test_a_span_of_one_value_or_none_has_a_width() -> None:
    for values in ([], [3.0], [math.nan, math.inf]):
        low, high = span(values)
        assert low < high


def test_places_beyond_the_axes_stay_at_their_end() -> None:
    panel = small_axes("p", (0, 10), (0, 1))
    assert panel.at(50, -3) == panel.at(10, 0)
    assert axes().at(1, math.inf) == (0, 0)


def test_equal_ratios_are_equal_steps() -> None:
    assert axes(logarithmic=True).at(10, 5) == pytest.approx((50, 50))
    assert axes().at(50.5, 5) == pytest.approx((50, 50))


def test_what_is_not_known_leaves_a_gap() -> None:
    made = axes()
    made.line([1, 2, 3, 4, 5], [1, 1, math.nan, 1, 1], "curve")
    made.area([1, 2, 3], [1, math.nan, 1], [2, 2, 2], "band")
    assert [len(str(one.get("points")).split()) for one in made.root.iter("polyline")] == [2, 2]
    assert len(list(made.root.iter("polygon"))) == 2


def test_a_square_has_one_scale() -> None:
    box = small_axes("p", (0, 1), (0, 1), square=True).box
    assert box.right - box.left == pytest.approx(box.bottom - box.top)


def test_text_of_a_figure_is_escaped() -> None:
    panel = small_axes('"><script>', (0, 1), (0, 1))
    panel.dot(0, 0, "point", title="<b>")
    panel.mark(0, 0, 3, "<i>")
    for evil in ("<script>", "<b>", "<i>"):
        assert evil not in panel.markup()


def test_marks_differ_by_shape_and_hollow_ones_are_outlines() -> None:
    made = axes()
    for number in range(8):
        made.mark(1, 1, number)
    made.mark(1, 1, 0, hollow=True)
    paths = list(made.root.iter("path"))
    assert len({one.get("d") for one in paths[:8]}) == 8
    assert "hollow" in str(paths[8].get("class"))


def test_bars_of_nothing_are_not_drawn() -> None:
    made = axes()
    made.bars([1, 2, 3], [0, 5], "bar")
    assert str(next(made.root.iter("path")).get("d")).count("M") == 1
