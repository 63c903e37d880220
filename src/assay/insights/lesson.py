"""Positions worth an hour with a coach: easy misses, missed wins, turning points, and good finds.

What a position asked is told by the agents of the calibration: how many of a hundred players of the same
rating, and of the next level, do better there, or find what was played.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.answers.insights import Lesson, Moment
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.measures import expectation
from assay.errors import InputError
from assay.figures.board import in_words
from assay.insights.difficulty import COMMON, MISSED, RARE, expected_of, rules
from assay.models.depth.expected import FINE
from assay.rating.calibration import Calibration
from assay.rating.references import lost_expectation

POSITIONS = 12
"""Five minutes each are an hour."""

NEXT_LEVEL = 200
"""The next level is so many points above."""

WON, NOT_WON = 0.80, 0.60
"""Expectation of a position that should be won, and of one in which that is gone."""

TURNED = 0.15
"""Loss of expectation that turns a game which is not lost yet."""
_ALIVE = 0.35

AT_STAKE = 0.03
"""Of the expectation, that the best move keeps more than the second: where less is, a find hardly matters."""

KINDS = ("easy miss", "missed win", "turning point", "good find")
_MISSES = 0.75
"""Of the positions of a lesson, so many are misses where there are as many: finds are for courage."""


def lesson_of(
    decisions: Decisions,
    player: str,
    elo: float,
    calibration: Calibration,
    *,
    positions: int = POSITIONS,
    links: Mapping[str, str] | None = None,
) -> Lesson:
    """The positions worth an hour among a player's decisions, which come with their trace."""
    if positions < 1:
        raise InputError(f"a lesson has one position or more, not {positions}")
    own = decisions.select(player=player).filter(*rules())
    if not len(own):
        raise InputError(f"no decisions of {player} can be looked at: they have no trace")
    level = round(elo / 100) * 100
    same, above = (expected_of(own, calibration, float(one)) for one in (level, level + NEXT_LEVEL))
    lost, before = lost_expectation(own), expectation(own.best_value)
    kinds = _kinds(own, lost, before, same.better, same.fine)
    of_miss, of_find = kinds[:3].any(axis=0), kinds[3] & ~kinds[:3].any(axis=0)
    worth = np.where(of_miss, lost * same.better, 0.0)
    misses = _most(np.flatnonzero(of_miss), worth)
    finds = _most(np.flatnonzero(of_find), _stakes(own) * (1 - same.fine))
    wanted = max(round(positions * _MISSES), positions - len(finds))
    chosen = [*misses[:wanted], *finds[: positions - min(wanted, len(misses))]]
    moments = []
    for row in chosen:
        share = [(one.fine if of_find[row] else one.better)[row] for one in (same, above)]
        found = _moment(own, row, kinds[:, row], links or {})
        moments.append(
            replace(
                found,
                lost=float(lost[row]),
                before=float(before[row]),
                of_100=round(100 * float(share[0])),
                of_100_next=round(100 * float(share[1])),
            )
        )
    return Lesson(player=player, elo=level, games=len(own.games), decisions=len(own), moments=tuple(moments))


def _kinds(own: Decisions, lost: Floats, before: Floats, better: Floats, fine: Floats) -> Mask:
    """Which kinds each decision is of: shape (kinds, decisions)."""
    after = before - lost
    easy = (lost >= MISSED) & (better >= COMMON)
    win = (before >= WON) & (after < NOT_WON)
    turn = (lost >= TURNED) & (before >= _ALIVE) & (own.numbers("result") < 1) & _largest(own, lost)
    find = (lost <= FINE) & (fine <= RARE) & (_stakes(own) >= AT_STAKE)
    return np.stack((easy, win, turn, find))


def _largest(own: Decisions, lost: Floats) -> Mask:
    """Whether a decision lost the most of its game."""
    game = own.codes("game_id")
    most = np.zeros(int(game.max()) + 1)
    np.maximum.at(most, game, lost)
    return np.asarray(lost == most[game])


def _stakes(own: Decisions) -> Floats:
    """What the best option keeps of the expectation more than the second."""
    second = np.minimum(own.offsets[:-1] + 1, len(own.values) - 1)
    return np.asarray(expectation(own.best_value) - expectation(own.values[second]))


def _most(rows: Ints, worth: Floats) -> list[int]:
    order = np.argsort(-worth[rows], kind="stable")
    return [int(row) for row in rows[order]]


def _moment(own: Decisions, row: int, kinds: Mask, links: Mapping[str, str]) -> Moment:
    """The position, the game and the moves; what others do there is put in by the caller."""
    names = {
        column: (own.names(column)[code] if (code := int(own.codes(column)[row])) >= 0 else "")
        for column in ("game_id", "opponent", "event", "colour", "played")
    }
    year = own.numbers("year")[row]
    ply = own.numbers("ply")[row]
    best = own.options(row)[0][0]
    kind = KINDS[int(np.flatnonzero(kinds)[0])]
    position = own.text("position_key")[row] or ""
    better = names["played"] if kind == KINDS[3] else best
    return Moment(
        kind=kind,
        game=names["game_id"],
        turn=1 if np.isnan(ply) else int(ply) // 2 + 1,
        colour=names["colour"],
        opponent=names["opponent"],
        event=names["event"],
        year=None if np.isnan(year) else int(year),
        position_key=position,
        played=names["played"],
        better=better,
        played_san=in_words(position, names["played"]),
        better_san=in_words(position, better),
        link=links.get(names["game_id"], ""),
    )
