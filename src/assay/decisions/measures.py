"""Judgements over decisions: functions of the table, never stored in it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.rules import loss_known

_EXPECTATION_SLOPE = 0.00368208  # per centipawn


def loss(decisions: Decisions, limit: int | None = None) -> Floats:
    """Best minus played, both from the same analysis, in centipawns: never negative; NaN if not known.

    It is not known where the played move is the only option evaluated, though others were legal. Where games
    bring their evaluations it is value before less value after, of two searches
    (decisions.consecutive). With `limit`, values are clipped to plus and minus it first, mates included.
    """
    played = np.where(loss_known()(decisions), decisions.played_value, np.nan)
    return loss_between(decisions.best_value, played, limit)


def gain(decisions: Decisions, limit: int | None = None) -> Floats:
    """After minus before, from two analyses, mover's view, in centipawns: either sign; NaN if not known.

    Ferreira 2012, section 2, with `limit=3900`.
    """
    before, after = decisions.numbers("before"), decisions.numbers("after")
    if limit is not None:
        before, after = evaluation.clip(before, limit), evaluation.clip(after, limit)
    return after - before


def expectation(values: npt.ArrayLike) -> Floats:
    """Expectation of the mover, in 0..1, at evaluations in centipawns, mates beyond them.

    The logistic curve that lichess uses, made from games on its site (lichess.org/page/accuracy). Other
    engines' centipawns and other players have other curves: good for putting losses in an order and for
    showing them to people, not for ratings.
    """
    return np.asarray(1 / (1 + np.exp(-_EXPECTATION_SLOPE * np.asarray(values, dtype=np.float64))))


def lost_score(decisions: Decisions) -> Floats:
    """Expected score that each move lost, for marks and words on single moves; NaN where it is not known.

    Best less played in the analysis of the position, but no more than the analysis of the next position
    confirms: a move outside the engine's lines has a value of few nodes. Where games bring one evaluation
    per position it is before less after. No method reads it: these are two searches.
    """
    same = ~np.isnan(loss(decisions))
    best = expectation(np.where(same, decisions.best_value, decisions.numbers("before")))
    played = np.where(same, expectation(decisions.played_value), np.nan)
    return np.maximum(best - np.fmax(played, expectation(decisions.numbers("after"))), 0.0)


def agreement(decisions: Decisions) -> Floats:
    """1 where the played move is as good as the best, 0 where not, NaN if not evaluated."""
    lost = loss(decisions)
    return np.where(np.isnan(lost), np.nan, lost == 0)


# Consecutive evaluations: one value per position, and what each move lost by the values around it.


def between(value: Floats, offsets: Ints) -> tuple[Ints, Floats, Floats]:
    """Every move of games: its position's place among all, the value before, and after, its mover's view.

    `value` has one entry for each position, the last of a game included, from its mover's view; NaN where it
    is not known.
    """
    is_move = np.ones(len(value), dtype=bool)
    is_move[offsets[1:] - 1] = False
    rows = np.flatnonzero(is_move)
    return rows, value[rows], -value[rows + 1]


def loss_between(before: Floats, after: Floats, limit: int | None = None) -> Floats:
    """Value before less value after, in centipawns: not below zero; NaN where either is not known.

    With `limit`, values are clipped to plus and minus it first, mates included.
    """
    if limit is not None:
        before, after = evaluation.clip(before, limit), evaluation.clip(after, limit)
    return np.maximum(before - after, 0.0)
