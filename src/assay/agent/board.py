"""What an agent must know of a game beside its position: what ends it as a draw, and a bare king."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

import chess

from assay.decisions.slices import phase
from assay.models.depth.agents import OPENING_TURNS

FIFTY = 100
"""Plies without capture or pawn move after which a game is drawn."""


@dataclass
class GameBoard:
    """A game as it stands, with how often each position has been on the board."""

    board: chess.Board
    seen: Counter[Hashable] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if not self.seen:
            self.seen[self._same] = 1

    @classmethod
    def start(cls, fen: str | None = None) -> GameBoard:
        """A game from the usual first position, or from another."""
        return cls(chess.Board() if fen is None else chess.Board(fen))

    @property
    def key(self) -> str:
        """The position as analyses have it: without its counters."""
        return self.board.epd()

    @property
    def _same(self) -> Hashable:
        """Identify the position for repetitions; far quicker than the key."""
        board = self.board
        pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        passing = board.ep_square if board.has_legal_en_passant() else None
        return (*pieces, board.occupied_co[chess.WHITE], board.turn, board.clean_castling_rights(), passing)

    @property
    def ply(self) -> int:
        """Half-moves since the first move of a game."""
        return self.board.ply()

    @property
    def legal(self) -> list[str]:
        """Legal moves, sorted: a draw among them must not depend on how they were made."""
        return sorted(move.uci() for move in self.board.legal_moves)

    @property
    def bare_king(self) -> bool:
        """Whether the opponent has nothing but the king."""
        return chess.popcount(self.board.occupied_co[not self.board.turn]) == 1

    @property
    def opening(self) -> bool:
        """Whether it is one of the first turns, and looks like it: FENs of endings may count from 1."""
        return self.board.fullmove_number <= OPENING_TURNS and phase(self.key) == 0

    def play(self, move: str) -> None:
        """Make a legal move."""
        parsed = chess.Move.from_uci(move)
        if parsed not in self.board.legal_moves:
            raise ValueError(f"{move} is not legal")
        if self.board.is_zeroing(parsed):
            self.seen.clear()
        self.board.push(parsed)
        self.seen[self._same] += 1

    def drawn(self) -> frozenset[str]:
        """Moves after which the game is a draw by the third repetition or the fiftieth move."""
        last = self.board.halfmove_clock >= FIFTY - 1
        if not last and (not self.seen or max(self.seen.values()) < 2):
            return frozenset()
        quiet = [move for move in self.board.legal_moves if not self.board.is_zeroing(move)]
        return frozenset(move.uci() for move in quiet if last or self._third(move))

    def _third(self, move: chess.Move) -> bool:
        self.board.push(move)
        repeated = self.seen[self._same] >= 2
        self.board.pop()
        return repeated

    def result(self) -> str | None:
        """How the game ended: by mate, stalemate, too little material, repetition or fifty moves."""
        outcome = self.board.outcome()
        if outcome is not None:
            return outcome.result()
        if self.board.halfmove_clock >= FIFTY or self.seen[self._same] >= 3:
            return "1/2-1/2"
        return None
