"""What is assumed of a player before any move.

- *population* (the default): players come from those who play such games; an event has a level and a spread
  of its own, learned from the moves of its players; and the ratings of one event share an error (kind of
  chess, preparation, time control; and both sides of a game are read alike). A player outside an event is
  anybody of the population.
- *flat*: every Elo of the scale is as likely.
- *rating*: normal around the player's published rating, with its usual error: how did they play for it?
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import ndtr

from assay.decisions.arrays import Floats
from assay.decisions.elo import POINTS_PER_LOGIT
from assay.errors import InputError
from assay.rating.calibration import Calibration
from assay.rating.calibration_reading import QUANTILES
from assay.rating.group_ratings import channels_by_moves, likelihoods, reading
from assay.rating.posterior import GRID, Normal, Prior, Range
from assay.rating.spread import RawRatings

PriorName = Literal["population", "flat", "rating"]
PRIORS: tuple[PriorName, ...] = get_args(PriorName)

K_FACTOR = 20.0
"""By which FIDE changes most players' ratings for a game."""

RATING_ERROR = round(math.sqrt(2 * K_FACTOR * POINTS_PER_LOGIT / 2), -1)
"""Standard deviation of a published rating from strength: 60 points.

Half of its variance is the chance in results. A rating that is raised by K (result - expected score) after
each
game settles around the strength with the variance K c / 2, where c = 400 / ln 10: each game adds the variance
K^2 p (1 - p), and takes away the share 2 K p (1 - p) / c of what there is. With K = 20 that is 42 points. The
other half is set, not measured: strength changes while ratings are published.
"""

SMOOTHED = 0.2
"""Quantiles of a population are smoothed by so much of their standard deviation: some 50 points of Elo."""

ANYBODY = 0.05
"""Share of an event's players who are anybody of the population."""

ANYWHERE = 0.05
"""Share of the population that is spread evenly over the scale: few players of it are below 1800, and
whoever is must not be rated as if there were none."""

SMALL = 15
"""Players up to which an event is a small one: round robins, whose players are chosen to be alike."""

FADING = 100.0
"""Beyond the ends of the scale levels of events are rarer, with this standard deviation. Within it every
level is as likely: what people rate, an elite tournament or a school, is not a sample of TWIC."""

WEAKER_WITH_FEWER, REST = 0.9, 0.93
"""Spreads by which a player's mean rises with the logarithm of their games over the event's mean, because
boards are recorded from the top of the hall; standard deviation around that mean, in spreads."""

FEWEST_PLAYERS, MOST_PLAYERS = 4, 1000
"""Of fewer players nothing is learned of an event; what has more is a server or a collection."""

SPREADS = np.array([30.0, 50.0, 75.0, 110.0, 150.0, 200.0, 260.0, 330.0])
LEVELS = np.arange(GRID[0] + 200, GRID[-1] - 400, 25.0)
POINTS = GRID[::4]
STEP = 0.2
"""Spreads to which a player's mean by games is rounded, so that tables of densities are few."""


