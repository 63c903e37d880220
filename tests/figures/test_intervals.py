"""The dot-and-interval plot, as rows of a page and as one figure."""

import math
from xml.etree import ElementTree

import pytest

from assay.figures.intervals import REFERENCE, Interval, Mark, Row, interval_figure, reach, track, track_axis

ANN = Row(
    "Ann",
    Interval(2500, 2400, 2600, "2500 (2400 to 2600)"),
    [Mark(2450, 1, "gain"), Mark(2550, REFERENCE, "ref")],
    "2500",
)
NOBODY = Row("Nobody", Interval(math.nan, math.nan, math.nan, "not known"), [Mark(math.nan, 0, "gain")])


def test_a_row_of_a_page_is_in_percent() -> None:
    root = ElementTree.fromstring(track(ANN, (2000, 3000), [2000, 2500]))
    line = next(one for one in root.iter("line") if one.get("class") == "interval")
    assert (line.get("x1"), line.get("x2")) == ("40.00%", "60.00%")
    assert [one.get("href") for one in root.iter("use")] == ["#mark-1", "#mark-reference"]
    assert [one.findtext("title") for one in root.iter("use")] == ["gain", "ref"]


def test_what_is_not_known_is_not_drawn() -> None:
    root = ElementTree.fromstring(track(NOBODY, (2000, 3000), []))
    assert list(root) == []
    assert root.get("aria-label") == "not known"


def test_a_rating_without_ends_is_a_dot() -> None:
    row = Row("A", Interval(2500, -math.inf, math.nan, "t"))
    root = ElementTree.fromstring(track(row, (2000, 3000), []))
    line = next(root.iter("line"))
    assert line.get("x1") == line.get("x2") == "50.00%"


def test_one_who_is_hardly_known_does_not_flatten_the_others() -> None:
    wide = Row("B", Interval(2500, -9000, 12000, "t"))
    low, high = reach([ANN, wide], 600)
    assert 1800 < low < high < 3200
    assert reach([NOBODY], 600)[0] < reach([NOBODY], 600)[1]


def test_the_axis_is_for_the_eye_only() -> None:
    root = ElementTree.fromstring(track_axis((0, 10), [0, 5], "{:.0f}".format))
    assert [(one.get("x"), one.text) for one in root] == [("0.00%", "0"), ("50.00%", "5")]
    assert root.get("aria-hidden") == "true"


def test_one_figure_has_names_dots_and_marks() -> None:
    figure = interval_figure("T", [ANN, NOBODY], marks=["bayes", "gain"], reference="Elo", x_title="Elo")
    texts = [one.text for one in figure.root.iter("text")]
    assert {"T", "bayes", "gain", "Elo", "Ann", "Nobody", "2500"} <= set(texts)
    [dot] = figure.root.iter("circle")
    [line] = [one for one in figure.root.iter("line") if one.get("class") == "interval"]
    middle = (float(str(line.get("x1"))) + float(str(line.get("x2")))) / 2
    assert float(str(dot.get("cx"))) == pytest.approx(middle, abs=0.1)
    assert "Ann: 2500 (2400 to 2600)." in figure.description


def test_no_rows_are_a_figure_too() -> None:
    assert "nan" not in interval_figure("T", []).svg()
