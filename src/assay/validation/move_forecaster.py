"""Models of moves in the backtest: the same two verbs, fed with decisions instead of results."""

from copy import copy
from typing import Self

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import FitError, InputError
from assay.models.base import MoveModel
from assay.results.ferreira import with_whites_advantage
from assay.results.games import ResultGames


class MoveForecaster:
    """Forecasts by a model of moves, from the decisions of the training games only.

    A game with a player none of whose training games has been analysed is forecast by colour alone, and so
    is one for whose players the model finds no fit; after a forecast, `covered_` tells the share of games for
    which neither was so, `unfitted_` the number of the latter. Learned: `model_` with what it borrows from
    all players, `profiles_` by player, `white_mean_`.

    Some models know colours (conformance: alpha is White's advantage) and some do not. So every model is
    asked for a match with colours shared, and White's advantage is that of Ferreira 2010, Eq. 16, for all.
    """

    def __init__(self, model: MoveModel, decisions: Decisions) -> None:
        self.name = model.name
        self._model, self._decisions = model, decisions

    def fit(self, games: ResultGames) -> Self:
        """Make a profile of each player from the analysed games among these; learn from all of them."""
        games.require_results()
        if not games.game_id:
            raise InputError(
                f"{self.name} reads moves: it needs games from PGN or a workspace, not from a CSV"
            )
        self.white_mean_ = float(games.result.mean())
        self.profiles_: dict[str, Profile] = {}
        self.model_ = copy(self._model)  # what was learned for another split must not stay
        seen = self._decisions.select(game_id=games.game_id)
        if len(seen):
            stack = self.model_.profiles_by(seen, "player")
            # A row at a time: the rows of all players at once may not fit into memory.
            for index in np.flatnonzero(stack.decisions > 0).tolist():
                weights = np.zeros(len(stack))
                weights[index] = 1.0
                self.profiles_[stack.keys[index]] = stack.weighted(weights)[0]
        if self.profiles_:
            self.model_.learn(list(self.profiles_.values()))
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """White's expected result in each game."""
        both = np.column_stack([games.white, games.black])
        pairs, place = np.unique(np.sort(both, axis=1), axis=0, return_inverse=True)
        known = [self._pair(games.players[one], games.players[other]) for one, other in pairs.tolist()]
        found = np.array([np.nan if one is None else one for one in known])[place.ravel()]
        read = np.array([one is not None for one in known], dtype=bool)[place.ravel()]
        even = np.where(games.white <= games.black, found, 1 - found)
        self.covered_ = float(np.mean(~np.isnan(even))) if len(games) else 0.0
        self.unfitted_ = int(np.sum(read & np.isnan(even)))
        return with_whites_advantage(np.where(np.isnan(even), 0.5, even), self.white_mean_)

    def _pair(self, first: str, second: str) -> float | None:
        """Expectation of the first with colours shared: NaN where there is no fit, None without moves."""
        if first not in self.profiles_ or second not in self.profiles_:
            return None
        one, other = self.profiles_[first], self.profiles_[second]
        try:
            there, back = (self.model_.expectations([a], [b]) for a, b in ((one, other), (other, one)))
        except FitError:
            return float("nan")
        return float((there[0, 0] + 1 - back[0, 0]) / 2)