@dataclass(frozen=True, eq=False)
class Quantiles(Prior):
    """As some ratings are distributed, whose quantiles at equal steps from 0 to 1 are known.

    Between quantiles the density is even, and a normal smooths it, so that it fades beyond the last ones.
    """

    values: tuple[float, ...]

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density."""
        ends = np.asarray(self.values)
        first, last = ends[:-1], np.maximum(ends[1:], ends[:-1] + 1)  # equal quantiles have their share too
        by = SMOOTHED * max(float(ends.std()), 1.0)
        after, before = ((np.asarray(elo)[..., None] - end) / by for end in (first, last))
        # Of two far tails the difference is exact where both are small: each is taken on its own side.
        inside = np.where(after + before > 0, ndtr(-before) - ndtr(-after), ndtr(after) - ndtr(before))
        density = (inside / (last - first)).sum(axis=-1) / len(first)
        return np.asarray(np.log(np.maximum(density, np.finfo(np.float64).tiny)))


@dataclass(frozen=True)
class Events:
    """Spreads of events of one size around a level: mean and standard deviation of their logarithms.

    Strong events are of players more alike: `slope` is the change of the logarithm per point of level.
    """

    level: float
    log_spread: float
    log_spread_deviation: float
    slope: float = 0.0

    def log_density(self, levels: Floats, spreads: Floats) -> Floats:
        """Logarithm of the density of spreads at some levels, up to a constant: (levels, spreads)."""
        line = self.log_spread + self.slope * (levels - self.level)
        return np.asarray(-0.5 * np.square((np.log(spreads) - line[:, None]) / self.log_spread_deviation))


@dataclass(frozen=True, eq=False)
class Population(Prior):
    """Players, events and what the ratings of an event share, on one scale."""

    players: Quantiles
    span: Range
    events: Mapping[bool, Events]
    """Of small (False) and large (True) events; empty where none are known."""
    shared_error: float
    """Standard deviation in Elo of the error that ratings of one event share."""
    sides: float
    """Correlation of the errors of the two sides of a game."""

    @classmethod
    def of(cls, calibration: Calibration) -> Population | None:
        """The population of a calibration's scale, where it is known."""
        described: Mapping[str, Any] = calibration.about.get("population") or {}
        if QUANTILES not in described:
            return None
        events = {
            large: Events(level, *spread)
            for large, name in ((False, "small"), (True, "large"))
            if "events" in described
            for level, _, *spread in [described["events"][name]]
        }
        shared, sides = (float(described.get(name, 0.0)) for name in ("shared_error", "sides"))
        return cls(Quantiles(tuple(described[QUANTILES])), calibration.range, events, shared, sides)

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density of players."""
        anywhere = np.exp(self.span.log_density(elo)) / (self.span.highest - self.span.lowest)
        return np.asarray(
            np.log((1 - ANYWHERE) * np.exp(self.players.log_density(elo)) + ANYWHERE * anywhere)
        )

    @lru_cache(maxsize=64)  # noqa: B019 - as long-lived as the calibration, of which there are a few
    def densities(self, steps: int) -> Floats:
        """Densities of a player over POINTS by level and spread, for a mean so many STEPs above the level."""
        anybody = np.exp(self.log_density(POINTS))
        anybody /= anybody.sum()
        spread = SPREADS[None, :, None]
        apart = (POINTS - LEVELS[:, None, None] - steps * STEP * spread) / (REST * spread)
        normal = np.exp(-0.5 * np.minimum(np.square(apart), 200.0))
        normal /= normal.sum(axis=-1, keepdims=True)
        return np.asarray((1 - ANYBODY) * normal + ANYBODY * anybody)


@dataclass(frozen=True, eq=False)
class EventPrior(Prior):
    """What the other players of an event let expect of one of them."""

    errors: Floats
    """What the ratings of this event may have in common: multiples of the step of POINTS."""
    expected: Floats
    """Density of how the player appears over POINTS, for each of these errors: (errors, POINTS)."""
    common: float = 0.0
    """Standard deviation of what the player's rating has in common with those of the others."""

    def posterior(self, log_likelihood: Floats) -> Floats:
        """Logarithm of the posterior over GRID: exact up to the steps of LEVELS, SPREADS and POINTS.

        Likelihoods are those of how players appear, with the shared error.
        """
        appears = log_likelihood[..., ::4]
        appears = np.exp(appears - appears.max(axis=-1, keepdims=True))
        steps = np.rint(self.errors / (POINTS[1] - POINTS[0])).astype(np.int64)
        strength = np.zeros_like(appears)
        for step, expected in zip(steps.tolist(), self.expected, strict=True):
            strength += _shifted(appears * expected, step)
        logs = np.log(np.maximum(strength, 1e-300))
        flat = logs.reshape(-1, len(POINTS))
        return np.stack([np.interp(GRID, POINTS, row) for row in flat]).reshape(*logs.shape[:-1], len(GRID))

    @cached_property
    def _log(self) -> Floats:
        return self.posterior(np.zeros(len(GRID)))

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density before the player's own moves, up to a constant."""
        return np.asarray(np.interp(elo, GRID, self._log))


