"""A game as it is being played: a file that grows (Ferreira 2012, section 7).

A broadcast tool writes a PGN file again and again. Each time it has changed, the game is read anew. Moves
that were taken back, corrected or half written cost nothing: only the positions matter.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from assay.decisions import move_codes
from assay.decisions.evaluation import evaluated_by
from assay.decisions.exclusions import UNFOLLOWABLE, Exclusion
from assay.errors import InputError
from assay.pgn.comments import Annotation
from assay.pgn.reader import GameRecord, read_games
from assay.store.replay import replay


@dataclass(frozen=True)
class Position:
    """A position to be evaluated, and how the game came to it."""

    key: str
    start_fen: str | None
    moves: tuple[str, ...]
    played: str | None = None
    """The move that was played here; None where the game has come no further."""

    @property
    def history(self) -> str:
        """The game up to here, as UCI's `position` takes it."""
        start = f"fen {self.start_fen}" if self.start_fen else "startpos"
        return f"{start} moves {' '.join(self.moves)}"


@dataclass(frozen=True, eq=False)
class GameSoFar:
    """A game as far as its file goes."""

    record: GameRecord
    annotations: tuple[Annotation, ...] = ()
    """What its comments say of positions."""

    @property
    def evaluated(self) -> bool:
        """Whether comments tell the value of any position."""
        return any(one.cp is not None or one.mate is not None for one in self.annotations)

    @property
    def values_from(self) -> str:
        """Whose values its comments tell, by its tags (assay.decisions.evaluation): what may have a scale."""
        one = self.record
        return evaluated_by(one.site or "", one.event or "", one.evaluator or "", one.time_class)

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves, UCI."""
        return tuple(move_codes.decode(self.record.moves).to_pylist())

    def positions(self) -> list[Position]:
        """All positions, the first and the last included."""
        start, moves = self.record.start_fen, self.moves
        keys = replay(pa.array([moves], pa.list_(pa.string())), [start]).keys.to_pylist()
        return [
            Position(key, start, moves[:ply], moves[ply] if ply < len(moves) else None)
            for ply, key in enumerate(keys)
        ]


def read_game(path: Path, number: int | None = None) -> GameSoFar:
    """The last game of a PGN file, or the one with this number from 1."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: give the PGN file of a game") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder: give the PGN file of a game") from None
    games = [
        GameSoFar(record, tuple(batch.annotations.get(record.game_id, ())))
        for batch in read_games(io.BytesIO(content), path.name)
        for record in batch.games
    ]
    if not games:
        raise InputError(f"there is no game in {path} yet: give a PGN file with a game")
    if number is not None and not 1 <= number <= len(games):
        raise InputError(f"{path} has {len(games)} games: there is no game {number}")
    game = games[-1 if number is None else number - 1]
    reason = game.record.exclusion
    if reason is not None and reason in UNFOLLOWABLE:
        raise InputError(f"the game in {path} cannot be followed: it is {reason.meaning}")
    if reason is Exclusion.NONSTANDARD_START and game.record.start_fen is None:
        raise InputError(f"the game in {path} begins from a position that is not possible: mend its tag FEN")
    return game


def follow(
    path: Path,
    number: int | None = None,
    *,
    every: float = 1.0,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[GameSoFar]:
    """The game of a file, now and whenever its moves or its result have changed; ends with its result.

    A file that is not there yet, or is being written, is waited for.
    """
    seen: tuple[object, ...] | None = None
    state: tuple[object, ...] | None = None
    while True:
        before, state = state, _state(path)
        if state is not None and state != before:
            try:
                game = read_game(path, number)
            except InputError:
                game = None
            if game is not None:
                now = (game.record.start_fen, game.moves, game.record.result, game.annotations)
                if now != seen:
                    seen = now
                    yield game
                if game.record.result is not None:
                    return
        sleep(every)


def _state(path: Path) -> tuple[object, ...] | None:
    """What changes when a file is written."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
