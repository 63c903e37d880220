"""Everyone against everyone: the results of the games played, and what the ratings let expect."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Forecast, Ratings
from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.models.gain.crosstable import results_between
from assay.rating.forecasts import forecast_between
from assay.report.parts.wording import points

MOST_PLAYERS = 60
"""A table of more rows and columns is not read any more."""

MOST_NUMBERED = 20
"""Up to so many players the cells of the heat map show their number."""


@dataclass(frozen=True)
class Cell:
    """A cell of a square table: what it shows, what it says when asked, and how strongly it is coloured."""

    text: str = ""
    title: str = ""
    side: str = ""
    """ahead, behind or level: the colour; empty for none."""
    strength: float = 0.0
    """0 to 1: how far from level."""
    ends: str = ""
    """The interval of what is shown."""


@dataclass(frozen=True)
class SquareTable:
    """Names with a row of cells each; a column belongs to the name of the same number."""

    names: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    totals: tuple[str, ...] = ()
    of_all: int = 0
    """How many players there are, where not all are shown."""


def expectation_table(ratings: Ratings, most: int = MOST_PLAYERS) -> SquareTable | None:
    """Expectation of each row against each column by their combined ratings; None without an Elo scale.

    Every number comes with its interval: ratings of few games let expect almost anything.
    """
    shown = [(one.title, one.combined) for one in ratings.players if one.combined is not None]
    shown = [(title, rating) for title, rating in shown if math.isfinite(rating.high - rating.low)][:most]
    if len(shown) < 2:
        return None
    cells = tuple(
        tuple(
            Cell() if one is other else _expected(forecast_between(one, other), len(shown))
            for _, other in shown
        )
        for _, one in shown
    )
    return SquareTable(tuple(title for title, _ in shown), cells, of_all=len(ratings))


def _expected(found: Forecast, players: int) -> Cell:
    expected = found.expectation
    ends = f"{100 * found.low:.0f} to {100 * found.high:.0f}"
    numbered = players <= MOST_NUMBERED
    side = "level" if abs(expected - 0.5) < 0.005 else "ahead" if expected > 0.5 else "behind"
    return Cell(
        f"{100 * expected:.0f}" if numbered else "",
        f"{100 * expected:.1f}%, 95% interval {ends}",
        side,
        abs(2 * expected - 1),
        ends if numbered else "",
    )


def cross_table(ratings: Ratings, decisions: Decisions, most: int = MOST_PLAYERS) -> SquareTable | None:
    """Points of each against each in the games played, in the order of the ratings; None where none met."""
    players = list(dict.fromkeys(rated.player for rated in ratings.players))
    places = {name: place for place, name in enumerate(players)}
    games, results = results_between(
        _places(decisions, "player", places),
        _places(decisions, "opponent", places),
        decisions.codes("game_id"),
        decisions.numbers("result"),
        len(players),
    )
    met = [place for place in range(len(players)) if games[place].any()][:most]
    if not met:
        return None
    cells = tuple(tuple(_result(int(games[a, b]), float(results[a, b])) for b in met) for a in met)
    totals = tuple(_total(games[a], results[a]) for a in met)
    return SquareTable(tuple(players[place] for place in met), cells, totals, of_all=len(players))


def _places(decisions: Decisions, column: str, places: dict[str, int]) -> Ints:
    """Place of the name of each decision; -1 where it is unknown or not rated."""
    known = np.array([places.get(name, -1) for name in decisions.names(column)] + [-1], dtype=np.int64)
    return known[decisions.codes(column)]


def _result(games: int, result: float) -> Cell:
    if not games:
        return Cell()
    if math.isnan(result):
        return Cell("?", f"{games} games, not all results are known")
    side = "level" if 2 * result == games else "ahead" if 2 * result > games else "behind"
    return Cell(points(result), f"{points(result)} of {games}", side, abs(2 * result / games - 1))


def _total(games: Ints, results: npt.NDArray[np.float64]) -> str:
    known = (games > 0) & ~np.isnan(results)
    return f"{points(float(results[known].sum()))} / {int(games[known].sum())}"
