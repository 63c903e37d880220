"""Distributions of gain of every player in every game: what all larger ones are summed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.gain.model import GainModel


@dataclass(frozen=True, eq=False, kw_only=True)
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
            players=self.players,
            events=self.events,
            player=self.player[rows],
            opponent=self.opponent[rows],
            event=self.event[rows],
            game=game.reshape(-1),
            result=self.result[rows],
            elo=self.elo[rows],
            histograms=self.histograms[rows],
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
            players=players,
            events=tuple(kept.names("event")),
            player=np.searchsorted(codes, appearances.player),
            opponent=opponents[kept.codes("opponent")[first]],
            event=kept.codes("event")[first],
            game=game.reshape(-1),
            result=kept.numbers("result")[first],
            elo=kept.numbers("player_elo")[first],
            histograms=model.evidence(kept, appearances.place(kept), len(appearances)),
        )
