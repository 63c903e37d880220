"""Perceived ratings from rating differences (Ferreira 2012, Algorithms 2 to 4).

Differences between players who met form a graph. Within each of its connected groups the ratings that fit the
differences best are known up to a constant, which the known ratings of the group settle: the averages agree.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from assay.decisions.arrays import Floats, Ints
from assay.errors import FitError, InputError
from assay.models.gain.distribution import rating_difference


@dataclass(frozen=True, eq=False)
class PerceivedRatings:
    """Perceived ratings of some players."""

    ratings: Floats
    """Perceived rating of each player; in a group without any known rating, the distance to its mean."""
    group: Ints
    """Which connected group each player belongs to."""
    anchors: Floats
    """The average rating that each group is tied to; NaN where no rating of the group is known."""

    @property
    def n_groups(self) -> int:
        """Number of groups that no difference connects."""
        return len(self.anchors)


def perceived_ratings(differences: npt.ArrayLike, known: npt.ArrayLike) -> PerceivedRatings:
    """Algorithm 2: ratings whose differences are as near as possible to the given ones (Eq. 3).

    `differences[i, j]` is the rating difference of player i over player j, NaN where there is none; `known`
    are the actual ratings, NaN where there is none. The paper's iteration over single players converges to
    the solution of the normal equations, which is taken here at once. Each connected group is anchored on
    the mean of its own known ratings.
    """
    matrix, actual = np.asarray(differences, dtype=np.float64), np.asarray(known, dtype=np.float64)
    if matrix.shape != (len(actual), len(actual)):
        raise InputError("one row and one column of differences is needed for each player")
    met = ~np.isnan(matrix) & ~np.eye(len(actual), dtype=bool)
    _check_differences(matrix, met)
    edges = met.astype(np.float64)
    sums = np.where(met, matrix, 0.0).sum(axis=1)
    n_groups, group = connected_components(edges, directed=False)
    ratings, anchors = np.empty(len(actual)), np.empty(n_groups)
    for index in range(n_groups):
        members = np.flatnonzero(group == index)
        ratings[members] = _solve(edges[np.ix_(members, members)], sums[members])
        anchors[index], shift = _anchor(ratings[members], actual[members])
        ratings[members] += shift
    return PerceivedRatings(ratings, group.astype(np.int64), anchors)


def _check_differences(matrix: Floats, met: npt.NDArray[np.bool_]) -> None:
    if np.isinf(matrix[met]).any():
        raise FitError(
            "two players have an infinite rating difference, so no ratings fit: "
            "leave that pair out, or give them more moves"
        )
    if (met != met.T).any() or not np.allclose(matrix[met], -matrix.T[met], atol=1e-6):
        raise InputError("the difference of j over i must be the negative of that of i over j")


def _solve(edges: Floats, sums: Floats) -> Floats:
    """Ratings with mean zero that minimise Eq. 3: Laplacian times ratings = sums of differences."""
    laplacian = np.diag(edges.sum(axis=1)) - edges
    # The Laplacian of a connected group lacks one rank; adding the constant vector settles the mean at zero.
    return np.asarray(np.linalg.solve(laplacian + 1.0 / len(sums), sums))


def _anchor(ratings: Floats, actual: Floats) -> tuple[float, float]:
    """The average that a group is tied to, and what must be added to its ratings (step 4)."""
    rated = ~np.isnan(actual)
    if not rated.any():
        return float("nan"), 0.0
    anchor = float(actual[rated].mean())
    return anchor, anchor - float(ratings[rated].mean())


def engine_strength(expectations: npt.ArrayLike, ratings: npt.ArrayLike) -> tuple[Floats, float]:
    """Algorithm 3: the engine's rating by each player, and the average, from expectations against it.

    Players without a rating, and those with an infinite difference, do not count.
    """
    by_player = np.asarray(ratings, dtype=np.float64) - rating_difference(expectations)
    usable = np.isfinite(by_player)
    if not usable.any():
        raise InputError("the engine's strength needs a player with a known rating and enough moves")
    return by_player, float(by_player[usable].mean())


def strength(expectations: npt.ArrayLike, engine: float) -> Floats:
    """Algorithm 4: strength of players from their expectations against an engine of known strength."""
    return engine + rating_difference(expectations)
