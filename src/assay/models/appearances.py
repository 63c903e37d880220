"""Appearances: one player in one game, the unit that is summed, resampled and never split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.decisions.rules import after_turn, evaluated, rated
from assay.errors import InputError
from assay.models.base import MoveModel, recipe_of

OPENING_TURNS = 8
"""Turns of the opening, which are not counted as decisions: known by heart, they say little of a player."""


@dataclass(frozen=True, eq=False)
class Appearances:
    """The appearances in some decisions, ordered by game and player."""

    decisions: Decisions
    game: Ints
    """Of each appearance, as a code of the decisions."""
    player: Ints
    first: Ints
    """The row of its first decision, where the columns that belong to the game are read."""
    size: Floats
    """How many evaluated decisions after the opening may be rated."""

    @classmethod
    def of(cls, decisions: Decisions) -> Appearances:
        """All appearances in some decisions."""
        if not len(decisions):
            raise InputError("no decisions to rate: check the selection")
        game, player = decisions.codes("game_id"), decisions.codes("player")
        width = int(player.max()) + 2  # who is not named has the code -1
        keys = game.astype(np.int64) * width + player + 1
        pairs, first, row = np.unique(keys, return_index=True, return_inverse=True)
        counted = (rated() & after_turn(OPENING_TURNS) & evaluated())(decisions)
        size = np.bincount(row.reshape(-1)[counted], minlength=len(pairs)).astype(np.float64)
        return cls(decisions, pairs // width, pairs % width - 1, first, size)

    def __len__(self) -> int:
        return len(self.game)

    @property
    def recipe_id(self) -> str:
        """The recipe of all of them."""
        return recipe_of(self.decisions)

    def numbers(self, column: str) -> Floats:
        """A numeric column of the games: year, player_elo, result, ..."""
        return self.decisions.numbers(column)[self.first]

    @cached_property
    def elo(self) -> Floats:
        """The player's published rating, NaN where it is not known; zero stands for that in some files."""
        return _known(self.numbers("player_elo"))

    @property
    def elo_games(self) -> Floats:
        """In how many games of each row the published rating is known: 1 or 0."""
        return np.isfinite(self.elo).astype(np.float64)

    @property
    def game_counts(self) -> Floats:
        """How many games each row is of: one."""
        return np.ones(len(self))

    @property
    def squares(self) -> Floats:
        """The square of how many decisions each row counts."""
        return np.square(self.size)

    @property
    def opponent_elo(self) -> Floats:
        """The opponent's published rating, NaN where it is not known."""
        return _known(self.numbers("opponent_elo"))

    def codes(self, column: str) -> Ints:
        """A text column of the games, as codes of the decisions."""
        return self.decisions.codes(column)[self.first]

    def names(self, column: str) -> list[str]:
        """What the codes of a text column stand for."""
        return self.decisions.names(column)

    def players(self) -> list[str]:
        """The player of each appearance."""
        names = self.decisions.names("player")
        return [names[code] for code in self.player]

    def games(self) -> list[str]:
        """The game of each appearance."""
        names = self.decisions.names("game_id")
        return [names[code] for code in self.game]

    def stack(self, model: MoveModel) -> ProfileStack:
        """One profile for each appearance; empty where no decision passes the rules of the model."""
        keys = tuple(f"{game}|{player}" for game, player in zip(self.game, self.player, strict=True))
        return model.stack(self.decisions, self.place, keys)

    def stacks(self, models: Mapping[str, MoveModel]) -> dict[str, ProfileStack]:
        """One profile for each appearance, by method."""
        return {name: self.stack(model) for name, model in models.items()}

    def place(self, decisions: Decisions) -> Ints:
        """Which appearance each of these decisions, a selection of all, belongs to."""
        width = int(self.player.max()) + 1
        wanted = decisions.codes("game_id") * width + decisions.codes("player")
        return np.searchsorted(self.game * width + self.player, wanted)


def _known(elo: Floats) -> Floats:
    return np.where(elo > 0, elo, np.nan)


def assign_folds(game: Ints, player: Ints, milepost: Ints, n: int, rng: np.random.Generator) -> Ints:
    """The fold of each appearance, so that what is learned from some games can be tried on others.

    Both sides of a game are in one fold, and all games of whoever has the most in it. Every fold has about as
    many appearances of each milepost, and of all together.
    """
    games_of = np.bincount(player)
    busiest: dict[int, int] = {}
    for number, who in zip(game.tolist(), player.tolist(), strict=True):
        if number not in busiest or games_of[who] > games_of[busiest[number]]:
            busiest[number] = who
    key = np.array([busiest[number] for number in game.tolist()])
    fold = np.zeros(len(key), np.int64)
    load = np.zeros((n, int(milepost.max()) + 1))
    players, counts = np.unique(key, return_counts=True)
    order = rng.permutation(len(players))
    # The heaviest first, always to the fold that has less of the same mileposts; of those, to that which has
    # less of all: where each milepost is of one player, none has any of it yet.
    for index in order[np.argsort(-counts[order], kind="stable")]:
        theirs = key == players[index]
        added = np.bincount(milepost[theirs], minlength=load.shape[1])
        lightest = int(np.lexsort((load.sum(axis=1), load @ added))[0])
        fold[theirs] = lightest
        load[lightest] += added
    return fold
