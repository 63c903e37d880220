"""`traits`: the learned rating by moves, one ridge regression on some eighty features of play.

A profile is the sum of the features over a player's decisions, those of the opening apart: additive, like all
evidence. What each feature weighs is learned when a calibration is made, and stored in it. What agents of
`depth` make of the moves is among the features. So are the positions: games of strong players stay even for
longer and are harder to play. They are made by both players, so this method reads a little of the opponent.
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
from assay.decisions.profile import Profile, ProfileStack
from assay.decisions.rules import (
    Rule,
    enough_lines,
    evaluated,
    has_gain,
    loss_known,
    not_forced,
    rated,
    timed,
    traced,
)
from assay.errors import InputError, MappingError
from assay.models.appearances import OPENING_TURNS
from assay.models.base import MoveModel
from assay.models.depth.likelihood import in_batches
from assay.models.traits.features import (
    CLOCK_FEATURES,
    FEATURES,
    LINE_FEATURES,
    OF_AGENTS,
    OF_LOSSES,
    OF_PHASES,
    OPENING,
    VALUE_FEATURES,
    clock_features,
    features,
    line_features,
    value_features,
)

CLOCKS = "clocks"

NO_WEIGHTS = (
    "traits needs a calibration for this engine and recipe: analyse with one that has "
    "a calibration (standard with Stockfish 15.1), or make one (assay calibrate)"
)
"""What to do where there are no weights."""

WITH_CLOCKS = (*VALUE_FEATURES, *CLOCK_FEATURES)

PHASES = ((OPENING_TURNS, 20), (20, 40), (40, None))
"""Turns after which a phase begins, and with which it ends."""


@dataclass(frozen=True)
class Block:
    """Some of the features, summed over a stretch of the game: turns after `first`, up to `end`.

    A profile holds one block after another. Each begins with the number of its decisions.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    """Where these are among the features of a decision."""
    first: int = 0
    end: int | None = None

    def holds(self, ply: Floats) -> Mask:
        """Which plies are in the stretch; decisions without turns are after the opening, and in no phase."""
        within = ~(ply < 2 * self.first)
        return np.asarray(within if self.end is None else within & (ply < 2 * self.end))


def _block(names: tuple[str, ...], among: tuple[str, ...], first: int = 0, end: int | None = None) -> Block:
    return Block(names, tuple(among.index(name) for name in names), first, end)


