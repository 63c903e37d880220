"""The ground of all figures: untrusted text, room for text, looks, axes, diagrams of the board."""

import math
import re
from xml.etree import ElementTree

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.figures.axes import Axes, Box, log_ticks, small_axes, ticks
from assay.figures.board import diagram, in_words
from assay.figures.svg import (
    COLOURS,
    PALETTE,
    alone_style,
    colour_of,
    dash_of,
    element,
    markup,
    page_style,
    place_mark,
    shortened,
    text_width,
)

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


# Text ----------------------------------------------------------------------------------------------------


@given(st.text(st.characters(codec=None), max_size=40))
def test_any_text_makes_markup_that_can_be_read(text: str) -> None:
    """Control characters and halves of surrogate pairs too, which XML may not hold."""
    root = element(None, "svg", text, tip=text, aria_label=text)
    read = ElementTree.fromstring(markup(root).encode("utf-8"))
    assert read.get("aria-label") == root.get("aria-label")


def test_text_and_attributes_are_escaped() -> None:
    panel = small_axes('"><script>', (0, 1), (0, 1))
    panel.dot(0, 0, "point", tip="<b>")
    place_mark(panel.root, (0, 0), 3, "<i>")
    for evil in ("<script>", "<b>", "<i>"):
        assert evil not in panel.markup()
    assert ElementTree.fromstring(markup(element(None, "text", "<script>&"))).text == "<script>&"


@given(st.text(max_size=60), st.integers(0, 8))
def test_a_shortened_text_fits(text: str, end: int) -> None:
    assert text_width(shortened(text, 12, 120.0, end), 12) <= 120.0


def test_what_fits_is_left_alone_and_the_end_is_kept() -> None:
    assert shortened("Ann", 12, 100) == "Ann"
    long = shortened("A name without an end to it@1972", 12, 130, end=5)
    assert long.startswith("A name")
    assert long.endswith("…@1972")


# Looks ---------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_words_are_read_and_marks_are_seen_on_both_grounds() -> None:
    """By the contrast of WCAG: 1 for equal colours, 21 for black on white."""
    for shade in (0, 1):
        grounds = luminance(PALETTE["paper"][shade])
        least = {"ink": 7.0, "soft": 4.5} | {f"mark-{number}": 3.0 for number in range(COLOURS)}
        for name, wanted in least.items():
            low, high = sorted((luminance(PALETTE[name][shade]), grounds))
            assert (high + 0.05) / (low + 0.05) > wanted, name


def test_a_file_by_itself_has_no_variables() -> None:
    """Programs other than browsers draw it too."""
    for style in (alone_style(), alone_style(light=True)):
        assert "var(" not in style
        assert "light-dark" not in style
    assert "@media" not in alone_style(light=True)
    assert "prefers-color-scheme: dark" in alone_style()


def test_every_variable_has_a_value() -> None:
    used, given_ = (
        set(re.findall(pattern, page_style())) for pattern in (r"var\(--([\w-]+)\)", r" --([\w-]+): light")
    )
    assert used <= given_ == set(PALETTE)


def test_lines_are_told_apart_without_colour_too() -> None:
    assert len({(colour_of(number), dash_of(number)) for number in range(48)}) == 48
    assert len({dash_of(number) for number in range(6)}) == 6


# Axes ----------------------------------------------------------------------------------------------------


def axes(**options: bool) -> Axes:
    return Axes(element(None, "svg"), Box(0, 0, 100, 100), (1, 100), (0, 10), **options)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_ticks_are_few_and_within(low: float, width: float, most: int) -> None:
    values = ticks(low, low + width, most)
    assert 1 <= len(values) <= most
    room = 1e-6 * width + 1e-6
    assert all(low - room <= value <= low + width + room for value in values)


@given(st.floats(1e-3, 1e6), st.floats(1.01, 1e8), st.integers(2, 9))
def test_ticks_of_ratios_are_few_and_within(low: float, ratio: float, most: int) -> None:
    values = log_ticks(low, low * ratio, most)
    assert 1 <= len(values) <= most
    assert all(low * 0.999 <= value <= low * ratio * 1.001 for value in values)


def test_ticks_are_round() -> None:
    assert ticks(2683, 2862) == [2700, 2750, 2800, 2850]
    assert ticks(0, 1, 3) == [0, 0.5, 1]
    assert log_ticks(90, 1700) == [100, 200, 500, 1000]
    assert log_ticks(1, 1e5) == [1, 10, 100, 1000, 10000, 100000]


def test_places_on_the_canvas() -> None:
    panel = small_axes("p", (0, 10), (0, 1))
    assert panel.at(50, -3) == panel.at(10, 0)  # beyond the axes: at their end
    assert axes().at(1, math.inf) == (0, 0)
    assert axes(logarithmic=True).at(10, 5) == pytest.approx((50, 50))
    assert axes().at(50.5, 5) == pytest.approx((50, 50))
    box = small_axes("p", (0, 1), (0, 1), square=True).box
    assert box.right - box.left == pytest.approx(box.bottom - box.top)


# Boards --------------------------------------------------------------------------------------------------


def test_moves_that_are_not_legal_are_shown_as_written() -> None:
    assert in_words(START, "e2e5") == "e2e5"
    assert in_words("somewhere", "m1") == "m1"
    assert diagram("somewhere", "m1", "m2") == ""
    assert diagram("8/8/8/8/8/8/8/8 w - -", "e2e4", "") == ""


def test_a_diagram_is_an_address_with_both_arrows_and_the_mover_at_the_bottom() -> None:
    drawn = diagram(START, "f2f3", "e2e4")
    assert drawn.startswith("data:image/svg+xml,")
    assert "#" not in drawn  # which would end the picture
    assert "b3122b" in drawn
    assert "12a67a" in drawn
    board = chess.Board()
    board.push_san("e4")
    assert diagram(START, "", "") != diagram(" ".join(board.fen().split()[:4]), "", "")
