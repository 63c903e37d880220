"""Ratings within a pool, where no calibration is: for another engine or recipe.

Everyone plays virtual matches against everyone, each method makes rating differences of them, and Algorithm 2
of Ferreira 2012 finds the ratings that fit; the reference ratings that the games have anchor their mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from assay.domain.profile import ProfileStack
from assay.domain.rating import Rating
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.gain_distribution import rating_difference
from assay.models.perceived import perceived_ratings
from assay.models.rated_groups import COMBINED, Group, leave_out_covariance

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FEWEST_GAMES = 4
"""With fewer games a player's own say too little about how they vary: those of the others stand in."""

MOST_BLOCKS = 20
"""Blocks of games that are left out in turn: each costs a whole table of virtual matches."""

LEAST_EXPECTATION = 0.02
"""Expectations are bounded by this: a difference of zero or all is no rating."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The groups that are rated against each other."""

    appearances: Appearances
    stacks: Mapping[str, ProfileStack]
    groups: Sequence[Group]

    @property
    def membership(self) -> Floats:
        """Which appearances belong to which group, shape (groups, appearances)."""
        weights = np.zeros((len(self.groups), len(self.appearances)))
        for index, group in enumerate(self.groups):
            weights[index, group.rows] = 1.0
        return weights

    @property
    def anchors(self) -> Floats:
        """Mean reference rating of each group, NaN where none is known."""
        elo = self.appearances.elo
        known = ~np.isnan(elo)
        counts = self.membership @ known
        sums = self.membership @ np.where(known, elo, 0.0)
        return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))

    def blocks(self) -> list[Floats]:
        """Weights of the appearances without each block of games; none where nobody has games enough."""
        if max(len(group.rows) for group in self.groups) < FEWEST_GAMES:
            return []
        _, game = np.unique(self.appearances.game, return_inverse=True)
        n = min(int(game.max()) + 1, MOST_BLOCKS)
        return [(game % n != block).astype(np.float64) for block in range(n)]


def relative_ratings(
    pool: Pool, models: Mapping[str, MoveModel], level: float = 0.95
) -> list[dict[str, Rating]]:
    """Ratings of every group by method and combined, relative to the pool.

    Without any reference rating they are distances to the mean of the pool. A method that needs a calibration
    to compare players is left out.
    """
    if len(pool.groups) < 2:
        raise InputError(
            "without a calibration players are rated against each other, and there is only one here: "
            "analyse with a recipe that has a calibration (assay recipes), or make one (assay calibrate)"
        )
    tables = {}
    for name, model in models.items():
        table = _ratings_by_method(pool, name, model)
        if table is not None:
            tables[name] = table
    if not tables:
        raise InputError(
            f"{', '.join(models)} cannot compare these players: without a calibration of their recipe, or "
            "without evaluations that it can use; choose other methods, or make one (assay calibrate)"
        )
    tables[COMBINED] = _combined(list(tables.values()))
    answer: list[dict[str, Rating]] = [{} for _ in pool.groups]
    sizes = [float(pool.appearances.size[group.rows].sum()) for group in pool.groups]
    for name, table in tables.items():
        deviation = _deviations(pool, table)
        for index, group in enumerate(pool.groups):
            elo = float(table[0, index])
            if np.isfinite(elo):
                reach = float(ndtri((1 + level) / 2) * deviation[index])
                games = len(group.rows)
                answer[index][name] = Rating(
                    name, elo, elo - reach, elo + reach, sizes[index], games, level, "relative to the pool"
                )
    return answer


def _ratings_by_method(pool: Pool, name: str, model: MoveModel) -> Floats | None:
    """Ratings from all games (first row), and without each block of them; NaN where a group is empty."""
    membership, stack = pool.membership, pool.stacks[name]
    everyone = np.ones(len(pool.appearances))
    rows = []
    for weights in (everyone, *pool.blocks()):
        profiles = stack.weighted(membership * weights)
        filled = [index for index, profile in enumerate(profiles) if profile.decisions > 0]
        row = np.full(len(profiles), np.nan)
        if len(filled) > 1:
            some = [profiles[index] for index in filled]
            if not model.learned:
                model.learn(some)
            try:
                expected = model.expectations(some, some)
            except MappingError:
                return None
            row[filled] = _ratings(expected, pool.anchors[filled])
        rows.append(row)
    table = np.stack(rows)
    return None if np.isnan(table[0]).all() else table


def _ratings(expected: Floats, known: Floats) -> Floats:
    """Algorithm 2 on the differences of all against all, with White and with Black."""
    both = np.clip((expected + 1 - expected.T) / 2, LEAST_EXPECTATION, 1 - LEAST_EXPECTATION)
    return perceived_ratings(rating_difference(both), known).ratings


def _combined(tables: Sequence[Floats]) -> Floats:
    """Plain mean over the methods.

    Weights by how little ratings vary would favour the methods that see little difference between players.
    """
    stacked = np.stack(tables)
    known = np.isfinite(stacked)
    counts = known.sum(axis=0)
    sums = np.where(known, stacked, 0.0).sum(axis=0)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))


def _own_variances(pool: Pool, table: Floats) -> Floats:
    """Variance of each group's rating over its games, NaN where it has too few of them."""
    answer = np.full(len(pool.groups), np.nan)
    for index, group in enumerate(pool.groups):
        without = table[1:, index]
        if len(group.rows) >= FEWEST_GAMES and len(without) > 1 and np.isfinite(without).all():
            answer[index] = float(leave_out_covariance(without[:, None])[0, 0])
    return answer


def _typical_variance(pool: Pool, table: Floats) -> float:
    """Variance times decisions, the mean over the groups that have games enough; NaN if none has."""
    sizes = np.array([pool.appearances.size[group.rows].sum() for group in pool.groups])
    scaled = _own_variances(pool, table) * sizes
    return float(np.nanmean(scaled)) if np.isfinite(scaled).any() else float("nan")


def _deviations(pool: Pool, table: Floats) -> Floats:
    """Deviation of each rating; of groups with few games, what the others' games say of so many moves."""
    own, typical = _own_variances(pool, table), _typical_variance(pool, table)
    sizes = np.array([pool.appearances.size[group.rows].sum() for group in pool.groups])
    return np.asarray(np.sqrt(np.where(np.isnan(own), typical / np.maximum(sizes, 1), own)))