class TraitsModel(MoveModel):
    """A linear discriminant of the means of features; it needs the weights of a calibration."""

    name: ClassVar[str] = "traits"
    strength = "discriminant"
    reads_trace = True
    blocks: ClassVar[tuple[Block, ...]] = (
        _block(FEATURES, FEATURES, OPENING_TURNS),
        _block(OPENING, FEATURES, 0, OPENING_TURNS),
    )
    """What is summed: the first block has all features after the opening; without it there is no answer. The
    second has those of the opening, which some files lack."""
    linear = True

    def __init__(self) -> None:
        self._weights: Weights | None = None

    # Versions are raised when a feature changes its meaning: weights of another version do not fit. The word
    # "signs" is part of the identity of profiles in calibrations that were made before.
    @property
    def settings(self) -> str:
        """Which features are summed, and where the opening ends."""
        return f"{self._n_features} features of all depths, opening to turn {OPENING_TURNS}, version 2"

    def rules(self) -> tuple[Rule, ...]:
        """Moves that were not forced, with lines enough to rank them and a trace."""
        return (rated(), evaluated(), loss_known(), not_forced(), enough_lines(), traced())

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of decisions and the sum of each feature, block by block."""
        return (sum(1 + len(block.names) for block in self.blocks),)

    @property
    def _n_features(self) -> int:
        return self.shape[0] - len(self.blocks)

    def features(self, decisions: Decisions) -> Iterator[tuple[Ints, Floats]]:
        """Features of the decisions, a batch of rows at a time: their numbers, and the features."""
        for rows, batch, analysed in in_batches(decisions):
            yield rows, features(batch, analysed)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Sums of the features by group."""
        total = np.zeros((n_groups, *self.shape))
        if not len(decisions):
            return total
        ply = decisions.numbers("ply")
        columns = np.array([column for block in self.blocks for column in block.columns], dtype=np.int64)
        sizes = np.array([len(block.columns) for block in self.blocks], dtype=np.int64)
        for rows, table in self.features(decisions):
            holds = np.stack([block.holds(ply[rows]) for block in self.blocks], axis=1)
            _add_blocks(total, table, group[rows], holds, columns, sizes)
        return total

    # Weights -------------------------------------------------------------------------------------------

    @property
    def weights(self) -> Mapping[str, Floats]:
        """Centre and weight of every feature, and its weight where the opening is missing."""
        return {} if self._weights is None else vars(self._weights)

    @property
    def ready(self) -> bool:
        """Only with weights."""
        return self._weights is not None

    def with_weights(self, weights: Mapping[str, Floats]) -> Self:
        """Use the weights of a calibration; those made before do not know what to do without an opening."""
        size = self._n_features
        arrays = {"later": weights.get("weight"), **weights}
        if set(arrays) != {"centre", "weight", "later"} or any(
            array is None or array.shape != (size,) for array in arrays.values()
        ):
            raise InputError(f"the weights for {self.name} are not of its {size} features")
        self._weights = Weights(**arrays)  # type: ignore[arg-type]
        return self

    def fit_weights(self, stack: ProfileStack, elo: Floats, opponent: Floats, fold: Ints) -> ProfileStack:
        """Learn the weights. Returns appearances as weights of the other folds judge them.

        A discriminant is linear in the sums, so what the other folds would say is had by moving each
        appearance's sums along the weights: groups of them then add up as honestly.
        """
        means = means_of(np.asarray(stack.evidence, dtype=np.float64), self.blocks)
        names = [name for block in self.blocks for name in block.names]
        ease = np.where(np.isin(names, OF_AGENTS), EASE, 1.0)
        first = len(self.blocks[0].names)
        opening = np.zeros(len(names), bool)
        opening[first : first + len(self.blocks[1].names)] = True
        self._weights, held_out = fit_weights(means, elo, opponent, fold, ease, opening)
        return self._moved(stack, held_out)

    def _checked_weights(self) -> Weights:
        if self._weights is None:
            raise MappingError(NO_WEIGHTS)
        return self._weights

    def _moved(self, stack: ProfileStack, held_out: Floats) -> ProfileStack:
        """The stack with sums that have the discriminants `held_out` by the weights."""
        weights = self._checked_weights()
        sums = np.asarray(stack.evidence, dtype=np.float64)
        moved = sums.copy()
        n_later = len(self.blocks[0].names)
        weight = weights.weight[:n_later]
        along = weight / (weight @ weight)
        difference = held_out - weights.discriminant(means_of(sums, self.blocks))
        moved[:, 1 : 1 + n_later] += np.outer(difference * sums[:, 0], along)
        return replace(stack, evidence=moved)

    # Answers -------------------------------------------------------------------------------------------

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """The discriminant of many profiles; NaN where nothing is after the opening."""
        weights = self._checked_weights()
        sums = np.stack([profile.evidence for profile in profiles])
        return np.where(sums[:, 0] > 0, weights.discriminant(means_of(sums, self.blocks)), np.nan)

    def estimate(self, profile: Profile) -> Estimate:
        """The discriminant: 0 is the middle of the mileposts, 1 a deviation of their Elo above it."""
        self._check(profile)
        [value] = self.strengths([profile]).tolist()
        if math.isnan(value):
            raise InputError(
                f"no decisions of this player after turn {OPENING_TURNS}: {self.name} needs some"
            )
        quantities = {"discriminant": Quantity(value)}
        return Estimate(self.name, quantities, profile.decisions, profile.games, recipe_id=profile.recipe_id)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Expectation from the two ratings."""
        return Forecast(self.name, float(self.expectations_by_ratings([white], [black])[0, 0]))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black; each profile is read once."""
        return self.expectations_by_ratings(white, black)


LINES = 4
"""Lines that `LineTraitsModel` reads: as many as the recipe of the fewest (thrifty) has."""


