"""Densities on one axis."""

import numpy as np
import pytest

from assay.figures.densities import Density, density, density_figure
from assay.figures.figure import Figure

GRID = np.linspace(0, 10, 101)


def bump(name: str, middle: float) -> Density:
    return name, GRID, np.maximum(1 - np.abs(GRID - middle), 0)


def labels(figure: Figure) -> list[str]:
    return [str(one.text) for one in figure.root.iter("text") if "word-" in str(one.get("class"))]


def test_a_density_is_drawn_where_it_is_seen() -> None:
    one = density(bump("c", 1), (0, 10), 3)
    assert 0 < min(one.x) < 0.1
    assert 1.9 < max(one.x) < 2
    assert max(one.y) == pytest.approx(1, abs=0.05)
    assert not one.marks
    assert one.number == 3


def test_few_are_named_at_their_peaks_from_left_to_right() -> None:
    figure = density_figure("T", [bump("late", 8), bump("early", 2)], (0, 10), "c")
    assert labels(figure) == ["early", "late"]
    many = density_figure("T", [bump(str(number), 5) for number in range(13)], (0, 10), "c")
    assert labels(many) == []


@pytest.mark.parametrize("apart", [0.0, 0.05, 0.1])
def test_neighbours_have_their_names_at_different_heights(apart: float) -> None:
    figure = density_figure("T", [bump("a", 5), bump("b", 5 + apart)], (0, 10), "c")
    words = [one for one in figure.root.iter("text") if "word-" in str(one.get("class"))]
    assert len(words) == 2
    assert abs(float(str(words[0].get("y"))) - float(str(words[1].get("y")))) > 10


def test_a_density_outside_the_range_is_no_error() -> None:
    assert labels(density_figure("T", [bump("far", 50)], (0, 10), "c")) == []
