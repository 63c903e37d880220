"""Whole figures: lines, densities, heat maps, intervals, and the legend of all."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from assay.figures.curves import Density, Panel, Series, curves, density_figure
from assay.figures.figure import EDGE, Entry, Figure, blank, legend, legend_height
from assay.figures.heatmap import heatmap
from assay.figures.intervals import REFERENCE, Mark, Row, interval_figure, reach, track, track_axis

SVG = "{http://www.w3.org/2000/svg}"
LINE = Series("Ann", [2000, 2001, 2002], [1.0, 2.0, 3.0], titles=["a", "b", "c"])


def with_class(figure: Figure, tag: str, kind: str) -> list[ElementTree.Element]:
    return [each for each in figure.root.iter(tag) if kind in str(each.get("class"))]


def marks(figure: Figure) -> list[ElementTree.Element]:
    return [path for path in with_class(figure, "path", "mark-") if len(path)]


# Any figure ----------------------------------------------------------------------------------------------


def test_a_figure_brings_its_style_along_or_takes_that_of_the_page() -> None:
    figure = Figure("Title", "What it shows", blank("Title", "What it shows", 400, 300))
    root = ElementTree.fromstring(figure.svg())
    assert [child.tag for child in root][:3] == [f"{SVG}title", f"{SVG}desc", f"{SVG}style"]
    assert (root.get("role"), root.get("viewBox")) == ("img", "0 0 400 300")
    assert "<style" not in figure.__html__()
    assert "xmlns" not in figure.__html__()
    assert "prefers-color-scheme" in figure.svg()
    assert "prefers-color-scheme" not in figure.svg(light=True)


def test_a_long_title_is_shortened_and_said_in_full() -> None:
    long = "A title " * 30
    heading = next(blank(long, "", 400, 300).iter("text"))
    assert str(heading.text).endswith("…")
    assert heading.findtext("title") == long.strip() + " "


def test_the_legend_goes_on_in_the_next_row() -> None:
    entries = [Entry(f"Name number {number}", number) for number in range(9)]
    root = blank("T", "", 400, 300)
    legend(root, entries, 46, 400)
    names = [text for text in root.iter("text") if text.get("class") == "name"]
    rows = {name.get("y") for name in names}
    assert 1 < len(rows) < 9
    assert legend_height(entries, 400) == 20 * len(rows) + 6
    assert all(float(str(name.get("x"))) >= EDGE for name in names)
    assert legend_height([], 400) == 0


# Lines ---------------------------------------------------------------------------------------------------


def test_points_say_what_they_are_and_infinite_ones_stand_at_the_end_of_the_axis() -> None:
    assert [mark[0].text for mark in marks(curves("T", [Panel([LINE])]))] == ["a", "b", "c"]
    figure = curves("T", [Panel([replace(LINE, y=[-math.inf, math.inf, 1.0])])])
    kinds = [str(mark.get("class")).split()[-1] for mark in marks(figure)]
    assert kinds == ["beyond-below", "beyond-above", "mark-0"]


def test_an_unknown_value_has_no_mark_and_breaks_the_line() -> None:
    figure = curves("T", [Panel([replace(LINE, y=[1.0, math.nan, 1.0])])])
    assert len(marks(figure)) == len(with_class(figure, "polyline", "stroke")) == 2


def test_intervals_are_whiskers_or_a_band_within_the_axis() -> None:
    series = replace(LINE, low=[0.0, math.nan, 2.0], high=[2.0, 3.0, 4.0])
    assert len(with_class(curves("T", [Panel([series])]), "path", "thin")) == 2
    assert len(with_class(curves("T", [Panel([replace(series, interval="band")])]), "polygon", "area")) == 2
    x, y = Panel([replace(LINE, low=[-5.0] * 3, high=[9.0] * 3)]).ends()
    assert x[0] < 2000 < 2002 < x[1]
    assert y[0] < -5 < 9 < y[1]


def test_the_legend_names_each_line_once() -> None:
    bob, unlisted = replace(LINE, name="Bob", number=1), replace(LINE, name="Cem", listed=False)
    figure = curves("T", [Panel([LINE]), Panel([LINE, bob, unlisted])])
    assert [text.text for text in with_class(figure, "text", "name")] == ["Ann", "Bob"]


def test_years_are_whole() -> None:
    figure = curves("T", [Panel([LINE], whole_x=True, x_text="{:.1f}".format, y_text="y{:g}".format)])
    shown = [str(text.text) for text in with_class(figure, "text", "tick")]
    assert [text for text in shown if not text.startswith("y")] == ["2000.0", "2001.0", "2002.0"]


def test_nothing_to_draw_is_an_empty_figure() -> None:
    figure = curves("T", [Panel([], title="empty"), Panel([Series("A", [], [])], logarithmic=True)])
    assert "nan" not in figure.svg()
    assert "nan" not in interval_figure("T", []).svg()


def test_the_description_says_who_and_from_where_to_where() -> None:
    figure = curves("T", [Panel([LINE], title="Rating", x_title="year", x=(2000, 2002), y=(1, 3))])
    assert figure.description == "Rating from 1 to 3 by year from 2000 to 2002 of Ann."
    assert not re.search("nan|inf", figure.svg())


# Densities -----------------------------------------------------------------------------------------------


def bump(name: str, middle: float) -> Density:
    grid = np.linspace(0, 10, 101)
    return name, grid, np.maximum(1 - np.abs(grid - middle), 0)


def labels(figure: Figure) -> list[ElementTree.Element]:
    return with_class(figure, "text", "word-")


def test_few_are_named_at_their_peaks_from_left_to_right() -> None:
    figure = density_figure("T", [bump("late", 8), bump("early", 2)], (0, 10), "c")
    assert [label.text for label in labels(figure)] == ["early", "late"]
    assert labels(density_figure("T", [bump(str(number), 5) for number in range(13)], (0, 10), "c")) == []


@pytest.mark.parametrize("apart", [0.0, 0.1])
def test_neighbours_have_their_names_at_different_heights(apart: float) -> None:
    first, second = labels(density_figure("T", [bump("a", 5), bump("b", 5 + apart)], (0, 10), "c"))
    assert abs(float(str(first.get("y"))) - float(str(second.get("y")))) > 10


# Heat maps -----------------------------------------------------------------------------------------------


def test_colours_say_ahead_or_behind_and_numbers_say_it_too() -> None:
    values = np.array([[50, 70, 50], [30, 50, math.nan], [50, 10, 50]])
    figure = heatmap("T", ["A", "B", "C"], values)
    cells = list(figure.root.iter("g"))[:9]
    squares = [cell.find("rect") for cell in cells]
    looks = [(square.get("class"), square.get("fill-opacity")) for square in squares if square is not None]
    assert looks[:4] == [("self", None), ("ahead", "0.29"), ("ahead", "0.00"), ("behind", "0.29")]
    assert looks[5] == ("self", None)  # not known
    numbers = [None, "70", "50", "30", None, None, "50", "10", None]
    assert [cell.findtext("text") for cell in cells] == numbers
    assert cells[1].findtext("title") == "A against B: 70.0%"
    assert figure.description.endswith("Highest: A against B: 70.0%; lowest: C against B: 10.0%.")


# Intervals -----------------------------------------------------------------------------------------------

ANN = Row(
    "Ann",
    2500,
    2400,
    2600,
    "2500 (2400 to 2600)",
    [Mark(2450, 1, "gain"), Mark(2550, REFERENCE, "ref")],
    "2500",
)
NOBODY = Row("Nobody", math.nan, math.nan, math.nan, "not known", [Mark(math.nan, 0, "gain")])


def test_a_row_of_a_page_is_in_percent() -> None:
    root = ElementTree.fromstring(track(ANN, (2000, 3000), [2000, 2500]))
    line = next(line for line in root.iter("line") if line.get("class") == "interval")
    assert (line.get("x1"), line.get("x2")) == ("40.00%", "60.00%")
    uses = [(use.get("href"), use.findtext("title")) for use in root.iter("use")]
    assert uses == [("#mark-1", "gain"), ("#mark-reference", "ref")]
    axis = ElementTree.fromstring(track_axis((0, 10), [0, 5], "{:.0f}".format))
    assert [(text.get("x"), text.text) for text in axis] == [("0.00%", "0"), ("50.00%", "5")]
    assert axis.get("aria-hidden") == "true"


def test_what_is_not_known_is_not_drawn_and_a_rating_without_ends_is_a_dot() -> None:
    root = ElementTree.fromstring(track(NOBODY, (2000, 3000), []))
    assert list(root) == []
    assert root.get("aria-label") == "not known"
    row = Row("A", 2500, -math.inf, math.nan, "t")
    line = next(ElementTree.fromstring(track(row, (2000, 3000), [])).iter("line"))
    assert line.get("x1") == line.get("x2") == "50.00%"


def test_one_who_is_hardly_known_does_not_flatten_the_others() -> None:
    low, high = reach([ANN, Row("B", 2500, -9000, 12000, "t")], 600)
    assert 1800 < low < high < 3200
    assert reach([NOBODY], 600)[0] < reach([NOBODY], 600)[1]


def test_one_figure_has_names_dots_and_marks() -> None:
    figure = interval_figure("T", [ANN, NOBODY], marks=["bayes", "gain"], reference="Elo", x_title="Elo")
    texts = [text.text for text in figure.root.iter("text")]
    assert {"T", "bayes", "gain", "Elo", "Ann", "Nobody", "2500"} <= set(texts)
    [dot] = figure.root.iter("circle")
    [line] = with_class(figure, "line", "interval")
    middle = (float(str(line.get("x1"))) + float(str(line.get("x2")))) / 2
    assert float(str(dot.get("cx"))) == pytest.approx(middle, abs=0.1)
    assert "Ann: 2500 (2400 to 2600)." in figure.description