class LineTraitsModel(TraitsModel):
    """`traits` of the last depth alone, with values on the scale of another engine's.

    Depth 8 of one engine is not that of another, and recipes differ in their lines. So the smaller depths and
    the lines after the fourth are not read. How decided a position is, and for whom, is left out as well:
    without the depths it would weigh so much that playing weaker opponents costs rating. Values go through a
    rising, odd map, which is learned from the same positions by both engines (assay.rating.bridge); without
    one they stay as they are.
    """

    reads_trace = False
    blocks: ClassVar[tuple[Block, ...]] = (
        _block(
            tuple(name for name in LINE_FEATURES if name not in ("decided", "expectation")),
            LINE_FEATURES,
            OPENING_TURNS,
        ),
        _block(OPENING, LINE_FEATURES, 0, OPENING_TURNS),
    )

    def __init__(self) -> None:
        super().__init__()
        self.value_map: tuple[Floats, Floats] | None = None
        """Values of this engine from zero up, in centipawns, and those of the other."""

    @property
    def settings(self) -> str:
        """Which features are summed, of how many lines, and where the opening ends."""
        return f"{self._n_features} features of {LINES} lines, opening to turn {OPENING_TURNS}, version 1"

    def rules(self) -> tuple[Rule, ...]:
        """Moves that were not forced, with lines enough to rank them."""
        return (rated(), evaluated(), loss_known(), not_forced(), enough_lines())

    @property
    def weights(self) -> Mapping[str, Floats]:
        """Those of every feature, and the map of values where there is one."""
        if self.value_map is None:
            return super().weights
        return {**super().weights, "values": self.value_map[0], "native": self.value_map[1]}

    def with_weights(self, weights: Mapping[str, Floats]) -> Self:
        """Use the weights of a calibration, and its map of values."""
        others = {name: array for name, array in weights.items() if name not in ("values", "native")}
        super().with_weights(others)
        if len(others) < len(weights):
            knots = [weights.get(name, np.zeros(0)) for name in ("values", "native")]
            if knots[0].shape != knots[1].shape or any(not _rises_from_zero(part) for part in knots):
                raise InputError("the map of values of this calibration does not rise from zero")
            self.value_map = knots[0], knots[1]
        return self

    def features(self, decisions: Decisions) -> Iterator[tuple[Ints, Floats]]:
        """Features of the decisions, a batch of rows at a time."""
        for rows in _batches(len(decisions), 50_000):
            part = decisions if len(rows) == len(decisions) else decisions.take(rows)
            yield rows, line_features(part.first_lines(LINES, self.native_values))

    def native_values(self, values: Floats) -> Floats:
        """Values on the scale of the other engine; beyond the last knot in proportion."""
        if self.value_map is None:
            return values
        known, native = self.value_map
        size = np.abs(values)
        mapped = np.where(size <= known[-1], np.interp(size, known, native), size * native[-1] / known[-1])
        return np.asarray(np.sign(values) * mapped)


def _rises_from_zero(knots: Floats) -> bool:
    return knots.ndim == 1 and len(knots) > 1 and knots[0] == 0 and bool((np.diff(knots) > 0).all())


class ValueTraitsModel(TraitsModel):
    """`traits` of games that bring their evaluations: one value per ply.

    Phases of the game are read apart, in place of depths and ranks, which are not known.
    """

    reads_trace = False
    blocks: ClassVar[tuple[Block, ...]] = (
        _block(VALUE_FEATURES, VALUE_FEATURES, OPENING_TURNS),
        _block(OF_LOSSES, VALUE_FEATURES, 0, OPENING_TURNS),
        *(_block(OF_PHASES, VALUE_FEATURES, first, end) for first, end in PHASES),
    )

    @property
    def settings(self) -> str:
        """Which features are summed, and where the opening ends."""
        return f"{self._n_features} signs of consecutive values, opening to turn {OPENING_TURNS}, version 1"

    def rules(self) -> tuple[Rule, ...]:
        """Moves that are not known to be forced, with a value before and after."""
        return (rated(), has_gain(), not_forced())

    def features(self, decisions: Decisions) -> Iterator[tuple[Ints, Floats]]:
        """Features of the decisions, a batch of rows at a time."""
        before, after = decisions.numbers("before"), decisions.numbers("after")
        for rows in _batches(len(decisions), 4_000):  # few enough for the processor's cache
            yield rows, value_features(before[rows], after[rows])


