"""Groups of held-out games rated by a calibration, beside the published ratings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.answers.ratings import Rating
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances
from assay.models.elo_mapping import Z95
from assay.rating.calibration import Calibration
from assay.rating.group_ratings import COMBINED, Rater
from assay.rating.posterior import Prior, RawRatings, as_rating, elo_posterior
from assay.rating.priors import pool_of
from assay.rating.with_results import Follows, meetings_of, with_results

LEAST = 10
"""Decisions after the opening that an appearance has."""


@dataclass(frozen=True, eq=False)
class RatedGroups:
    """Ratings of some groups of games, beside what was published."""

    published: Floats
    elo: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.published)

    def where(self, chosen: Mask) -> RatedGroups:
        """Some of them."""
        return RatedGroups(*(getattr(self, name)[chosen] for name in ("published", "elo", "low", "high")))

    @property
    def error(self) -> float:
        """Mean of |rating - published|."""
        return float(np.abs(self.elo - self.published).mean())

    @property
    def guess(self) -> float:
        """The same error, had everyone been given the mean of all."""
        return float(np.abs(self.published - self.published.mean()).mean())

    @property
    def bias(self) -> float:
        """Mean of rating - published."""
        return float((self.elo - self.published).mean())

    @property
    def coverage(self) -> float:
        """How many intervals hold the published rating."""
        return float(((self.low <= self.published) & (self.published <= self.high)).mean())

    @property
    def scores(self) -> Floats:
        """Logarithmic score of each, of normals as wide as the intervals."""
        deviation = (self.high - self.low) / (2 * Z95)
        apart = (self.published - self.elo) / deviation
        return np.asarray(-0.5 * apart**2 - np.log(deviation * np.sqrt(2 * np.pi)))

    @property
    def score(self) -> float:
        """Their mean."""
        return float(self.scores.mean())


def of_one_player(appearances: Appearances, rows: Ints, n: int, most: int, seed: int = 0) -> list[Ints]:
    """Groups of n games of one player; single games all, of several games one group of each player.

    Whoever has hundreds of games would be many groups, which err as one: three accounts were a fifth of the
    groups of twenty FICS games.
    """
    rng = np.random.default_rng(seed)
    groups = []
    for player in np.unique(appearances.player[rows]):
        games = rng.permutation(rows[appearances.player[rows] == player])
        last = len(games) if n == 1 else min(len(games), n)
        groups += [games[start : start + n] for start in range(0, last - n + 1, n)]
    chosen = rng.permutation(len(groups))[:most]
    return [groups[place] for place in chosen]


class Judge:
    """Rates groups of appearances by all methods together, and keeps what was published beside it."""

    def __init__(
        self,
        appearances: Appearances,
        stacks: dict[str, ProfileStack],
        calibration: Calibration,
        methods: Sequence[str] | None = None,
    ) -> None:
        self.appearances, self.calibration = appearances, calibration
        self.rater = Rater(appearances, calibration, stacks=stacks, methods=methods)

    def raw(self, groups: Sequence[Ints]) -> list[RawRatings]:
        """What the methods say of each group."""
        return list(self.rater.raw(groups))

    def rated(
        self, groups: Sequence[Ints], raws: Sequence[RawRatings], priors: Sequence[Prior]
    ) -> RatedGroups:
        """Ratings by these priors."""
        return self._beside(groups, self._ratings(groups, raws, priors))

    def with_results(
        self, groups: Sequence[Ints], raws: Sequence[RawRatings], priors: Sequence[Prior]
    ) -> RatedGroups:
        """The same by moves and results."""
        ratings = [{COMBINED: rating} for rating in self._ratings(groups, raws, priors)]
        pairs = zip(raws, priors, ratings, strict=True)
        densities = [self.rater.density(raw, prior, rating[COMBINED]) for raw, prior, rating in pairs]
        meetings, sides, strangers = meetings_of(self.appearances, groups, self.calibration.range)
        by_moves = self.rater.elo_in_games(sides)
        follows = Follows.of(self.calibration)
        together = with_results(ratings, densities, priors, strangers, meetings, by_moves, 0.95, follows)
        return self._beside(groups, [rating[COMBINED] for rating in together])

    def flat(self, groups: Sequence[Ints]) -> list[Prior]:
        """The flat prior for everyone."""
        return [self.calibration.range for _ in groups]

    def pool(self, raws: Sequence[RawRatings]) -> list[Prior]:
        """The prior of each by the moves of the others."""
        span, spread = self.calibration.range, self.calibration.spread
        return pool_of(raws, spread, span, self.rater.places)[1]

    def _ratings(
        self, groups: Sequence[Ints], raws: Sequence[RawRatings], priors: Sequence[Prior]
    ) -> Iterator[Rating]:
        for rows, raw, prior in zip(groups, raws, priors, strict=True):
            posterior = elo_posterior(raw, self.calibration.spread, prior, self.rater.places)
            assert posterior is not None
            yield as_rating(COMBINED, posterior, raw.size, len(rows), 0.95)

    def _beside(self, groups: Sequence[Ints], ratings: Iterator[Rating] | Sequence[Rating]) -> RatedGroups:
        published = np.array([self.appearances.elo[rows].mean() for rows in groups])
        ends = np.array([[rating.elo, rating.low, rating.high] for rating in ratings])
        return RatedGroups(published, ends[:, 0], ends[:, 1], ends[:, 2])


def difference(first: RatedGroups, second: RatedGroups, sizes: Sequence[int]) -> tuple[float, float]:
    """Mean difference of two scores of the same players, and its standard error.

    `sizes` tells how many of them, one after another, are of each event: those of one event err together.
    """
    apart = first.scores - second.scores
    mean = float(apart.mean())
    event = np.repeat(np.arange(len(sizes)), sizes)
    together = np.bincount(event, apart - mean)
    n = len(sizes)
    return mean, float(np.sqrt(np.square(together).sum() * n / (n - 1)) / len(apart))


def concat(several: Sequence[RatedGroups]) -> RatedGroups:
    """All of several."""
    names = ("published", "elo", "low", "high")
    return RatedGroups(*(np.concatenate([getattr(groups, name) for groups in several]) for name in names))
