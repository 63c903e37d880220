"""Positions worth an hour with a coach: easy misses, missed wins, turning points, and good finds.

What a position asked is told by the agents of the calibration: how many of a hundred players of the same
rating, and of the next level, do better there, or find what was played.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.answers.insights import GOOD_FIND, NEXT_LEVEL, Lesson, Moment
from assay.decisions.arrays import Floats, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.measures import expectation
from assay.errors import InputError
from assay.figures.board import in_words
from assay.insights.difficulty import COMMON, MISSED, RARE, expected_of, rules
from assay.models.depth.expected import FINE
from assay.rating.calibration import Calibration
from assay.rating.references import lost_expectation
from assay.rating.scale import scale_of

if TYPE_CHECKING:
    import chess.pgn

POSITIONS = 12
"""Five minutes each are an hour."""

WON, NOT_WON = 0.80, 0.60
"""Expectation of a position that should be won, and of one in which that is gone."""

TURNED = 0.15
"""Loss of expectation that turns a game which is not lost yet."""
_ALIVE = 0.35

AT_STAKE = 0.03
"""Of the expectation, that the best move keeps more than the second: where less is, a find hardly matters."""

KINDS = ("easy miss", "missed win", "turning point", GOOD_FIND)
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
    usable = decisions.select(player=player).filter(*rules())
    if not len(usable):
        raise InputError(f"no decisions of {player} can be looked at: they have no trace")
    level = round(elo / 100) * 100
    same, above = (expected_of(usable, calibration, float(elo)) for elo in (level, level + NEXT_LEVEL))
    lost, before = lost_expectation(usable), expectation(usable.best_value)
    kinds = _kinds(usable, lost, before, same.better, same.fine)
    of_miss = np.logical_or.reduce(kinds[:3])
    of_find = kinds[3] & ~of_miss
    misses = _most(usable, of_miss, lost * same.better)
    finds = _most(usable, of_find, _stakes(usable) * (1 - same.fine))
    wanted = max(round(positions * _MISSES), positions - len(finds))
    chosen = [*misses[:wanted], *finds[: positions - min(wanted, len(misses))]]
    moments = tuple(
        _moment(
            usable,
            row,
            KINDS[int(np.argmax(kinds[:, row]))],
            links or {},
            lost=float(lost[row]),
            before=float(before[row]),
            of_100=round(100 * float((same.fine if of_find[row] else same.better)[row])),
            of_100_next=round(100 * float((above.fine if of_find[row] else above.better)[row])),
        )
        for row in chosen
    )
    return Lesson(
        player=player,
        elo=level,
        games=len(usable.games),
        decisions=len(usable),
        moments=moments,
        scale=scale_of(calibration),
    )


def _kinds(usable: Decisions, lost: Floats, before: Floats, better: Floats, fine: Floats) -> Mask:
    """Tell which kinds each decision is of: shape (kinds, decisions)."""
    game = usable.codes("game_id")
    most_of_game = np.zeros(int(game.max()) + 1)
    np.maximum.at(most_of_game, game, lost)
    easy = (lost >= MISSED) & (better >= COMMON)
    win = (before >= WON) & (before - lost < NOT_WON)
    turn = (
        (lost >= TURNED) & (before >= _ALIVE) & (usable.numbers("result") < 1) & (lost == most_of_game[game])
    )
    find = (lost <= FINE) & (fine <= RARE) & (_stakes(usable) >= AT_STAKE)
    return np.stack((easy, win, turn, find))


def _stakes(usable: Decisions) -> Floats:
    """What the best option keeps of the expectation more than the second."""
    second = np.minimum(usable.offsets[:-1] + 1, len(usable.values) - 1)
    return np.asarray(expectation(usable.best_value) - expectation(usable.values[second]))


def _most(usable: Decisions, chosen: Mask, worth: Floats) -> list[int]:
    """The rows chosen, the most worth first; of a position that comes again only that."""
    rows, positions = np.flatnonzero(chosen), usable.text("position_key")
    ordered = [int(row) for row in rows[np.argsort(-worth[rows], kind="stable")]]
    return list({positions[row] or row: row for row in reversed(ordered)}.values())[::-1]


def _moment(usable: Decisions, row: int, kind: str, links: Mapping[str, str], **numbers: Any) -> Moment:
    """Describe a position, its game and moves; `numbers` are what was lost, and what others do there."""
    names = {
        column: (usable.names(column)[code] if (code := int(usable.codes(column)[row])) >= 0 else "")
        for column in ("game_id", "opponent", "event", "colour", "played")
    }
    year = usable.numbers("year")[row]
    ply = usable.numbers("ply")[row]
    best = usable.options(row)[0][0]
    position = usable.text("position_key")[row] or ""
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
        **numbers,
    )


_GROSS = 0.25


def lesson_pgn(lesson: Lesson) -> str:
    """Write a lesson as PGN: one game for each position, which a study imports as chapters.

    The main line is the better move, what was played a variation with its sign (`?`, `??`, `!`); the comment
    says what others do there. Positions that are not chess are left out.
    """
    games = [_game(lesson, number, moment) for number, moment in enumerate(lesson.moments, 1)]
    return "\n\n".join(str(game) for game in games if game is not None) + ("\n" if games else "")


def _game(lesson: Lesson, number: int, moment: Moment) -> chess.pgn.Game | None:
    import chess.pgn

    try:
        board = chess.Board(moment.fen)
        best, played = chess.Move.from_uci(moment.better), chess.Move.from_uci(moment.played)
    except ValueError:
        return None
    if not (board.is_legal(best) and board.is_legal(played)):
        return None
    game = chess.pgn.Game()
    sides = [lesson.player, moment.opponent or "?"]
    white, black = sides if board.turn == chess.WHITE else sides[::-1]
    where = f"move {moment.turn}, {moment.event}" if moment.event else f"move {moment.turn}"
    game.headers.update(
        {
            "Event": f"{number}. {moment.kind}: {where}",
            "Site": moment.link or "?",
            "Date": f"{moment.year}.??.??" if moment.year else "????.??.??",
            "Round": str(number),
            "White": white,
            "Black": black,
        }
    )
    game.setup(board)
    comment = lesson.told(moment)
    if best == played:
        node = game.add_variation(best, comment=comment)
        node.nags.add(chess.pgn.NAG_GOOD_MOVE)
    else:
        game.add_variation(best, comment="Better.").nags.add(chess.pgn.NAG_GOOD_MOVE)
        wrong = game.add_variation(played, comment=comment)
        gross = moment.lost >= _GROSS
        wrong.nags.add(chess.pgn.NAG_BLUNDER if gross else chess.pgn.NAG_MISTAKE)
    return game
