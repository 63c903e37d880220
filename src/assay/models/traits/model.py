"""Strength from some seventy signs of play at once, weighed as the mileposts teach.

A profile is the sum of the signs over a player's decisions, those of the opening apart: additive, like all
evidence. What each sign is worth is learned when a calibration is made, and kept with it. The positions are
signs as well: games of strong players stay even for longer and are harder to play. They are made by both
players, so this method reads a little of the opponent, which docs/traits.md measures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions
from assay.decisions.depths import in_batches
from assay.decisions.elo import expectation
from assay.decisions.profile import Profile, ProfileStack
from assay.decisions.rules import Rule, enough_lines, evaluated, loss_known, not_forced, rated, traced
from assay.errors import InputError, MappingError
from assay.models.appearances import OPENING_TURNS
from assay.models.base import MoveModel
from assay.models.elo_mapping import no_mapping
from assay.models.traits.lessons import Lessons, learn, learn_again
from assay.models.traits.signs import OPENING, SIGNS, opening_columns, signs

VERSION = 1
"""Raised when a sign changes its meaning: lessons of another version do not fit."""


@dataclass(frozen=True)
class Block:
    """Some of the signs, summed over a stretch of the game: a profile holds one block after another.

    Each begins with the number of its decisions.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    """Where these are among the signs of a decision."""
    first: int = 0
    """Turns before this one do not count."""
    end: int | None = None
    """Nor do turns after this one."""

    def holds(self, ply: Floats) -> Mask:
        """Which plies are in the stretch; decisions without turns are after the opening, and in no phase."""
        within = ~(ply < 2 * self.first)
        return np.asarray(within if self.end is None else within & (ply < 2 * self.end))


_BLOCKS = (
    Block(SIGNS, tuple(range(len(SIGNS))), OPENING_TURNS),
    Block(OPENING, tuple(opening_columns()), 0, OPENING_TURNS),
)


