"""A lesson as PGN: one game for each position, which any chess program opens and a study imports as chapters.

The main line is the better move, what was played a variation with its sign (`?`, `??`, `!`), and the comment
says what others do there.
"""

from __future__ import annotations

import chess
import chess.pgn

from assay.answers.insights import Lesson, Moment
from assay.insights.lesson import KINDS, NEXT_LEVEL

_MISTAKE, _BLUNDER = chess.pgn.NAG_MISTAKE, chess.pgn.NAG_BLUNDER
_GROSS = 0.25


def lesson_pgn(lesson: Lesson) -> str:
    """All positions that are chess, one game after another."""
    games = [_game(lesson, number, one) for number, one in enumerate(lesson.moments, 1)]
    return "\n\n".join(str(game) for game in games if game is not None) + ("\n" if games else "")


def told(lesson: Lesson, moment: Moment) -> str:
    """What is said of a position: of a hundred players of this and of the next level, how many find it."""
    above = lesson.elo + NEXT_LEVEL
    if moment.kind == KINDS[3]:
        return (
            f"Of 100 players of {lesson.elo}, {moment.of_100} find a move as good; of {above}, "
            f"{moment.of_100_next}."
        )
    return (
        f"Loses {100 * moment.lost:.0f}% of the expectation ({100 * moment.before:.0f}% to "
        f"{100 * (moment.before - moment.lost):.0f}%). Of 100 players of {lesson.elo}, {moment.of_100} do "
        f"plainly better; of {above}, {moment.of_100_next}."
    )


def _game(lesson: Lesson, number: int, moment: Moment) -> chess.pgn.Game | None:
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
    where = f"turn {moment.turn}, {moment.event}" if moment.event else f"turn {moment.turn}"
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
    comment = told(lesson, moment)
    if best == played:
        node = game.add_variation(best, comment=comment)
        node.nags.add(chess.pgn.NAG_GOOD_MOVE)
    else:
        game.add_variation(best, comment="Better.").nags.add(chess.pgn.NAG_GOOD_MOVE)
        wrong = game.add_variation(played, comment=comment)
        wrong.nags.add(_BLUNDER if moment.lost >= _GROSS else _MISTAKE)
    return game
