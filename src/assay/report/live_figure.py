"""Both players after every move, as a figure (in the manner of Ferreira 2012, Figure 6)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure

if TYPE_CHECKING:
    from assay.live.analysis import LiveGame, LiveMove

_MARGIN = 0.1
"""Of the range drawn, left free above and below."""

_WIDEST = 900.0
"""Points above and below the middle that are drawn at most: intervals of the first moves go further."""

_PAWNS = 10.0
"""Evaluations beyond so many pawns are drawn as so many."""

_GREY = 6

_Ends = tuple[float, float, float]
_UNKNOWN = (math.nan, math.nan, math.nan)


def live_figure(live: LiveGame) -> Figure:
    """The ratings with their intervals, and the evaluation below.

    Where perceived strength was asked for it is drawn instead; without a scale the mean gain.
    """
    turns = [_place(move) for move in live.moves]
    shared = (min(turns) - 0.5, max(turns) + 0.5) if turns else (1.0, 2.0)
    sides = [(number, live.of(white)) for number, white in enumerate((True, False))]
    in_points = live.perceived or live.scale is not None
    above = Panel(
        [_series(live, moves, number) for number, moves in sides if moves],
        y_title=_title(live),
        x=shared,
        y=_span(live),
        y_text=("{:.0f}" if in_points else "{:+.2f}").format,
        height=400,
        whole_x=True,
    )
    below = Panel(
        [_evaluations(live)],
        x_title="Turn",
        y_title="Evaluation (pawns)",
        x=shared,
        height=190,
        whole_x=True,
    )
    return curves(" – ".join(live.players), [above, below])


def _title(live: LiveGame) -> str:
    if live.perceived:
        what = "difference to the engine" if live.engine_strength is None else "strength"
        return f"Perceived {what} (not Elo)"
    return "Mean gain (pawns)" if live.scale is None else f"Rating ({live.scale})"


def _ends(live: LiveGame, move: LiveMove) -> _Ends:
    """What is drawn of a move, and its interval; NaN where it is too early."""
    if live.perceived:
        one = move.perceived
        return _UNKNOWN if one is None else (one.strength, one.low, one.high)
    if live.scale is None:
        return move.mean_gain / 100, math.nan, math.nan
    rating = move.combined
    return _UNKNOWN if rating is None else (rating.elo, rating.low, rating.high)


def _place(move: LiveMove) -> float:
    return move.turn + (0.0 if move.white else 0.5)


def _span(live: LiveGame) -> tuple[float, float]:
    """What to draw: all finite numbers and intervals; of perceived strength those of the last moves."""
    ends = [_ends(live, move)[0] for move in live.moves]
    for moves in (live.of(True), live.of(False)):
        some = moves[-1:] if live.perceived else moves  # the first of them reach to infinity
        ends += [end for move in some for end in _ends(live, move)[1:]]
    finite = [end for end in ends if math.isfinite(end)] or [live.engine_strength or 0.0]
    middle = (min(finite) + max(finite)) / 2
    half = (max(finite) - min(finite)) / 2
    half = min(half * (1 + _MARGIN) or 1.0, _WIDEST)
    return middle - half, middle + half


def _series(live: LiveGame, moves: list[LiveMove], number: int) -> Series:
    """Line and interval; perceived strength is infinite while all moves so far are on one side."""
    ends = [_ends(live, move) for move in moves]
    return Series(
        moves[0].player,
        [_place(move) for move in moves],
        [value for value, _, _ in ends],
        low=[low for _, low, _ in ends],
        high=[high for _, _, high in ends],
        interval="band",
        number=number,
        titles=[_in_words(live, move) for move in moves],
    )


def _in_words(live: LiveGame, move: LiveMove) -> str:
    said = f"{move.turn}{'.' if move.white else '...'}{move.san}"
    value, low, high = _ends(live, move)
    if math.isinf(value):
        return f"{said}: all moves so far on one side"
    gain = "?" if math.isnan(move.gain) else f"{move.gain / 100:+.2f}"
    if math.isnan(value):
        return f"{said}: gain {gain}, too early"
    if math.isnan(low):
        return f"{said}: gain {gain}, {value:+.2f}"
    return f"{said}: gain {gain}, {value:.0f} ({low:.0f} to {high:.0f})"


def _evaluations(live: LiveGame) -> Series:
    pawns = [max(-_PAWNS, min(_PAWNS, move.value / 100)) for move in live.moves]
    return Series(
        f"Evaluation for White, within {_PAWNS:.0f} pawns",
        [_place(move) for move in live.moves],
        [
            math.nan if math.isnan(move.value) else value
            for move, value in zip(live.moves, pawns, strict=True)
        ],
        number=_GREY,
        marks=False,
        steps=True,
        to_zero=True,
    )