class TraitsModel(MoveModel):
    """A linear discriminant of the means of signs; taught by calibration, without which it says nothing."""

    name: ClassVar[str] = "traits"
    strength = "discriminant"
    reads_trace = True
    blocks: ClassVar[tuple[Block, ...]] = _BLOCKS
    """What is summed: the first block are all signs after the opening, without which there is no answer."""

    def __init__(self) -> None:
        self._lessons: Lessons | None = None

    @property
    def settings(self) -> str:
        """Which signs are summed, and where the opening ends."""
        return (
            f"{len(SIGNS)} signs and {len(OPENING)} of the opening to turn {OPENING_TURNS}, version {VERSION}"
        )

    def rules(self) -> tuple[Rule, ...]:
        """Moves that were not forced, with lines enough to rank them and a trace."""
        return (rated(), evaluated(), loss_known(), not_forced(), enough_lines(), traced())

    @property
    def shape(self) -> tuple[int, ...]:
        """Decisions after the opening and the sum of each sign there, then the same in the opening."""
        return (sum(1 + len(block.names) for block in self.blocks),)

    def signs_of(self, decisions: Decisions) -> Iterator[tuple[Ints, Floats]]:
        """Every sign of the decisions, some rows at a time: their numbers, and the signs."""
        for rows, some, by_depth in in_batches(decisions):
            yield rows, signs(some, by_depth)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Sums of the signs by group."""
        total = np.zeros((n_groups, *self.shape))
        if not len(decisions):
            return total
        ply = decisions.numbers("ply")
        columns = np.array([column for block in self.blocks for column in block.columns], dtype=np.int64)
        sizes = np.array([len(block.columns) for block in self.blocks], dtype=np.int64)
        for rows, found in self.signs_of(decisions):
            holds = np.stack([block.holds(ply[rows]) for block in self.blocks], axis=1)
            _add_blocks(total, found, group[rows], holds, columns, sizes)
        return total

    # Lessons -------------------------------------------------------------------------------------------

    @property
    def lessons(self) -> Mapping[str, Floats]:
        """Centre and weight of every sign, those of the opening last."""
        if self._lessons is None:
            return {}
        return {"centre": self._lessons.centre, "weight": self._lessons.weight}

    @property
    def ready(self) -> bool:
        """Only with lessons."""
        return self._lessons is not None

    def recall(self, lessons: Mapping[str, Floats]) -> Self:
        """Lessons of a calibration."""
        size = self.shape[0] - len(self.blocks)
        if set(lessons) != {"centre", "weight"} or any(one.shape != (size,) for one in lessons.values()):
            raise InputError(f"the lessons for {self.name} are not of its {size} signs")
        self._lessons = Lessons(lessons["centre"], lessons["weight"])
        return self

    def teach(self, stack: ProfileStack, elo: Floats, opponent: Floats, fold: Ints) -> ProfileStack:
        """Learn the weights; the answer's appearances say what weights of the other folds make of them.

        A discriminant is linear in the sums, so what the other folds would say is had by moving each
        appearance's sums along the weights: groups of them then add up as honestly.
        """
        sums = np.asarray(stack.evidence, dtype=np.float64)
        self._lessons, apart = learn(means_of(sums, self.blocks), elo, opponent, fold)
        return self._moved(stack, apart)

    def carry(self, before: ProfileStack, after: ProfileStack, fold: Ints) -> ProfileStack:
        """Weights by which the signs of the other source say what the lessons make of the first's."""
        if self._lessons is None:
            raise MappingError(untaught())
        both = (np.asarray(one.evidence, dtype=np.float64) for one in (before, after))
        first, second = (means_of(sums, self.blocks) for sums in both)
        self._lessons, apart = learn_again(self._lessons, first, second, fold)
        return self._moved(after, apart)

    def _moved(self, stack: ProfileStack, apart: Floats) -> ProfileStack:
        """The stack whose appearances have the discriminants `apart` by the lessons."""
        assert self._lessons is not None
        sums = np.asarray(stack.evidence, dtype=np.float64)
        moved = sums.copy()
        n_later = len(self.blocks[0].names)
        weight = self._lessons.weight[:n_later]
        along = weight / (weight @ weight)
        difference = apart - self._lessons.of(means_of(sums, self.blocks))
        moved[:, 1 : 1 + n_later] += np.outer(difference * sums[:, 0], along)
        return replace(stack, evidence=moved)

    # Answers -------------------------------------------------------------------------------------------

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """The discriminant of many profiles; NaN where nothing is after the opening."""
        if self._lessons is None:
            raise MappingError(untaught())
        sums = np.stack([profile.evidence for profile in profiles])
        return np.where(sums[:, 0] > 0, self._lessons.of(means_of(sums, self.blocks)), np.nan)

    def estimate(self, profile: Profile) -> Estimate:
        """The discriminant: 0 is the middle of the mileposts, 1 a deviation of their Elo above it."""
        self._check(profile)
        [found] = self.strengths([profile]).tolist()
        if math.isnan(found):
            raise InputError(
                f"no decisions of this player after turn {OPENING_TURNS}: {self.name} needs some"
            )
        return Estimate(
            self.name,
            {"discriminant": Quantity(found)},
            profile.decisions,
            profile.games,
            recipe_id=profile.recipe_id,
        )

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Expectation from the two ratings."""
        if self.mapping is None:
            raise MappingError(no_mapping(self.name))
        elos = self.mapping.elos(self, [white, black])
        return Forecast(self.name, float(expectation(elos[0] - elos[1])))


def untaught() -> str:
    """What to do without lessons."""
    return (
        "traits knows nothing without a calibration for this engine and recipe: analyse with one that has "
        "a calibration (standard with Stockfish 15.1), or make one (assay calibrate)"
    )


def means_of(sums: Floats, blocks: Sequence[Block] = _BLOCKS) -> Floats:
    """Means of the signs of each block; NaN where there are no such decisions."""
    means, start = [], 0
    with np.errstate(invalid="ignore", divide="ignore"):
        for block in blocks:
            end = start + 1 + len(block.names)
            means.append(sums[:, start + 1 : end] / sums[:, [start]])
            start = end
    return np.concatenate(means, axis=1)


@njit()
def _add_blocks(total, found, group, holds, columns, sizes):  # type: ignore[no-untyped-def] # pragma: no cover
    """Add each decision's signs to its group: the number of decisions of every block, and its columns."""
    for row in range(len(found)):
        own, signs = total[group[row]], found[row]
        place, column = 0, 0
        for block in range(len(sizes)):
            if holds[row, block]:
                own[place] += 1.0
                for index in range(sizes[block]):
                    own[place + 1 + index] += signs[columns[column + index]]
            place += 1 + sizes[block]
            column += sizes[block]
