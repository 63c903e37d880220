"""A game as it is being played: a file that grows, evaluated move by move (Ferreira 2012, section 7).

A broadcast tool writes a PGN file again and again. Each time it has changed, the game is read anew,
positions not seen before are evaluated, and the strength of both players after every move follows. Moves
that were taken back, corrected or half written cost nothing: only the positions matter.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.domain import evaluation
from assay.domain import moves as move_codes
from assay.errors import InputError
from assay.ingest.annotations import Annotation
from assay.ingest.exclusions import REASONS
from assay.ingest.pgn import GameRecord, read_games
from assay.models.gain import GainModel
from assay.models.live import RunningStrength, gains_from_values, running_strength
from assay.store.replay import replay

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Position:
    """A position to be evaluated, and how the game came to it."""

    key: str
    start_fen: str | None
    moves: tuple[str, ...]

    @property
    def history(self) -> str:
        """The game up to here, as UCI's `position` takes it."""
        start = f"fen {self.start_fen}" if self.start_fen else "startpos"
        return f"{start} moves {' '.join(self.moves)}"


Evaluate = Callable[[Position], float]
"""Value of a position in its mover's view; NaN if it is not known."""


@dataclass(frozen=True, eq=False)
class GameSoFar:
    """A game as far as its file goes."""

    record: GameRecord
    comments: Mapping[int, int]
    """Values from the comments, in the mover's view, by number of moves before the position."""

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves, UCI."""
        return tuple(move_codes.decode(self.record.moves).to_pylist())

    def positions(self) -> list[Position]:
        """All positions, the first and the last included."""
        start, moves = self.record.start_fen, self.moves
        keys = replay(pa.array([moves], pa.list_(pa.string())), [start]).keys.to_pylist()
        return [Position(key, start, moves[:ply]) for ply, key in enumerate(keys)]


@dataclass(frozen=True)
class LiveMove:
    """One move, and what is known of its player after it."""

    ply: int
    turn: int
    white: bool
    player: str
    san: str
    value: float
    """Value of the position after the move for White: centipawns, mates beyond them; NaN if unknown."""
    gain: float
    """Centipawns; NaN if unknown."""
    expectation: float
    """Against the engine, over the player's moves so far."""
    strength: float
    """By Algorithm 4, or the difference to the engine where its strength is not known; may be infinite."""
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class LiveGame:
    """Strength of both players after every move."""

    game: GameSoFar
    moves: tuple[LiveMove, ...]
    engine_strength: float | None

    @property
    def players(self) -> tuple[str, str]:
        """White and Black."""
        return self.game.record.white_name, self.game.record.black_name

    def of(self, white: bool) -> list[LiveMove]:
        """The moves of one side."""
        return [move for move in self.moves if move.white == white]


def read_game(path: Path, number: int | None = None) -> GameSoFar:
    """The last game of a PGN file, or the one with this number from 1."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: give the PGN file of a game") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder: give the PGN file of a game") from None
    games = [
        GameSoFar(record, _values(batch.annotations.get(record.game_id, [])))
        for batch in read_games(io.BytesIO(content), path.name)
        for record in batch.games
    ]
    if not games:
        raise InputError(f"{path} holds no game yet: give a PGN file")
    if number is not None and not 1 <= number <= len(games):
        raise InputError(f"{path} holds {len(games)} games: there is no game {number}")
    game = games[-1 if number is None else number - 1]
    if game.record.exclusion in ("variant", "too_large"):
        raise InputError(f"the game in {path} cannot be followed: it is {REASONS[game.record.exclusion]}")
    if game.record.exclusion == "nonstandard_start" and game.record.start_fen is None:
        raise InputError(f"the game in {path} begins from a position that is not possible: mend its tag FEN")
    return game


def _values(annotations: list[Annotation]) -> dict[int, int]:
    values = {}
    for one in annotations:
        if one.mate is not None:
            values[one.position] = evaluation.from_mate(one.mate)
        elif one.cp is not None:
            values[one.position] = evaluation.from_cp(one.cp)
    return values


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
                now = (game.record.start_fen, game.moves, game.record.result, tuple(game.comments.items()))
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


class LiveAnalysis:
    """Turns a game so far into strengths; remembers every position that was evaluated."""

    def __init__(self, model: GainModel, evaluate: Evaluate | None) -> None:
        """`evaluate` asks an engine; None takes the evaluations from the comments of the file."""
        self.model = model
        self._evaluate = evaluate
        self._known: dict[str, float] = {}

    def update(self, game: GameSoFar, progress: Callable[[int, int], None] = lambda *_: None) -> LiveGame:
        """Evaluate what is new, and give the strengths after every move."""
        positions = game.positions()
        values = np.empty(len(positions))
        for ply, position in enumerate(positions):
            values[ply] = self._value(position, game.comments.get(ply))
            progress(ply + 1, len(positions))
        board = chess.Board(game.record.start_fen or chess.STARTING_FEN)
        gains = gains_from_values(values, self.model, white_starts=board.turn == chess.WHITE)
        white, black = (running_strength(side, self.model) for side in gains)
        moves = []
        for ply, uci in enumerate(game.moves):
            running = white if board.turn == chess.WHITE else black
            moves.append(_live_move(game, board, ply, -values[ply + 1], running))
            board.push_uci(uci)
        return LiveGame(game, tuple(moves), self.model.engine_strength)

    def _value(self, position: Position, comment: int | None) -> float:
        settled = settled_value(position.key)
        if settled is not None:
            return settled
        if self._evaluate is None:
            return float("nan") if comment is None else comment
        if position.key not in self._known:
            self._known[position.key] = self._evaluate(position)
        return self._known[position.key]


def settled_value(key: str) -> float | None:
    """Value of a position in which the game is over by the rules, in its mover's view; None if it is not."""
    board = chess.Board(f"{key} 0 1")
    if board.is_checkmate():
        return -float(evaluation.MATE)
    return 0.0 if board.is_stalemate() or board.is_insufficient_material() else None


def _live_move(
    game: GameSoFar, board: chess.Board, ply: int, value: float, running: RunningStrength
) -> LiveMove:
    """The move that follows on the board; `value` is that of the next position for the mover."""
    white, place = board.turn == chess.WHITE, ply // 2
    names = game.record.white_name, game.record.black_name
    return LiveMove(
        ply,
        board.fullmove_number,
        white,
        names[0] if white else names[1],
        board.san(chess.Move.from_uci(game.moves[ply])),
        value if white else -value,
        float(running.gains[place]),
        float(running.expectation[place]),
        float(running.strength[place]),
        float(running.strength_low[place]),
        float(running.strength_high[place]),
    )
