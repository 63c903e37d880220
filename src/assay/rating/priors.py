"""What is taken to be known of a player before any move, and how it is called in the output.

A prior is a density over Elo (assay.rating.posterior.Prior); here is which one each group of games gets.

- *flat*: every Elo of the mileposts is as likely. Right for anybody from anywhere; a single game of a club
  player is then drawn to the middle of the scale, far above the club.
- *pool*: normal, with mean and deviation learned from the moves of the players at hand (assay.rating.priors).
- *population*: as the ratings of the players are spread that the calibration was made from: for those who may
  be taken to be as these are.
- *rating*: normal around the player's published rating, with its usual error: how did they play for it?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, get_args

import numpy as np
from scipy.special import logsumexp, ndtr

from assay.decisions.arrays import Floats, Ints
from assay.decisions.elo import POINTS_PER_LOGIT
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.calibration_reading import QUANTILES
from assay.rating.evidence import Sums
from assay.rating.group_ratings import Rater
from assay.rating.posterior import GRID, Prior, Range, RawRatings, elo_evidence
from assay.rating.spread import Spread

PriorName = Literal["flat", "pool", "population", "rating"]
PRIORS: tuple[PriorName, ...] = get_args(PriorName)

K_FACTOR = 20.0
"""By which FIDE changes most players' ratings for a game."""

RATING_ERROR = round(math.sqrt(2 * K_FACTOR * POINTS_PER_LOGIT / 2), -1)
"""Deviation of a published rating from strength: 60 points, by this reckoning.

Half of its variance is the chance in results. A rating that is raised by K (result - expectation) after
each game settles around the strength with the variance K c / 2, where c = 400 / ln 10: each game adds the
variance K^2 p (1 - p), and takes away the share 2 K p (1 - p) / c of what there is. With K = 20 that is 42
points. The other half is set for what ratings lag behind: strength moves on while they are published.
"""

SMOOTHED = 0.2
"""Quantiles of a population are smoothed by so much of their deviation: some 50 points of Elo."""

FEW_GAMES = 3
"""With so many games or fewer, what is taken to be known before them makes much of the rating."""

CAVEAT = (
    "With the flat prior, few games of club players come out too strong (one game: by 200 to 400 points): "
    "--prior pool learns from the players at hand, --prior rating starts from published ratings."
)


FAR_FROM_IT = (
    "The population is for players who may be taken to be as those are: few games of somebody far from its "
    "mean are drawn to it, and intervals then miss (one game of a FIDE player below 1800: one in four)."
)


@dataclass(frozen=True)
class Normal:
    """A normal prior."""

    mean: float
    deviation: float

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant."""
        return np.asarray(-0.5 * np.square((elo - self.mean) / self.deviation))


@dataclass(frozen=True, eq=False)
class Quantiles:
    """A prior as some ratings are spread, of which the quantiles at equal steps are known, from 0 to 1.

    Ratings of players are no normal: most are in a club of strong ones, and a long tail reaches down. Between
    quantiles the density is even, and a normal smooths it, so that it fades beyond the last ones.
    """

    values: tuple[float, ...]

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant."""
        ends = np.asarray(self.values)
        first, last = ends[:-1], np.maximum(ends[1:], ends[:-1] + 1)  # equal quantiles have their share too
        by = SMOOTHED * max(float(ends.std()), 1.0)
        after, before = ((np.asarray(elo)[..., None] - end) / by for end in (first, last))
        # Of two far tails the difference is exact where both are small: each is taken on its own side.
        inside = np.where(after + before > 0, ndtr(-before) - ndtr(-after), ndtr(after) - ndtr(before))
        density = (inside / (last - first)).sum(axis=-1)
        return np.asarray(np.log(np.maximum(density, np.finfo(np.float64).tiny)))


@dataclass(frozen=True)
class Priors:
    """The prior of every group of games, and what it is called."""

    name: PriorName
    words: str
    """The prior as the output names it."""
    of: Callable[[Ints], Prior]
    """The prior of a player, from the rows of some of their appearances."""
    notes: tuple[str, ...] = ()
    """What must be said with it."""


def check_prior(name: str) -> PriorName:
    """The name of a prior, if it is one."""
    for prior in PRIORS:
        if name == prior:
            return prior
    raise InputError(f"there is no prior '{name}': choose one of {', '.join(PRIORS)}")


def flat(span: Range) -> Priors:
    """The same for everybody, over the range of the mileposts."""
    return Priors("flat", f"flat over {span.lowest:.0f} to {span.highest:.0f}", lambda _: span)


