"""Both players after every move, as a figure (in the manner of Ferreira 2012, Figure 6)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure

if TYPE_CHECKING:
    from assay.answers.live import LiveGame, LiveMove

_MARGIN = 0.1
"""Of the range drawn, left free above and below."""

_WIDEST = 900.0
"""Points above and below the middle that are drawn at most: intervals of the first moves go further."""

_NARROWEST = 50.0
"""Points above and below the middle that are drawn at least."""

_NO_RATING_YET = (1500.0, 2800.0)
"""What is drawn of the Elo scale while it is too early for a rating."""

_PAWNS = 10.0
"""Evaluations beyond so many pawns are drawn as so many."""

_GREY = 6


def live_figure(live: LiveGame) -> Figure:
    """Draw the ratings with their intervals, and the evaluation below.

    Where perceived strength was asked for it is drawn instead; without a scale the mean gain.
    """
    places = [_place(move) for move in live.moves]
    x = (min(places) - 0.5, max(places) + 0.5) if places else (1.0, 2.0)
    in_points = live.perceived or live.scale is not None
    above = Panel(
        [_series(live, white) for white in (True, False) if live.of(white)],
        y_title=_title(live),
        x=x,
        y=_span(live),
        y_text=("{:.0f}" if in_points else "{:+.2f}").format,
        height=400,
        whole_x=True,
    )
    evaluations = Series(
        f"Evaluation for White, within {_PAWNS:.0f} pawns",
        places,
        [_clipped(move.value / 100) for move in live.moves],
        number=_GREY,
        marks=False,
        steps=True,
        to_zero=True,
    )
    title = "Evaluation (pawns)"
    below = Panel([evaluations], x_title="Turn", y_title=title, x=x, height=190, whole_x=True)
    return curves(" – ".join(live.players), [above, below])


def _clipped(pawns: float) -> float:
    return pawns if math.isnan(pawns) else max(-_PAWNS, min(_PAWNS, pawns))


def _title(live: LiveGame) -> str:
    if live.perceived:
        what = "difference to the engine" if live.engine_strength is None else "strength"
        return f"Perceived {what} (not Elo)"
    return "Mean gain (pawns)" if live.scale is None else f"Rating ({live.scale})"


def _ends(live: LiveGame, move: LiveMove) -> tuple[float, float, float]:
    """Give what is drawn of a move, and its interval; NaN where it is too early."""
    if live.perceived:
        if move.perceived is not None:
            return move.perceived.strength, move.perceived.low, move.perceived.high
    elif live.scale is None:
        return move.mean_gain / 100, math.nan, math.nan
    elif move.combined is not None:
        return move.combined.elo, move.combined.low, move.combined.high
    return math.nan, math.nan, math.nan


def _place(move: LiveMove) -> float:
    return move.turn + (0.0 if move.white else 0.5)


def _span(live: LiveGame) -> tuple[float, float]:
    """Give the range drawn: all finite numbers and intervals; perceived strength: of the last moves."""
    ends = [_ends(live, move)[0] for move in live.moves]
    for moves in (live.of(True), live.of(False)):
        with_interval = moves[-1:] if live.perceived else moves  # the first of them reach to infinity
        ends += [end for move in with_interval for end in _ends(live, move)[1:]]
    finite = [end for end in ends if math.isfinite(end)]
    if not finite and live.scale is not None and not live.perceived:
        return _NO_RATING_YET
    finite = finite or [live.engine_strength or 0.0]
    middle = (min(finite) + max(finite)) / 2
    half = (max(finite) - min(finite)) / 2
    in_points = live.perceived or live.scale is not None
    half = min(max(half * (1 + _MARGIN), _NARROWEST if in_points else 1.0 if half == 0 else half), _WIDEST)
    return middle - half, middle + half


def _series(live: LiveGame, white: bool) -> Series:
    """Make line and interval; perceived strength is infinite while all moves so far are on one side."""
    moves = live.of(white)
    ends = [_ends(live, move) for move in moves]
    return Series(
        moves[0].player,
        [_place(move) for move in moves],
        [value for value, _, _ in ends],
        low=[low for _, low, _ in ends],
        high=[high for _, _, high in ends],
        interval="band",
        number=0 if white else 1,
        titles=[_in_words(live, move) for move in moves],
    )


def _in_words(live: LiveGame, move: LiveMove) -> str:
    text = f"{move.turn}{'.' if move.white else '...'}{move.san}"
    value, low, high = _ends(live, move)
    if math.isinf(value):
        return f"{text}: all moves so far on one side"
    text += f": gain {'?' if math.isnan(move.gain) else f'{move.gain / 100:+.2f}'}, "
    if math.isnan(value):
        return f"{text}too early"
    return f"{text}{value:+.2f}" if math.isnan(low) else f"{text}{value:.0f} ({low:.0f} to {high:.0f})"
