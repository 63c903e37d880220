"""Careers of many players in one figure: a line and a band for each, with the name at its peak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.figures.axes import Axes, Box, ticks
from assay.figures.figure import EDGE, Figure, blank
from assay.figures.svg import Element, Point, colour_of, element, short, text_width

_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 12.0, 66.0, 46.0
_LETTER = 12.0
_STEP = 4.0
"""By so much a label is moved until it is free."""


_PAUSE = 8
"""After more years without a game the line begins anew."""


@dataclass(frozen=True)
class CareerLine:
    """A player's rating by year with the ends of its 95% range."""

    name: str
    years: Sequence[int]
    elo: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    best: int
    """The place of the best year."""


def careers(
    title: str,
    lines: Sequence[CareerLine],
    *,
    below: str = "",
    source: str = "",
    width: float = 800.0,
    height: float = 560.0,
) -> Figure:
    """Draw careers; `below` stands under the title, `source` under the axis."""
    described = "; ".join(
        f"{line.name}: {line.elo[line.best]:.0f} in {line.years[line.best]}" for line in lines
    )
    root = blank(title, f"Best years: {described}.", width, height)
    element(root, "text", below, x=EDGE, y=49)
    years = [year for line in lines for year in line.years]
    bottom = min(min(line.elo) for line in lines) - 60
    top = max(max(line.high) for line in lines)
    box = Box(_LEFT, _TOP, width - _RIGHT, height - _BOTTOM)
    axes = Axes(root, box, (min(years) - 2, max(years) + 6), (bottom, top)).axes(
        x_ticks=ticks(min(years), max(years), 10), y_ticks=ticks(bottom, top, 8), tick_drop=18.0
    )
    element(root, "text", source, x=width - _RIGHT, y=height - 8, text_anchor="end")
    for number, line in enumerate(lines):
        upper = [axes.at(*point) for point in zip(line.years, line.high, strict=True)]
        lower = [axes.at(*point) for point in zip(line.years, line.low, strict=True)]
        element(
            root, "path", class_=f"area-{colour_of(number)} faint", d=_path([*upper, *reversed(lower)]) + "Z"
        )
    for number, line in enumerate(lines):
        points = list(zip(line.years, line.elo, strict=True))
        breaks = [i for i in range(1, len(points)) if points[i][0] - points[i - 1][0] > _PAUSE]
        for start, end in zip([0, *breaks], [*breaks, len(points)], strict=True):
            drawn = _path([axes.at(*point) for point in points[start:end]])
            element(root, "path", class_=f"line-{colour_of(number)} stroke", d=drawn)
    _label(root, axes, lines, width)
    return Figure(title, described, root)


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points)


def _label(root: Element, axes: Axes, lines: Sequence[CareerLine], width: float) -> None:
    """Names at the best years, the lowest first, each moved up until it covers no other and no best year."""
    best = [axes.at(line.years[line.best], line.elo[line.best]) for line in lines]
    taken = [(x - 4, x + 4, y + 4) for x, y in best]
    texts: list[tuple[int, str, float, float]] = []
    for number in sorted(range(len(lines)), key=lambda number: -best[number][1]):
        line, (x, y) = lines[number], best[number]
        text = f"{line.name} {10 * round(line.elo[line.best] / 10)}"
        room = text_width(text, _LETTER) * 0.92
        left = min(max(x - room / 2, _LEFT), width - _RIGHT - room)
        height = y - 9
        while any(left < end and start < left + room and abs(height - at) < 13 for start, end, at in taken):
            height -= _STEP
        taken.append((left, left + room, height))
        texts.append((number, text, left, height))
        if y - height > 16:
            element(root, "line", class_="axis thin", x1=x, x2=x, y1=height + 3, y2=y - 4)
    for number, text, left, height in texts:
        x, y = best[number]
        element(root, "circle", class_=f"mark-{colour_of(number)}", cx=x, cy=y, r=3.2)
        element(root, "text", text, class_=f"word-{colour_of(number)} halo", x=left, y=height)
