"""Everyone against everyone as colours."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from assay.figures.heatmap import heatmap
from assay.figures.svg import text_width

VALUES = np.array([[0.5, 0.7, 0.5], [0.3, 0.5, math.nan], [0.5, 0.1, 0.5]])


def cells(root: ElementTree.Element) -> list[ElementTree.Element]:
    return list(root.iter("g"))[:9]


def test_colours_say_ahead_or_behind_and_numbers_say_it_too() -> None:
    root = heatmap("T", ["A", "B", "C"], VALUES).root
    looks = [(one.find("rect").get("class"), one.find("rect").get("fill-opacity")) for one in cells(root)]  # type: ignore[union-attr]
    assert looks[0] == ("self", None)
    assert looks[1] == ("ahead", "0.29")
    assert looks[3] == ("behind", "0.29")
    assert looks[2] == ("ahead", "0.00")
    assert looks[5] == ("self", None)  # not known
    assert [one.findtext("text") for one in cells(root)] == [
        *(None, "0.70", "0.50"),
        *("0.30", None, None),
        *("0.50", "0.10", None),
    ]


def test_a_pointer_shows_who_meets_whom() -> None:
    root = heatmap("T", ["A", "B", "C"], VALUES, exact="{:.3f}!".format).root
    assert [one.findtext("title") for one in cells(root)][1] == "A against B: 0.700!"


def test_the_description_names_the_extremes() -> None:
    figure = heatmap("T", ["A", "B", "C"], VALUES)
    assert figure.description.endswith("Highest: A against B: 0.70; lowest: C against B: 0.10.")


@pytest.mark.parametrize("name", ["A", "A name that is longer than any that was seen in a table@1972"])
def test_slanted_names_stay_within_the_figure(name: str) -> None:
    figure = heatmap("T", [name] * 3, VALUES)
    width = float(str(figure.root.get("width")))
    turned = [one for one in figure.root.iter("text") if "rotate" in str(one.get("transform"))]
    assert len(turned) == 3
    for one in turned:
        x, y = (float(part) for part in str(one.get("transform"))[10:].split(")")[0].split())
        long = text_width(str(one.text), 12)
        assert x + long * math.cos(math.radians(60)) < width
        assert y - long * math.sin(math.radians(60)) > 34  # below the title
        assert str(one.text).endswith(name[-5:])
