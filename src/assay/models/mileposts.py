"""Mileposts: the appearances of players near one century of the Elo scale, which tell what a rating means.

Whoever is rated 2351 to 2449 belongs to 2400, whoever the opponent was. The Elo of a milepost is the mean of
its appearances. Calibrations, the tables of `choice` and the composite players of `bayes` use no other rule;
the papers' narrower bands are a width that one can ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.elo_mapping import ScalarMapping

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


def mapping_from(model: MoveModel, decisions: Decisions, within: float = HALF_WIDTH) -> ScalarMapping:
    """The mapping from a method's strength to Elo through every milepost of some decisions.

    Ratings are by calibrations, which smooth mileposts of few games first (assay.rating.calibration).
    """
    appearances = Appearances.of(decisions)
    mileposts = Mileposts.of(appearances, within=within)
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
