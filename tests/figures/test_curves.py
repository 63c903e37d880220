"""Figures of lines."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.figures.svg import text_width

LINE = Series("Ann", [2000, 2001, 2002], [1.0, 2.0, 3.0], titles=["a", "b", "c"])


def marks(figure: Figure) -> list[ElementTree.Element]:
    return [one for one in figure.root.iter("path") if "mark-" in str(one.get("class")) and len(one)]


def lines(figure: Figure) -> list[ElementTree.Element]:
    return [one for one in figure.root.iter("polyline") if "stroke" in str(one.get("class"))]


def test_each_point_says_what_it_is() -> None:
    figure = curves("T", [Panel([LINE])])
    assert [one[0].text for one in marks(figure)] == ["a", "b", "c"]


def test_a_value_without_end_is_a_mark_at_the_end_of_the_axis() -> None:
    figure = curves("T", [Panel([replace(LINE, y=[-math.inf, math.inf, 1.0])])])
    kinds = [str(one.get("class")) for one in marks(figure)]
    assert [kind.split()[-1] for kind in kinds] == ["beyond-below", "beyond-above", "mark-0"]


def test_an_unknown_value_has_no_mark_and_breaks_the_line() -> None:
    figure = curves("T", [Panel([replace(LINE, y=[1.0, math.nan, 1.0])])])
    assert len(marks(figure)) == 2
    assert len(lines(figure)) == 2


def test_intervals_are_whiskers_or_a_band() -> None:
    known = replace(LINE, low=[0.0, math.nan, 2.0], high=[2.0, 3.0, 4.0])
    whiskers = curves("T", [Panel([known])]).root
    assert sum("thin" in str(one.get("class")) for one in whiskers.iter("path")) == 2
    band = curves("T", [Panel([replace(known, interval="band")])]).root
    assert len(list(band.iter("polygon"))) == 2


def test_the_axis_holds_the_intervals() -> None:
    x, y = Panel([replace(LINE, low=[-5.0] * 3, high=[9.0] * 3)]).ends()
    assert x[0] < 2000 < 2002 < x[1]
    assert y[0] < -5 < 9 < y[1]


def test_the_legend_names_each_line_once() -> None:
    figure = curves("T", [Panel([LINE]), Panel([LINE, replace(LINE, name="Bob", number=1)])])
    names = [one.text for one in figure.root.iter("text") if one.get("class") == "name"]
    assert names == ["Ann", "Bob"]
    unlisted = curves("T", [Panel([replace(LINE, listed=False)])])
    assert not [one for one in unlisted.root.iter("text") if one.get("class") == "name"]


def test_years_are_whole() -> None:
    figure = curves("T", [Panel([LINE], whole_x=True, x_text="{:.1f}".format, y_text="y{:g}".format)])
    shown = [str(one.text) for one in figure.root.iter("text") if one.get("class") == "tick"]
    assert [text for text in shown if not text.startswith("y")] == ["2000.0", "2001.0", "2002.0"]


def test_steps_hold_until_the_next_point() -> None:
    figure = curves("T", [Panel([replace(LINE, steps=True, marks=False)])])
    [line] = lines(figure)
    heights = [point.split(",")[1] for point in str(line.get("points")).split()]
    assert len(heights) == 5
    assert heights[0] == heights[1] != heights[2] == heights[3]


def test_panels_above_one_another_begin_at_the_same_place() -> None:
    wide = Panel([LINE], y_text="a long number {:g}".format)
    figure = curves("T", [Panel([LINE]), wide])
    axes = [
        one
        for one in figure.root.iter("line")
        if one.get("class") == "axis" and one.get("x1") != one.get("x2")
    ]
    assert len({one.get("x1") for one in axes}) == 1
    assert len({one.get("y1") for one in axes}) == 2


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("letters", ["Ann", "W" * 200, "A name with words " * 12])
def test_no_text_leaves_the_figure(letters: str, columns: int) -> None:
    named = replace(LINE, name=letters, at_peak=letters[:40])
    panel = Panel([named], title=letters, x_title=letters, y_title="y", y_text=lambda y: f"{1e6 * y:,.0f}")
    figure = curves(letters, [panel] * columns, columns=columns)
    width = float(str(figure.root.get("width")))
    sizes = {"heading": 17.0, "subheading": 13.0}
    for one in figure.root.iter("text"):
        if one.get("x") is None:
            continue
        across, long = (
            float(str(one.get("x"))),
            text_width(str(one.text), sizes.get(str(one.get("class")), 12.0)),
        )
        start = across - long * {"end": 1.0, "middle": 0.5}.get(str(one.get("text-anchor")), 0.0)
        assert start >= -0.1, one.text
        assert start + long <= width + 0.1, one.text


def test_nothing_to_draw_is_an_empty_figure() -> None:
    figure = curves("T", [Panel([], title="empty"), Panel([Series("A", [], [])], logarithmic=True)])
    assert "nan" not in figure.svg()


def test_the_description_says_who_and_from_where_to_where() -> None:
    figure = curves("T", [Panel([LINE], title="Rating", x_title="year", x=(2000, 2002), y=(1, 3))])
    assert figure.description == "Rating from 1 to 3 by year from 2000 to 2002 of Ann."
    assert not re.search("nan|inf", figure.svg())
