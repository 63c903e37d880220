"""The moves that cost the most: the largest losses of expectation, with diagrams."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions import measures
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.rules import rated
from assay.figures.board import diagram, in_words
from assay.report.parts.wording import value

MOST_LOSSES = 12

_LEAST = 0.02
"""A smaller loss of expectation is within what the engine itself wavers by."""


@dataclass(frozen=True, kw_only=True)
class BigLoss:
    """One decision that lost much."""

    player: str
    opponent: str
    colour: str
    occasion: str
    turn: str
    """Number of the turn with its dots; empty where decisions have none."""
    played: str
    best: str
    """The best option; empty where only the position was evaluated."""
    before: str
    after: str
    expected_before: float
    expected_after: float
    diagram: str
    """A picture as an address that holds it; empty where the position is not one of chess."""
    game: str
    ply: int | None
    """The game, and how many plies were played before; None where decisions do not say."""

    @property
    def lost(self) -> float:
        """Expectation lost."""
        return self.expected_before - self.expected_after


def biggest_losses(decisions: Decisions, most: int = MOST_LOSSES) -> list[BigLoss]:
    """The decisions that lost most expectation, the largest first.

    A loss is best less played of one analysis. Where only positions were evaluated, as in comments, the value
    of the next position stands for that of the played move.
    """
    kept = decisions.filter(rated())
    best, played = _values(kept)
    lost = np.nan_to_num(measures.expectation(best) - measures.expectation(played), nan=0.0)
    order = np.argsort(-lost, kind="stable")[:most]
    rows = kept.take(order[lost[order] >= _LEAST])
    return [_big_loss(rows, row) for row in range(len(rows))]


def _values(decisions: Decisions) -> tuple[Floats, Floats]:
    """Value of the best and of the played option, or of the positions before and after."""
    compared = ~np.isnan(measures.loss(decisions))
    best = np.where(compared, decisions.best_value, decisions.numbers("before"))
    return best, np.where(compared, decisions.played_value, decisions.numbers("after"))


def _big_loss(rows: Decisions, row: int) -> BigLoss:
    one = rows.take(np.array([row]))
    best_value, played_value = (float(values[0]) for values in _values(one))
    names = ("player", "opponent", "colour", "event", "position_key", "game_id")
    text = {name: one.text(name)[0] or "" for name in names}
    ply = float(one.numbers("ply")[0])
    played, options = str(one.text("played")[0]), one.options(0)
    best = options[0][0] if options and options[0][0] != played else ""
    return BigLoss(
        player=text["player"],
        opponent=text["opponent"],
        colour=text["colour"],
        occasion=_occasion(text["event"], float(one.numbers("year")[0])),
        turn=_turn(ply),
        played=in_words(text["position_key"], played),
        best=in_words(text["position_key"], best),
        before=value(best_value),
        after=value(played_value),
        expected_before=float(measures.expectation(best_value)),
        expected_after=float(measures.expectation(played_value)),
        diagram=diagram(text["position_key"], played, best),
        game=text["game_id"],
        ply=None if np.isnan(ply) else int(ply),
    )


def _turn(ply: float) -> str:
    return "" if np.isnan(ply) else f"{int(ply) // 2 + 1}{'.' if int(ply) % 2 == 0 else '…'}"


def _occasion(event: str, year: float) -> str:
    """The event, and the year where its name does not hold it."""
    when = "" if np.isnan(year) else f"{year:.0f}"
    return ", ".join(part for part in (event, "" if when in event else when) if part)
