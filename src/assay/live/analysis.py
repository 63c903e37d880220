"""Both players after every move of a game under way (Ferreira 2012, section 7).

The rating after a move is the one of `assay rate`, of the game up to it. The paper's own number, the
perceived strength of Algorithm 4, is no Elo: it is there only where a model for it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import chess
import numpy as np

from assay.answers.ratings import Measure, Rating
from assay.decisions import evaluation, measures
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED
from assay.live.game import GameSoFar
from assay.live.positions import Evaluator, GameAnalysis, Progress
from assay.live.ratings import Known, known_after
from assay.models.gain.model import LIMIT, GainModel
from assay.models.gain.running import RunningStrength, running_strength
from assay.rating.calibration import Calibration
from assay.rating.scale import scale_of


@dataclass(frozen=True)
class Perceived:
    """The paper's own number after a move: not Elo."""

    expectation: float
    """Against the engine, over the player's moves so far; NaN where no gain is known yet."""
    strength: float
    """By Algorithm 4, or the difference to the engine where its strength is not known; may be infinite."""
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
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
    mean_gain: float
    """Over the player's moves so far, centipawns; NaN if none is known."""
    known: Known
    perceived: Perceived | None = None
    """Only where it was asked for."""

    @property
    def combined(self) -> Rating | None:
        """The rating by all methods; None without a scale, and before there are moves enough."""
        return self.known.combined

    @property
    def measures(self) -> Mapping[str, Measure]:
        """What the methods measure where there is no scale."""
        return self.known.measures


@dataclass(frozen=True, eq=False)
class LiveGame:
    """Both players after every move."""

    game: GameSoFar
    moves: tuple[LiveMove, ...]
    scale: str | None
    """What a rating is; None where the recipe has no calibration, and nothing is an Elo."""
    perceived: bool = False
    """Whether the paper's number was asked for."""
    engine_strength: float | None = None
    """What the paper's number counts from, where it is known."""

    @property
    def players(self) -> tuple[str, str]:
        """White and Black."""
        return self.game.record.white_name, self.game.record.black_name

    def of(self, white: bool) -> list[LiveMove]:
        """The moves of one side."""
        return [move for move in self.moves if move.white == white]


class LiveAnalysis:
    """Turns a game so far into what is known of both players; remembers what it has worked out."""

    def __init__(
        self,
        evaluator: Evaluator | None,
        *,
        values_from: str = ANNOTATED,
        calibration: Calibration | None = None,
        perceived: GainModel | None = None,
        limit: int = LIMIT,
    ) -> None:
        """`evaluator` asks an engine; None takes the evaluations from the comments of the file.

        `values_from` says whose those are (assay.decisions.evaluation): what `calibration` is for.
        """
        self._analysis = GameAnalysis(evaluator, values_from)
        self._calibration = calibration
        self._perceived = perceived
        self._limit = limit if perceived is None else perceived.limit
        self._known: dict[tuple[tuple[str, ...], bytes], Known] = {}

    def update(self, game: GameSoFar, progress: Progress = lambda *_: None) -> LiveGame:
        """Analyse what is new, and say what is known after every move."""
        return self.of(game, self._analysis.decisions(game, progress))

    def of(self, game: GameSoFar, decisions: Decisions) -> LiveGame:
        """What is known after every move of a game, from its decisions, one for each ply."""
        gains, values = self._gains(decisions, len(game.moves))
        known = self._after_every_move(game, decisions)
        board = chess.Board(game.record.start_fen or chess.STARTING_FEN)
        first = board.turn == chess.WHITE
        sides = {side: gains[place::2] for place, side in enumerate((first, not first))}
        running = {
            side: None if self._perceived is None else running_strength(own, self._perceived)
            for side, own in sides.items()
        }
        moves = []
        for ply, uci in enumerate(game.moves):
            white, place, move = board.turn == chess.WHITE, ply // 2, chess.Move.from_uci(uci)
            turn, san = board.fullmove_number, board.san(move)
            board.push(move)
            # A comment may call it 39 pawns.
            value = evaluation.MATE if board.is_checkmate() else values[ply]
            sofar = sides[white][: place + 1]
            some = sofar[~np.isnan(sofar)]
            moves.append(
                LiveMove(
                    ply=ply,
                    turn=turn,
                    white=white,
                    player=(game.record.white_name if white else game.record.black_name),
                    san=san,
                    value=float(value if white else -value),
                    gain=float(gains[ply]),
                    mean_gain=float(some.mean()) if len(some) else float("nan"),
                    known=known[ply],
                    perceived=_perceived(running[white], place),
                )
            )
        strength = None if self._perceived is None else self._perceived.engine_strength
        return LiveGame(
            game, tuple(moves), scale_of(self._calibration), self._perceived is not None, strength
        )

    def _gains(self, decisions: Decisions, plies: int) -> tuple[Floats, Floats]:
        """Gain of every move, and value of the position after it for the mover; NaN where not known."""
        if not len(decisions):
            return np.full(plies, np.nan), np.full(plies, np.nan)
        return measures.gain(decisions, self._limit), decisions.numbers("after")

    def _after_every_move(self, game: GameSoFar, decisions: Decisions) -> list[Known]:
        """What is known after each ply; what was worked out before is not worked out again."""
        after = decisions.numbers("after") if len(decisions) else np.zeros(0)
        # Comments with evaluations may come later than the moves: what is known then is another thing.
        states = [(game.moves[: ply + 1], after[: ply + 1].tobytes()) for ply in range(len(game.moves))]
        new = [ply for ply, state in enumerate(states) if state not in self._known]
        found = known_after(decisions, new, self._calibration)
        self._known |= {states[ply]: one for ply, one in zip(new, found, strict=True)}
        return [self._known[state] for state in states]


def _perceived(running: RunningStrength | None, place: int) -> Perceived | None:
    if running is None:
        return None
    return Perceived(
        float(running.expectation[place]),
        float(running.strength[place]),
        float(running.strength_low[place]),
        float(running.strength_high[place]),
    )
