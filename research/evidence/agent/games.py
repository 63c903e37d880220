"""Games between agents, as their UCI engine plays them: one position after the other, each searched whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import chess

from assay.agent.choosing import Chooser
from assay.agent.thinking import GameBoard, Limits, Thinker, Thought

RESIGN_AT = -1000
RESIGN_AFTER = 4
"""A game is given up where so many own moves in a row were worth no more than this before they were made."""

LEVEL = 25
LEVEL_AFTER = 10
LEVEL_FROM = 80
"""A draw is agreed where from this ply on so many moves in a row were within so many centipawns of level."""

MOST_PLIES = 400


@dataclass(frozen=True)
class Played:
    """A game that has ended, and how."""

    moves: tuple[str, ...]
    result: str
    why: str


def play_game(
    thinker: Thinker,
    white: Chooser,
    black: Chooser,
    *,
    seed: int,
    number: int,
    fen: str | None = None,
    to_the_end: bool = False,
    guests: Mapping[chess.Color, Callable[[chess.Board], str]] | None = None,
) -> Played:
    """One game; given up or agreed drawn as people do, unless it is played to the end.

    A guest is someone else who moves for a colour. Its positions are searched all the same: that tells when
    to give up, and makes its moves rateable.
    """
    game, moves, best = GameBoard.start(fen), [], []  # type: ignore[var-annotated]
    while True:
        result = game.result()
        if result is not None:
            return Played(tuple(moves), result, _ended(game.board))
        if len(moves) >= MOST_PLIES:
            return Played(tuple(moves), "1/2-1/2", "too long")
        if not to_the_end and (settled := _settled(best, game.board.turn)) is not None:
            return Played(tuple(moves), *settled)
        chooser = white if game.board.turn else black
        thought = thinker.think(game, Limits(), chooser, seed, number)
        best.append(_best(thought))
        guest = (guests or {}).get(game.board.turn)
        moves.append(thought.move if guest is None else guest(game.board))
        game.play(moves[-1])


def _best(thought: Thought) -> int:
    """What the position was worth to the mover."""
    return max(thought.values.values(), default=0)


def _settled(best: Sequence[int], turn: chess.Color) -> tuple[str, str] | None:
    """Result and reason where somebody gives up or both agree; `best` ends with the last mover's value."""
    own = best[-1 : -2 * RESIGN_AFTER : -2]
    if len(own) == RESIGN_AFTER and max(own) <= RESIGN_AT:
        return ("1-0" if turn == chess.WHITE else "0-1"), "given up"
    last = best[-LEVEL_AFTER:]
    if len(best) >= LEVEL_FROM and max(abs(value) for value in last) <= LEVEL:
        return "1/2-1/2", "agreed"
    return None


def _ended(board: chess.Board) -> str:
    outcome = board.outcome()
    return "repetition or fifty moves" if outcome is None else outcome.termination.name.lower()