class ClocksModel(ValueTraitsModel):
    """The same, and how fast moves are made in each phase of the game."""

    name: ClassVar[str] = CLOCKS
    of_most = True  # games without clocks beside games with them: how far that strays was not learned
    blocks: ClassVar[tuple[Block, ...]] = (
        *ValueTraitsModel.blocks,
        *(_block(CLOCK_FEATURES, WITH_CLOCKS, first, end) for first, end in ((0, OPENING_TURNS), *PHASES)),
    )

    @property
    def settings(self) -> str:
        """Which features are summed, and where the opening ends."""
        return f"{self._n_features} features of values and clocks, opening to turn {OPENING_TURNS}, version 2"

    def rules(self) -> tuple[Rule, ...]:
        """Those of the values, and it is known how long the move took and what was on the clock."""
        return (*super().rules(), timed())

    def features(self, decisions: Decisions) -> Iterator[tuple[Ints, Floats]]:
        """Features of the decisions, a batch of rows at a time."""
        spent, before = decisions.numbers("seconds_spent"), decisions.numbers("seconds_before")
        for rows, table in super().features(decisions):
            yield rows, np.concatenate((table, clock_features(spent[rows], before[rows])), axis=1)


def _batches(n: int, size: int) -> Iterator[Ints]:
    for start in range(0, n, size):
        yield np.arange(start, min(start + size, n))


def means_of(sums: Floats, blocks: Sequence[Block] = TraitsModel.blocks) -> Floats:
    """Means of the features of each block; NaN where there are no such decisions."""
    means, start = [], 0
    with np.errstate(invalid="ignore", divide="ignore"):
        for block in blocks:
            end = start + 1 + len(block.names)
            means.append(sums[:, start + 1 : end] / sums[:, [start]])
            start = end
    return np.concatenate(means, axis=1)


@njit()
def _add_blocks(total, table, group, holds, columns, sizes):  # type: ignore[no-untyped-def] # pragma: no cover
    """Add each decision's features to its group: the number of decisions of every block, and its columns."""
    for row in range(len(table)):
        sums, values = total[group[row]], table[row]
        place, column = 0, 0
        for block in range(len(sizes)):
            if holds[row, block]:
                sums[place] += 1.0
                for index in range(sizes[block]):
                    sums[place + 1 + index] += values[columns[column + index]]
            place += 1 + sizes[block]
            column += sizes[block]


# Weights: a ridge regression of Elo on the means of the features -----------------------------------------

PENALTIES = (10.0, 30.0, 100.0, 300.0, 1000.0)
"""Candidates: in units of one appearance, for features of deviation one."""

AS_GOOD = 1.005
"""The largest penalty is taken whose held-out squared error is within this of the least: which candidate is
best for single games is chance, and groups of games gain by the larger ones."""

EASE = 4.0
"""Log-likelihoods of agents are penalised as if they were so many times as large: they resemble each other,
and what they say lies in small differences."""

EQUAL = 150.0
"""Opponents at most so many points away are equals."""

STRETCH = 0.25
"""Stretches of the scale that count alike, in deviations of Elo: about a hundred points."""

MOST_WEIGHT = 3.0
"""An appearance against another than an equal counts for no more than so many: a few must not decide. On
held-out games, those against equals and others counting alike, 3 and 4 err least."""


