"""Models of moves in the backtest: the same two verbs, fed with decisions instead of results."""

from typing import Self

import numpy as np

from assay.domain.decisions import Decisions
from assay.domain.profile import Profile
from assay.domain.results import Floats, ResultGames
from assay.errors import InputError
from assay.models.base import MoveModel
from assay.models.results import with_whites_advantage


class MoveForecaster:
    """Forecasts by a model of moves, from the decisions of the training games only.

    A game with a player none of whose training games has been analysed is forecast by colour alone; after a
    forecast, `covered_` tells the share of games for which that was not so. Learned: `profiles_` by player,
    `white_mean_`. The models know no colours: White's advantage is that of Ferreira 2010, Eq. 16.
    """

    def __init__(self, model: MoveModel, decisions: Decisions) -> None:
        self.name = model.name
        self._model, self._decisions = model, decisions

    def fit(self, games: ResultGames) -> Self:
        """Make a profile of each player from the analysed games among these."""
        games.require_results()
        if not games.game_id:
            raise InputError(
                f"{self.name} reads moves: it needs games from PGN or a workspace, not from a CSV"
            )
        self.white_mean_ = float(games.result.mean())
        self.profiles_: dict[str, Profile] = {}
        seen = self._decisions.select(game_id=games.game_id)
        if len(seen):
            stack = self._model.profiles_by(seen, "player")
            # A row at a time: the rows of all players at once may not fit into memory.
            for index in np.flatnonzero(stack.decisions > 0).tolist():
                weights = np.zeros(len(stack))
                weights[index] = 1.0
                self.profiles_[stack.keys[index]] = stack.weighted(weights)[0]
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """White's expected result in each game."""
        pairs, place = np.unique(np.column_stack([games.white, games.black]), axis=0, return_inverse=True)
        even = np.array([self._expectation(games.players[w], games.players[b]) for w, b in pairs.tolist()])
        found = even[place.ravel()] if len(games) else np.empty(0)
        self.covered_ = float(np.mean(~np.isnan(found))) if len(games) else 0.0
        return with_whites_advantage(np.where(np.isnan(found), 0.5, found), self.white_mean_)

    def _expectation(self, white: str, black: str) -> float:
        if white not in self.profiles_ or black not in self.profiles_:
            return float("nan")
        return self._model.forecast(self.profiles_[white], self.profiles_[black]).expectation