def population(calibration: Calibration) -> Priors:
    """The same for everybody: as the players were that the calibration was made from."""
    described = calibration.about.get("population")
    if not described:
        raise InputError(
            "this calibration does not say how strong its players were on the whole: use --prior flat or pool"
        )
    mean, deviation = float(described["mean"]), float(described["deviation"])
    prior: Prior = Normal(mean, deviation)
    if QUANTILES in described:
        prior = Quantiles(tuple(described[QUANTILES]))
    words = (
        f"population: as the players of the calibration's games are, around {mean:.0f} with deviation "
        f"{deviation:.0f}"
    )
    return Priors("population", words, lambda _: prior, (FAR_FROM_IT,))


def priors_for(rater: Rater, name: str = "flat", least: int = 1) -> Priors:
    """The priors of this name for the appearances of a rater; players need so many decisions to be pooled."""
    chosen = check_prior(name)
    if chosen == "flat":
        return flat(rater.calibration.range)
    if chosen == "population":
        return population(rater.calibration)
    return pooled(rater, least) if chosen == "pool" else published(rater, least)


def pooled(rater: Rater, least: int = 1) -> Priors:
    """For each player what the moves of the others let expect, by all of the rater's methods together."""
    appearances, span = rater.appearances, rater.calibration.range
    used = np.flatnonzero(appearances.size > 0)
    order = used[np.argsort(appearances.player[used], kind="stable")]
    ends = np.flatnonzero(np.diff(appearances.player[order])) + 1
    groups = [rows for rows in np.split(order, ends) if appearances.size[rows].sum() >= max(least, 1)]
    pool, priors = pool_of(list(rater.raw(groups)), rater.calibration.spread, span, rater.places)
    return flat(span) if pool is None else _by_player(appearances, pool, groups, priors, span)


def _by_player(
    appearances: Appearances | Sums, pool: Pool, groups: Sequence[Ints], priors: Sequence[Prior], span: Range
) -> Priors:
    """The priors of a pool, found by the player of some rows."""
    prior_of = {int(appearances.player[rows[0]]): prior for rows, prior in zip(groups, priors, strict=True)}
    stranger = pool.without(None)
    n = len(pool.log_likelihoods)
    words = (
        f"pool: normal around {pool.mean:.0f} with deviation {pool.deviation:.0f}, learned from the moves of "
        f"{n:,} players"
    )
    if n < 2:
        words = f"pool: of one player, so nearly {flat(span).words}"
    return Priors("pool", words, lambda rows: prior_of.get(int(appearances.player[rows[0]]), stranger))


def published(rater: Rater, least: int = 1) -> Priors:
    """Around each player's mean published rating in the games that are rated; for those without, the pool."""
    appearances = rater.appearances
    codes, elos = appearances.player, appearances.elo
    games = appearances.elo_games
    rated = appearances.size > 0
    without = np.setdiff1d(codes[rated], codes[np.isfinite(elos)])
    fallback = pooled(rater, least) if len(without) else flat(rater.calibration.range)
    words = f"rating: normal around each player's published rating with deviation {RATING_ERROR:.0f}"
    notes: tuple[str, ...] = ()
    if len(without):
        names = appearances.names("player")
        shown = ", ".join(names[code] for code in without[:3])
        more = f" and {len(without) - 3:,} more" if len(without) > 3 else ""
        notes = (f"No published rating: {shown}{more}. The prior there is {fallback.words}.",)

    def of(rows: Ints) -> Prior:
        published_in = rows[np.isfinite(elos[rows])]
        if not len(published_in):  # a year without a rating, perhaps, of a player who has one in others
            published_in = np.flatnonzero((codes == codes[rows[0]]) & np.isfinite(elos))
        if not len(published_in):
            return fallback.of(rows)
        mean = float(np.average(elos[published_in], weights=games[published_in]))
        return Normal(mean, RATING_ERROR)

    return Priors("rating", words, of, notes)


def prior_notes(priors: Priors, games: Iterable[int]) -> tuple[str, ...]:
    """What must be said with a prior, where players have so many games."""
    few = any(n <= FEW_GAMES for n in games)
    return (*priors.notes, CAVEAT) if priors.name == "flat" and few else priors.notes


# Players at hand as one population: its mean and deviation, learned from their own moves.

DEVIATIONS = np.geomspace(25.0, 600.0, 12)
"""Deviations of a population that are thought of: a field of equals to everybody there is."""

USUAL_DEVIATION = 300.0
"""Scale of the half-normal prior of the deviation. Set, not measured: it matters with few players only."""

_STEP = 25.0
"""Between the means that are thought of: as the smallest deviation, so that none falls between two."""