STEADY = 0.6
"""By how much the logarithm of an appearance's weight rises for each deviation of Elo: features of strong
players vary less from game to game. Without it the weak half of a scale from 1000 to 2800 decides, and one
game of players from 2400 up says a quarter less (`quick`: standard deviation 840 against 710 points)."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Mean of each feature over the mileposts, and its weight; discriminants there have deviation 1."""

    centre: Floats
    weight: Floats
    later: Floats
    """Weights where nothing is known of the opening: zero for its features, as steep by Elo as the others."""

    def discriminant(self, means: Floats) -> Floats:
        """The discriminant of means of features; a feature that is not known (NaN) says nothing."""
        apart = np.nan_to_num(means - self.centre)
        opening = (self.later == 0) & (self.weight != 0)
        lacks = np.isnan(means[:, opening]).all(axis=1) if opening.any() else np.zeros(len(means), bool)
        return np.where(lacks, apart @ self.later, apart @ self.weight)


def fit_weights(
    means: Floats,
    elo: Floats,
    opponent: Floats,
    fold: Ints,
    ease: Floats | None = None,
    opening: Mask | None = None,
) -> tuple[Weights, Floats]:
    """Weights from appearances, and the discriminant of each by weights of the other folds.

    Where all opponents are equals, whatever tells of the opponent would pass for a trait of the player: an
    even game, a hard position. So games against others than equals count for more, up to as much as those
    against equals. `ease` divides the penalty of each feature, squared; `opening` marks those of the opening.
    """
    if len(np.unique(fold)) < 2:
        raise InputError(
            "what strength looks like cannot be learned from one group of players: give more games"
        )
    ease = np.ones(means.shape[1]) if ease is None else ease
    target = (elo - elo.mean()) / elo.std()
    share = shares(target, np.abs(opponent - elo) > EQUAL)
    held_out = np.zeros((len(PENALTIES), len(target)))
    for number in np.unique(fold):
        out = fold == number
        centre, weights = _ridge(means[~out], target[~out], share[~out], ease, PENALTIES)
        held_out[:, out] = weights @ np.nan_to_num(means[out] - centre).T
    errors = (np.square(held_out - target) * share).sum(axis=1)
    best = int(np.flatnonzero(errors <= AS_GOOD * errors.min())[-1])
    penalty = PENALTIES[best : best + 1]
    centre, [weight] = _ridge(means, target, share, ease, penalty)
    later = weight
    if opening is not None and opening.any():
        _, [later] = _ridge(means, target, share, ease * ~opening, penalty)
        apart = np.nan_to_num(means - centre)
        steep = [np.polyfit(target, apart @ each, 1)[0] for each in (weight, later)]
        later = later * (steep[0] / steep[1] if steep[1] > 0 else 1.0)
    return Weights(centre, weight, later), held_out[best]


def _ridge(
    means: Floats, target: Floats, share: Floats, ease: Floats, penalties: Sequence[float]
) -> tuple[Floats, Floats]:
    """Centre of the features, and their weights with each penalty; a feature of ease 0 has none."""
    counts = (~np.isnan(means) * share[:, None]).sum(axis=0)
    centre = np.nansum(means * share[:, None], axis=0) / np.maximum(counts, 1e-300)
    centred = np.nan_to_num(means - centre)
    deviation = np.sqrt((np.square(centred) * share[:, None]).sum(axis=0) / share.sum())
    scale = ease / np.where(deviation > 0, deviation, 1.0)
    scaled = centred * scale
    normal = scaled.T @ (scaled * share[:, None])
    towards = scaled.T @ (share * (target - target @ share / share.sum()))
    identity = np.eye(len(centre))
    solved = [np.linalg.solve(normal + penalty * identity, towards) for penalty in penalties]
    return centre, np.stack(solved) * scale


def shares(target: Floats, unequal: Mask) -> Floats:
    """Weights of appearances: stretches of the scale by how steady play is, others than equals for more."""
    share = np.zeros(len(target))
    for kind in (~unequal, unequal):
        if kind.any():
            place = np.floor((target[kind] - target[kind].min()) / STRETCH).astype(np.int64)
            counts = np.bincount(place)
            even = 1.0 / np.maximum(counts[place], counts.mean() / 2)
            share[kind] = even / even.mean()
    if 0 < unequal.sum() < len(unequal):
        share[unequal] *= min((~unequal).sum() / unequal.sum(), MOST_WEIGHT)
    share *= np.exp(STEADY * target)
    return np.asarray(share * (len(share) / share.sum()))