def _shifted(rows: Floats, by: int) -> Floats:
    """Rows whose entry at i is the entry at i + by, zero where there is none."""
    answer = np.zeros_like(rows)
    if abs(by) < rows.shape[-1]:
        if by >= 0:
            answer[..., : rows.shape[-1] - by] = rows[..., by:]
        else:
            answer[..., -by:] = rows[..., :by]
    return answer


def usual_prior(calibration: Calibration) -> Prior:
    """The prior of a player outside any event: the population, or flat where that is not known."""
    return Population.of(calibration) or calibration.range


def prior_words(calibration: Calibration) -> str:
    """How the output names the usual prior."""
    prior = usual_prior(calibration)
    if not isinstance(prior, Population):
        return calibration.range.words
    values = prior.players.values
    return f"population: players of such games, median {values[len(values) // 2]:.0f}"


@dataclass(frozen=True)
class Player:
    """Whose games a group is, for its prior."""

    name: str
    event: str | None = None
    """The event that most of the games are of."""
    games: int = 1
    published: float = math.nan
    """Mean published rating in these games."""


@dataclass(frozen=True)
class Priors:
    """The prior of each group of games, and how it is named."""

    name: PriorName
    words: str
    each: Sequence[Prior]
    notes: tuple[str, ...] = ()


def check_prior(name: str) -> PriorName:
    """The name of a prior, if it is one."""
    for prior in PRIORS:
        if name == prior:
            return prior
    raise InputError(f"there is no prior '{name}': choose one of {', '.join(PRIORS)}")


def priors_for(
    name: str, calibration: Calibration, groups: Sequence[Player], raw: RawRatings, methods: Sequence[str]
) -> Priors:
    """The priors of this name for some groups of games, whose raw ratings are known."""
    chosen = check_prior(name)
    span = calibration.range
    flat = Priors("flat", span.words, [span] * len(groups))
    if chosen == "flat":
        return flat
    population = Population.of(calibration)
    if population is None:
        unknown = f"The prior is {flat.words}: this calibration does not contain how strong its players are."
        known = Priors(flat.name, flat.words, flat.each, (unknown,))
    else:
        known = _by_event(population, calibration, groups, raw, methods)
    return known if chosen == "population" else _published(groups, known)


def _published(groups: Sequence[Player], fallback: Priors) -> Priors:
    """Around each player's published rating; for those without one, the other prior."""
    elos: dict[str, list[float]] = {}
    for group in groups:
        if math.isfinite(group.published):
            elos.setdefault(group.name, []).append(group.published)
    each = [
        Normal(
            group.published if math.isfinite(group.published) else float(np.mean(elos[group.name])),
            RATING_ERROR,
        )
        if group.name in elos
        else other
        for group, other in zip(groups, fallback.each, strict=True)
    ]
    without = list(dict.fromkeys(group.name for group in groups if group.name not in elos))
    notes: tuple[str, ...] = ()
    if without:
        more = f" and {len(without) - 3:,} more" if len(without) > 3 else ""
        notes = (
            f"No published rating: {', '.join(without[:3])}{more}. The prior there is {fallback.words}.",
        )
    words = f"rating: normal around each player's published rating, standard deviation {RATING_ERROR:.0f}"
    return Priors("rating", words, each, notes)