_REACH = 600.0
"""How far beyond the mileposts means are thought of: the prior fades there."""

_POINTS = GRID[::4]
"""Where likelihoods are integrated over: every 16 points of Elo, which resolves the smallest deviation."""

_CHUNK = 500
"""Players whose marginal likelihoods are computed together, for the sake of memory."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A prior as a table over Elo."""

    log: Floats

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density, up to a constant; between points by straight lines."""
        return np.asarray(np.interp(elo, _POINTS, self.log))


@dataclass(frozen=True, eq=False)
class Pool:
    """Normals that the population may be, how likely each is, and what each player says of them."""

    means: Floats
    deviations: Floats
    """One entry for each normal that is thought of."""
    densities: Floats
    """Theirs over Elo, shape (normals, points)."""
    before: Floats
    """Logarithm, up to a constant, of their probability before any move."""
    log_likelihoods: Floats
    """Logarithm of the marginal likelihood of each player's moves, shape (players, normals)."""

    @classmethod
    def learn(cls, evidence: Sequence[Floats], span: Range) -> Pool:
        """The pool from the log-likelihood over the grid of every player's moves."""
        means, deviations, normals = _normals(span)
        # Deviations are spaced by a factor: each stands for a stretch as long as itself.
        before = span.log_density(means) - 0.5 * np.square(deviations / USUAL_DEVIATION) + np.log(deviations)
        stack = np.stack(evidence)[:, ::4]
        chunks = [_marginal(stack[i : i + _CHUNK], normals) for i in range(0, len(stack), _CHUNK)]
        return cls(means, deviations, normals, before, np.concatenate(chunks))

    def weights(self, leaving_out: int | None = None) -> Floats:
        """Probability of each normal by the moves of all players, or of all but one."""
        log = self.before + self._sum
        if leaving_out is not None:
            log = log - self.log_likelihoods[leaving_out]
        return np.asarray(np.exp(log - logsumexp(log)))

    def without(self, leaving_out: int | None) -> Curve:
        """What the others let expect of a player; of somebody new, what all do."""
        density = self.weights(leaving_out) @ self.densities
        return Curve(np.log(np.maximum(density, 1e-300)))

    @property
    def mean(self) -> float:
        """The mean of the population, on average over what it may be."""
        return float(self.weights() @ self.means)

    @property
    def deviation(self) -> float:
        """The deviation of the population, on average over what it may be."""
        return float(self.weights() @ self.deviations)

    @cached_property
    def _sum(self) -> Floats:
        return np.asarray(self.log_likelihoods.sum(axis=0))


def pool_of(
    raws: Sequence[RawRatings], spread: Spread, span: Range, methods: Sequence[int]
) -> tuple[Pool | None, list[Prior]]:
    """The pool of some players, and the prior that it has for each; no pool where no moves say anything.

    Which covariance a likelihood has hangs on the rating, and that on the prior: so the pool is learned
    twice, from the flat prior and then from itself.
    """
    pool: Pool | None = None
    priors: list[Prior] = [span] * len(raws)
    for _ in range(2):
        evidence = [
            elo_evidence(raw, spread, prior, methods) for raw, prior in zip(raws, priors, strict=True)
        ]
        usable = [of_player for of_player in evidence if of_player is not None]
        if not usable:
            return None, priors
        pool = Pool.learn(usable, span)
        place = iter(range(len(usable)))
        # Whose moves say nothing has the prior of somebody new.
        priors = [pool.without(None if of_player is None else next(place)) for of_player in evidence]
    return pool, priors


@lru_cache(maxsize=4)
def _normals(span: Range) -> tuple[Floats, Floats, Floats]:
    """Means, deviations and densities of the normals that are thought of."""
    centres = np.arange(span.lowest - _REACH, span.highest + _REACH + 1, _STEP)
    means, deviations = (axis.ravel() for axis in np.meshgrid(centres, DEVIATIONS, indexing="ij"))
    apart = np.minimum(np.abs(_POINTS - means[:, None]) / deviations[:, None], 12.0)  # exp(-72) is nothing
    densities = np.exp(-0.5 * apart**2) / (deviations[:, None] * np.sqrt(2 * np.pi))
    return means, deviations, densities


def _marginal(evidence: Floats, normals: Floats) -> Floats:
    """Logarithm of the integral of likelihood times density, shape (players, normals)."""
    top = evidence.max(axis=1, keepdims=True)
    step = float(_POINTS[1] - _POINTS[0])
    return np.asarray(np.log(np.exp(evidence - top) @ normals.T * step + 1e-300) + top)
