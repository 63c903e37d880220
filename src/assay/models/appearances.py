"""Appearances: one player in one game, the unit that is summed, resampled and never split; and mileposts.

A milepost is the appearances of players near one century of the Elo scale, which tell what a rating means:
whoever is rated 2351 to 2449 belongs to 2400, whoever the opponent was. Its Elo is the mean of its
appearances. Calibrations, the tables of `choice` and the composite players of `bayes` use no other rule; the
papers' narrower bands are a width that one can ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.decisions.rules import after_turn, evaluated, rated
from assay.errors import InputError
from assay.models.base import MoveModel, recipe_of
from assay.models.elo_mapping import ScalarMapping

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


# Mileposts -----------------------------------------------------------------------------------------------

HALF_WIDTH = 50
"""How far from its century the ratings of a milepost are, at most."""

FEWEST_APPEARANCES = 8
"""A century with fewer appearances is no milepost."""

FEWEST_DECISIONS = 10
"""Appearances with fewer decisions after the opening do not count."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Mileposts:
    """The appearances that make mileposts: which rows, whose, of what Elo, and of which milepost."""

    rows: Ints
    elo: Floats
    opponent: Floats
    """Elo of the opponent, NaN where it is not known."""
    size: Floats
    game: Ints
    player: Ints
    milepost: Ints
    """Place of the milepost, from 0 without gaps, in order of Elo."""
    centuries: tuple[int, ...]
    """What each milepost is called by."""

    @classmethod
    def of(
        cls,
        appearances: Appearances,
        stacks: Mapping[str, ProfileStack] | None = None,
        *,
        among: Ints | None = None,
        within: float = HALF_WIDTH,
    ) -> Mileposts:
        """The appearances with a published rating and enough decisions, all or those `among`.

        With `stacks`, only appearances of which every method has evidence.
        """
        elo = appearances.elo
        century, usable = _near_centuries(appearances, within)
        for stack in (stacks or {}).values():
            usable &= stack.decisions > 0
        if among is not None:
            usable &= np.isin(np.arange(len(elo)), among)
        near, counts = np.unique(century[usable], return_counts=True)
        centuries = near[counts >= FEWEST_APPEARANCES]
        rows = np.flatnonzero(usable & np.isin(century, centuries))
        return cls(
            rows=rows,
            elo=elo[rows],
            opponent=appearances.opponent_elo[rows],
            size=appearances.size[rows],
            game=appearances.game[rows],
            player=appearances.player[rows],
            milepost=np.searchsorted(centuries, century[rows]),
            centuries=tuple(int(century) for century in centuries),
        )

    def __len__(self) -> int:
        return len(self.centuries)

    @property
    def elos(self) -> Floats:
        """Mean Elo of each milepost."""
        return np.asarray(np.bincount(self.milepost, self.elo) / np.bincount(self.milepost))

    @property
    def membership(self) -> Floats:
        """Which of the rows belong to which milepost, shape (mileposts, rows): weights that pool them."""
        return np.asarray(self.milepost == np.arange(len(self))[:, None], dtype=np.float64)


def _near_centuries(appearances: Appearances, within: float) -> tuple[Floats, Mask]:
    """The nearest century of each appearance, and whether it is near enough and has decisions enough."""
    century = 100 * np.round(appearances.elo / 100)
    near = np.abs(appearances.elo - century) <= within
    return century, near & (appearances.size >= FEWEST_DECISIONS)


def split_by_milepost(decisions: Decisions, within: float = HALF_WIDTH) -> dict[int, Decisions]:
    """Select the decisions of each milepost, by its century, in order of Elo."""
    appearances = Appearances.of(decisions)
    mileposts = Mileposts.of(appearances, within=within)
    place = np.full(len(appearances), -1)
    place[mileposts.rows] = mileposts.milepost
    of_decision = place[appearances.place(decisions)]
    return {
        century: decisions.take(np.flatnonzero(of_decision == index))
        for index, century in enumerate(mileposts.centuries)
    }


def appearances_near(decisions: Decisions, within: float = HALF_WIDTH) -> dict[int, int]:
    """How many appearances with decisions enough there are within so many points of each century."""
    century, usable = _near_centuries(Appearances.of(decisions), within)
    near, counts = np.unique(century[usable], return_counts=True)
    return dict(zip(map(int, near), counts.tolist(), strict=True))


def mapping_from(model: MoveModel, decisions: Decisions) -> ScalarMapping:
    """The mapping from a method's strength to Elo through every milepost of some decisions.

    Ratings are by calibrations, which smooth mileposts of few games first (assay.rating.calibration).
    """
    appearances = Appearances.of(decisions)
    mileposts = Mileposts.of(appearances)
    if len(mileposts) < 2:
        raise InputError(too_few(2, len(mileposts)))
    profiles = appearances.stack(model).only(mileposts.rows.tolist()).weighted(mileposts.membership)
    pairs = zip(mileposts.elos.tolist(), profiles, strict=True)
    filled = [(elo, profile) for elo, profile in pairs if profile.decisions > 0]
    return ScalarMapping.fit(model, appearances.recipe_id, filled)


def too_few(needed: int, present: int) -> str:
    """What to do where there are fewer mileposts than it takes."""
    number = {1: "one century", 2: "two centuries", 3: "three centuries"}[needed]
    return (
        f"players near at least {number} of rating are needed, {FEWEST_APPEARANCES} appearances at each; "
        f"these games have {present}: give more games with ratings in their tags"
    )
