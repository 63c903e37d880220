"""A game in one figure: White's expectation, what each move lost, the strength of both after every move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.decisions import measures
from assay.figures.axes import Axes, Box, span
from assay.figures.figure import EDGE, Entry, Figure, blank, legend, legend_height
from assay.figures.svg import short

if TYPE_CHECKING:
    from assay.live.analysis import LiveGame, LiveMove

WIDTH = 900.0
_LEFT, _RIGHT, _TOP = 64.0, WIDTH - EDGE, 46.0
_GAP = 30.0
_WIDEST = 900.0
"""Points above and below the middle that are drawn at most: intervals of the first moves go further."""


def game_figure(live: LiveGame, lost: Sequence[float | None]) -> Figure:
    """Strips above one another on one axis of plies; `data-` attributes tell a page where that axis is."""
    players = [Entry(name, number, marks=False) for number, name in enumerate(live.players)]
    entries = players if live.scale is not None else []
    top = _TOP + legend_height(entries, WIDTH)
    heights = {"Expectation of White": 150.0, "Expectation lost": 90.0}
    if live.scale is not None:
        heights[f"Strength so far ({live.scale})"] = 230.0
    bottom = top + sum(heights.values()) + _GAP * len(heights) + 10.0
    title = " – ".join(live.players)
    root = blank(title, _in_words(live, lost), WIDTH, bottom)
    root.set("class", f"{root.get('class')} game-figure")
    x = (-0.5, max(len(live.moves), 1) - 0.5)
    marks = {"left": _LEFT, "right": _RIGHT, "top": top, "bottom": bottom - _GAP, "plies": len(live.moves)}
    for name, value in marks.items():
        root.set(f"data-{name}", short(value))
    legend(root, entries, _TOP, WIDTH)
    draws = (_expectation, _losses, _strength)
    for draw, (name, height) in zip(draws, heights.items(), strict=False):
        box = Box(_LEFT, top + 18.0, _RIGHT, top + height)
        _heading(root, name, top + 10.0)
        draw(root, box, x, live, lost)
        top += height + _GAP
    return Figure(title, _in_words(live, lost), root)


def _heading(root, name: str, top: float) -> None:  # type: ignore[no-untyped-def]
    from assay.figures.svg import element, shortened

    shown = shortened(name, 13.0, _RIGHT - _LEFT)
    element(root, "text", shown, x=short(_LEFT), y=short(top), class_="subheading")


def _turns(axes: Axes, live: LiveGame, y_ticks: Sequence[float] | None, y_text: str) -> None:
    """The axis of plies, with the numbers of turns below it."""
    places = [move.ply for move in live.moves if move.white] or [0]
    turns = {move.ply: move.turn for move in live.moves if move.white} or {0: 1}
    step = max(1, math.ceil(len(places) / 14))
    axes.axes(
        x_ticks=[float(place) for place in places[::step]],
        x_text=lambda place: str(turns.get(int(place), "")),
        y_ticks=y_ticks,
        y_text=y_text.format,
    )


def _expectation(root, box: Box, x, live: LiveGame, _) -> None:  # type: ignore[no-untyped-def]
    axes = Axes(root, box, x, (0.0, 1.0))
    _turns(axes, live, (0.0, 0.25, 0.5, 0.75, 1.0), "{:.0%}")
    values = [
        math.nan if math.isnan(move.value) else float(measures.expectation(move.value)) for move in live.moves
    ]
    places = [float(move.ply) for move in live.moves]
    axes.area(places, [math.nan if math.isnan(one) else 0.5 for one in values], values, "area-0")
    axes.line(places, values, "line-0 stroke")


def _losses(root, box: Box, x, live: LiveGame, lost: Sequence[float | None]) -> None:  # type: ignore[no-untyped-def]
    highest = max([one for one in lost if one is not None], default=0.0)
    axes = Axes(root, box, x, (0.0, max(0.1, math.ceil(10 * highest) / 10)))
    _turns(axes, live, None, "{:.0%}")
    for number, white in enumerate((True, False)):
        heights = [
            (one or 0.0) if move.white == white else 0.0 for one, move in zip(lost, live.moves, strict=False)
        ]
        edges = [place - 0.5 for place in range(len(heights) + 1)]
        if heights:
            axes.bars(edges, heights, f"mark-{number}")


def _strength(root, box: Box, x, live: LiveGame, _) -> None:  # type: ignore[no-untyped-def]
    rated = [move for move in live.moves if move.combined is not None]
    axes = Axes(root, box, x, _span(rated))
    _turns(axes, live, None, "{:.0f}")
    for number, white in enumerate((True, False)):
        own = [(float(move.ply), move.combined) for move in rated if move.white == white and move.combined]
        places = [place for place, _ in own]
        axes.area(places, [one.low for _, one in own], [one.high for _, one in own], f"area-{number}")
        axes.line(places, [one.elo for _, one in own], f"line-{number} stroke", "" if number == 0 else "7 4")


def _span(rated: Sequence[LiveMove]) -> tuple[float, float]:
    known = [move.combined for move in rated if move.combined is not None]
    if not known:
        return 1500.0, 2800.0
    low, high = span([one.elo for one in known] + [end for one in known[-2:] for end in (one.low, one.high)])
    middle = (low + high) / 2
    return max(low, middle - _WIDEST), min(high, middle + _WIDEST)


def _in_words(live: LiveGame, lost: Sequence[float | None]) -> str:
    """The figure for those who do not see it."""
    said = [f"{len(live.moves)} plies of {' against '.join(live.players)}."]
    worst = max(
        ((one, move) for one, move in zip(lost, live.moves, strict=False) if one),
        default=None,
        key=lambda pair: pair[0],
    )
    if worst is not None:
        dots = "." if worst[1].white else "..."
        said.append(
            f"The dearest move was {worst[1].turn}{dots}{worst[1].san}: {worst[0]:.0%} of expectation."
        )
    for white in (True, False):
        last = [move for move in live.of(white) if move.combined is not None][-1:]
        for move in last:
            one = move.combined
            assert one is not None
            said.append(f"{move.player} at the end: {one.elo:.0f} ({one.low:.0f} to {one.high:.0f}).")
    return " ".join(said)
