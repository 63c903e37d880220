"""What is known of a player after each move: the rating as `assay rate` has it, or the methods' measures.

A game up to some move is rated as a short game is: with fewer decisions the interval is wider
(assay.rating.spread). How often such an interval holds the published rating: assay.live.unfinished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.domain.arrays import Ints
from assay.domain.decisions import Decisions
from assay.domain.rating import Measure, Rating
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration, rating_models
from assay.rating.groups import COMBINED, Group, Rater
from assay.rating.measures import measures
from assay.rating.rate import LEAST_DECISIONS


@dataclass(frozen=True)
class Known:
    """What is known of the player of a move after it."""

    decisions: int = 0
    """Moves after the opening that count so far."""
    ratings: Mapping[str, Rating] = field(default_factory=dict)
    """By method; empty without a calibration, and before there are decisions enough."""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    """By method, where there is no calibration."""

    @property
    def combined(self) -> Rating | None:
        """All methods together."""
        return self.ratings.get(COMBINED)


def known_after(
    decisions: Decisions,
    plies: Sequence[int],
    calibration: Calibration | None,
    least: int = LEAST_DECISIONS,
) -> list[Known]:
    """What is known after each of these plies of the player who moved.

    `decisions` are those of one game, in order, a row for each ply.
    """
    if not len(plies) or not len(decisions):
        return [Known() for _ in plies]
    appearances = Appearances.of(_up_to(decisions, plies))
    rows = _movers(appearances, decisions, plies)
    sizes = appearances.size[rows].astype(int).tolist()
    enough = [place for place, size in enumerate(sizes) if size >= max(least, 1)]
    found = [Known(size) for size in sizes]
    groups = [rows[place : place + 1] for place in enough]
    if not groups:
        return found
    if calibration is not None:
        for place, ratings in zip(enough, Rater(appearances, calibration).rate(groups), strict=True):
            found[place] = Known(sizes[place], ratings)
        return found
    models = rating_models()
    stacks = {name: appearances.stack(model) for name, model in models.items()}
    for place, group in zip(enough, groups, strict=True):
        found[place] = Known(sizes[place], measures=measures(models, stacks, Group("", "", group)))
    return found


def _up_to(decisions: Decisions, plies: Sequence[int]) -> Decisions:
    """The game up to each of these plies, one game after another."""
    rows = np.concatenate([np.arange(ply + 1) for ply in plies])
    return decisions.take(rows).with_games([str(ply) for ply in plies for _ in range(ply + 1)])


def _movers(appearances: Appearances, decisions: Decisions, plies: Sequence[int]) -> Ints:
    """The appearance of the player of each ply in the game up to it."""
    names, players = decisions.names("player"), decisions.codes("player")
    place = {
        pair: row for row, pair in enumerate(zip(appearances.games(), appearances.players(), strict=True))
    }
    return np.array([place[str(ply), names[players[ply]]] for ply in plies])
