"""What is known of a player after each move: the rating as `assay rate` has it, or the methods' measures.

A game up to some move is rated as a short game is: with fewer decisions the interval is wider
(assay.rating.spread). How often such an interval holds the published rating: research.evidence.unfinished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.answers.ratings import Measure, Quantity, Rating
from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.rating.calibration import Calibration, rating_models
from assay.rating.evidence import Group
from assay.rating.measures import measures
from assay.rating.rate import LEAST_DECISIONS
from assay.rating.rater import COMBINED, Rater

_SKILL = "bayes"


@dataclass(frozen=True)
class Known:
    """What is known of the player of a move after it."""

    decisions: int = 0
    """Moves after the opening that count so far."""
    ratings: Mapping[str, Rating] = field(default_factory=dict)
    """By method; empty without a calibration, and before there are decisions enough."""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    """By method, where there is no calibration."""
    skill: Quantity | None = None
    """The c of the method bayes (Di Fatta, Haworth, Regan 2009), where the options have values."""

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
        rater = Rater(appearances, calibration)
        skill = _skills(calibration.models, rater.stacks, groups)
        for place, ratings, c in zip(enough, rater.rate(groups), skill, strict=True):
            found[place] = Known(sizes[place], ratings, skill=c)
        return found
    models = rating_models()
    stacks = {name: appearances.stack(model) for name, model in models.items()}
    skill = _skills(models, stacks, groups)
    for place, group, c in zip(enough, groups, skill, strict=True):
        known = measures(models, stacks, Group("", "", group))
        found[place] = Known(sizes[place], measures=known, skill=c)
    return found


def _skills(
    models: Mapping[str, MoveModel], stacks: Mapping[str, ProfileStack], groups: Sequence[Ints]
) -> list[Quantity | None]:
    """The c of each group with the interval of its posterior; None where no decision tells it."""
    model, stack = models.get(_SKILL), stacks.get(_SKILL)
    if model is None or stack is None:
        return [None] * len(groups)
    return [
        model.estimate(one)["c"] if (one := stack.only(rows.tolist()).total()).decisions > 0 else None
        for rows in groups
    ]


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