def _by_event(
    population: Population,
    calibration: Calibration,
    groups: Sequence[Player],
    raw: RawRatings,
    methods: Sequence[str],
) -> Priors:
    """Priors by event, where events of such a scale are known and an event has players enough."""
    each: list[Prior] = [population] * len(groups)
    members: dict[str, dict[str, list[int]]] = {}
    if population.events:
        for place, group in enumerate(groups):
            if group.event is not None:
                members.setdefault(group.event, {}).setdefault(group.name, []).append(place)
    members = {
        event: players for event, players in members.items() if FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS
    }
    channels = channels_by_moves(calibration, methods)
    for players in members.values():
        places = np.concatenate(list(players.values()))
        logs = likelihoods(calibration, raw.only(places), channels, shared=population.shared_error)[:, ::4]
        readable = np.isfinite(logs[:, 0])
        by_place = dict(zip(places[readable].tolist(), logs[readable], strict=True))
        read = {name: [place for place in theirs if place in by_place] for name, theirs in players.items()}
        read = {name: theirs for name, theirs in read.items() if theirs}
        if len(read) >= FEWEST_PLAYERS:
            games = [sum(groups[place].games for place in theirs) for theirs in read.values()]
            together = [np.sum([by_place[place] for place in theirs], axis=0) for theirs in read.values()]
            # Whoever meets shares the error of their game: on average so much of two players' errors.
            peak, _ = reading(calibration, raw.only(places[readable]), channels)
            level = np.full(len(peak), np.clip(peak.mean(), population.span.lowest, population.span.highest))
            _, deviation = reading(calibration, raw.only(places[readable]), channels, level)
            of_games = population.sides * np.square(deviation).mean() / (len(read) - 1)
            shared = math.sqrt(population.shared_error**2 + of_games)
            for name, prior in zip(read, _event(population, games, together, shared), strict=True):
                for place in players[name]:
                    each[place] = prior
    words = prior_words(calibration) + (
        "; each event has a level of its own, learned from its players' moves" if members else ""
    )
    return Priors("population", words, each)


def _event(
    population: Population, games_of_each: Sequence[int], logs: Sequence[Floats], shared_error: float
) -> list[EventPrior]:
    """The prior of each player of one event, from the log-likelihoods of the others over POINTS."""
    likelihoods_of_each = [np.exp(log - log.max()) for log in logs]
    games = np.array(games_of_each, np.float64)
    shifts = np.clip(WEAKER_WITH_FEWER * np.log(games / games.mean()), -2.0, 1.2)
    tables = [population.densities(round(float(shift / STEP))) for shift in shifts]
    # What the moves of each player show of a level, as it appears with the shared error, and of a spread.
    evidence = [np.log(table @ own + 1e-300) for table, own in zip(tables, likelihoods_of_each, strict=True)]
    step = POINTS[1] - POINTS[0]
    errors = step * np.arange(-(reach := math.ceil(3 * shared_error / step)), reach + 1)
    # An event may have any level of the scale; given the level that appears, how likely each error is.
    levels = replace(population.span, fading=FADING).log_density(LEVELS[:, None] - errors)
    chance = np.exp(levels - 0.5 * np.square(errors / max(shared_error, 1.0)))
    appears = chance.sum(axis=1)
    chance /= appears[:, None]
    spreads = population.events[len(logs) > SMALL].log_density(LEVELS - chance @ errors, SPREADS)
    together = np.sum(evidence, axis=0) + spreads + np.log(appears)[:, None]
    common = _common(chance, errors, tables, likelihoods_of_each, together)
    priors = []
    for table, own, shared in zip(tables, evidence, common.tolist(), strict=True):
        weights = together - own
        weights = np.exp(weights - weights.max())
        likely = weights.sum(axis=1) > 1e-6 * weights.sum()
        by_level = np.einsum("ls,lsg->lg", weights[likely], table[likely])
        priors.append(EventPrior(errors, chance[likely].T @ by_level, shared))
    return priors


def _common(
    chance: Floats, errors: Floats, tables: Sequence[Floats], likely: Sequence[Floats], together: Floats
) -> Floats:
    """Square roots of the mean covariances of each player's rating with the others', in the joint posterior.

    Given level and spread of the event the players appear independently of each other; what remains is how
    their means go with level and spread, and the part of the shared error that the level does not show.
    """
    weights = np.exp(together - together.max())
    weights /= weights.sum()
    mean = chance @ errors
    rest = weights.sum(axis=1) @ (chance @ np.square(errors) - np.square(mean))
    means = np.stack(
        [(table @ (own * POINTS)) / (table @ own + 1e-300) for table, own in zip(tables, likely, strict=True)]
    )
    means -= mean[:, None]
    means -= (weights * means).sum(axis=(1, 2), keepdims=True)
    others = (means.sum(axis=0) - means) / (len(means) - 1)
    covariance = (weights * means * others).sum(axis=(1, 2)) + rest
    return np.asarray(np.sqrt(np.maximum(covariance, 0.0)))
