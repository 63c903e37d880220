"""Distributions of gain of every player in every game: what all larger ones are summed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.domain.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.gain import GainModel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PlayerGames:
    """One row for each player in each game."""

    players: tuple[str, ...]
    events: tuple[str, ...]
    player: Ints
    """Who, as a place in `players`."""
    opponent: Ints
    """Against whom; -1 for one of whom there are no decisions."""
    event: Ints
    """Where, as a place in `events`; -1 if unknown."""
    game: Ints
    """Number of the game, from 0 without gaps."""
    result: Floats
    elo: Floats
    histograms: sparse.csr_array

    @property
    def n_games(self) -> int:
        """Number of games."""
        return int(self.game.max()) + 1

    def take(self, rows: Ints) -> PlayerGames:
        """Some of the rows."""
        _, game = np.unique(self.game[rows], return_inverse=True)
        return PlayerGames(
            self.players,
            self.events,
            self.player[rows],
            self.opponent[rows],
            self.event[rows],
            game.reshape(-1),
            self.result[rows],
            self.elo[rows],
            self.histograms[rows],
        )

    @classmethod
    def of(cls, decisions: Decisions, model: GainModel) -> PlayerGames:
        """Rows from the decisions that pass the rules of the model."""
        kept, _ = model.select(decisions)
        if not len(kept):
            raise InputError(f"none of the {len(decisions):,} decisions passes the rules of {model.name}")
        appearances = Appearances.of(kept)
        first = appearances.first
        codes = np.unique(appearances.player)
        players = tuple(kept.names("player")[code] for code in codes)
        places = {name: place for place, name in enumerate(players)}
        opponents = np.array([places.get(name, -1) for name in kept.names("opponent")] + [-1])
        _, game = np.unique(appearances.game, return_inverse=True)
        return cls(
            players,
            tuple(kept.names("event")),
            np.searchsorted(codes, appearances.player),
            opponents[kept.codes("opponent")[first]],
            kept.codes("event")[first],
            game.reshape(-1),
            kept.numbers("result")[first],
            kept.numbers("player_elo")[first],
            model.evidence(kept, appearances.place(kept), len(appearances)),
        )
