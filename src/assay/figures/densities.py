"""Probability densities on one axis, with their names at the peaks where there are few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.decisions.arrays import Floats
from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.figures.svg import Point

Density = tuple[str, Floats, Floats]
"""A name, places, and the density there."""

_LABELLED = 12
"""Up to so many densities have their names at their peaks too."""

_POINTS = 241


def density_figure(title: str, densities: Sequence[Density], ends: Point, x_title: str) -> Figure:
    """All densities within the range `ends`."""
    drawn = [density(one, ends, number) for number, one in enumerate(densities)]
    if len(drawn) <= _LABELLED:
        drawn = [replace(one, at_peak=one.name) for one in drawn]
    top = 1.12 * max((height for one in drawn for height in one.y), default=1.0)  # room for two rows of names
    panel = Panel(drawn, x_title=x_title, y_title="probability density", x=ends, y=(0, top), height=440)
    return curves(title, [panel])


def density(one: Density, ends: Point, number: int) -> Series:
    """A density as a line without marks, within a range, as fine as is seen, and where it is seen at all."""
    name, xs, ys = one
    places = np.linspace(*ends, _POINTS)
    heights = np.interp(places, xs, ys, left=0.0, right=0.0)
    seen = heights > heights.max() / 2000
    return Series(name, places[seen].tolist(), heights[seen].tolist(), number=number, marks=False)
