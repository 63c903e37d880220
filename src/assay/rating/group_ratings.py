"""Ratings of groups of appearances: of players, of their years, events or single games.

A group's profiles are summed and mapped to raw ratings, one for each method and for those of the papers
together. Each raw rating has a likelihood over Elo (assay.rating.spread), and with a prior it is a rating.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from assay.answers.ratings import Rating
from assay.decisions.arrays import Floats, Ints
from assay.decisions.profile import ProfileStack
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import PAPERS, Calibration
from assay.rating.evidence import Sums
from assay.rating.posterior import GRID, Prior, summaries
from assay.rating.scale import deviations
from assay.rating.spread import RawRatings

COMBINED = "combined"
"""The name of the rating by moves."""

FEWEST_IN_GAME = 10
"""Decisions of one game that a rating may be made from."""

FEWEST_SHARE = 0.8
"""A method that reads most decisions of a game or none rates where it has read this share of them."""

CLEARLY = 1.645
"""Standard deviations beyond an end of the scale from which on a rating is a bound."""

_BATCH = 400
"""Groups that are mapped together."""


class Rater:
    """Rates groups of appearances through a calibration."""

    def __init__(
        self,
        appearances: Appearances | Sums,
        calibration: Calibration,
        *,
        methods: Sequence[str] | None = None,
        stacks: Mapping[str, ProfileStack] | None = None,
    ) -> None:
        """`appearances` are single ones, or sums over blocks of them; `stacks` has their profiles."""
        calibration.check(appearances.recipe_id)
        self.methods = chosen_methods(calibration, methods)
        self.appearances, self.calibration = appearances, calibration
        if stacks is None:
            stacks = appearances.stacks(calibration.models_used)
        self.stacks = stacks

    def raw(self, groups: Sequence[Ints], players: Sequence[float] | None = None) -> RawRatings:
        """Raw ratings of groups of rows; `players` says how many players each group is of, if not one."""
        counts = self.appearances
        parts = [np.zeros((0, len(self.calibration.spread.channels)))]
        for start in range(0, len(groups), _BATCH):
            batch = groups[start : start + _BATCH]
            ends = np.cumsum([0, *map(len, batch)])
            rows = np.concatenate(batch) if ends[-1] else np.zeros(0, np.int64)
            stacks = {name: stack.only(rows.tolist()) for name, stack in self.stacks.items()}
            weights = sparse.csr_array(
                (np.ones(len(rows)), np.arange(len(rows)), ends), shape=(len(batch), len(rows))
            )
            values = self.calibration.raw(stacks, weights)
            size = weights @ counts.size[rows]
            for name, given in counts.raw.items() if isinstance(counts, Sums) else ():
                column = self.calibration.spread.channels.index(name)
                values[:, column] = weights @ (counts.size * given)[rows] / size
            self._silence(values, stacks, weights, size)
            parts.append(values)
        size, squares, games = (
            np.array([column[rows].sum() for rows in groups], np.float64)
            for column in (counts.size, counts.squares, counts.game_counts)
        )
        return RawRatings(
            np.concatenate(parts),
            size,
            squares,
            games.astype(np.int64),
            np.ones(len(groups)) if players is None else np.asarray(players, np.float64),
        )

    def _silence(
        self, values: Floats, stacks: Mapping[str, ProfileStack], weights: sparse.csr_array, size: Floats
    ) -> None:
        """Set methods to NaN that read most decisions of a game or none, where they have read too few."""
        channels, mixes = self.calibration.spread.channels, self.calibration.mixes
        for name in stacks:
            if self.calibration.models[name].of_most:
                too_few = weights @ stacks[name].decisions < FEWEST_SHARE * size
                for channel in (name, *(mix for mix, members in mixes.items() if name in members)):
                    values[too_few, channels.index(channel)] = np.nan

    def rate(
        self,
        groups: Sequence[Ints],
        *,
        level: float = 0.95,
        players: Sequence[float] | None = None,
        prior: Prior | None = None,
    ) -> list[dict[str, Rating]]:
        """Ratings of groups of rows by method and `combined`, with one prior for all, by default flat."""
        raw = self.raw(groups, players)
        priors = [prior or self.calibration.range] * len(groups)
        return rate_raw(self.calibration, raw, priors, self.methods, level)

    def elo_in_games(self, rows: Ints) -> Floats:
        """The Elo at which the moves of single appearances are likeliest, shaped as `rows`.

        NaN for a row of -1, and where there are too few decisions.
        """
        alone = np.unique(rows[rows >= 0])
        alone = alone[self.appearances.size[alone] >= FEWEST_IN_GAME]
        elo = np.full(len(self.appearances) + 1, np.nan)  # -1 finds the last
        raw = self.raw([np.array([row]) for row in alone])
        elo[alone] = reading(self.calibration, raw, channels_by_moves(self.calibration, self.methods))[0]
        return np.asarray(elo[rows])


def chosen_methods(calibration: Calibration, methods: Sequence[str] | None) -> tuple[str, ...]:
    """The methods of a calibration that are asked for; all where none is named."""
    unknown = sorted(set(methods or ()) - set(calibration.mappings))
    if unknown:
        raise InputError(
            f"there is no method '{unknown[0]}' to rate by: choose one of {', '.join(calibration.mappings)}"
        )
    return tuple(name for name in calibration.mappings if methods is None or name in methods)


def channels_by_moves(calibration: Calibration, methods: Sequence[str]) -> tuple[str, ...]:
    """What the rating by moves is taken from: the only method asked for, else the calibration's choice."""
    return tuple(methods) if len(methods) == 1 else calibration.by_moves


def _read_by(
    calibration: Calibration, raw: RawRatings, channels: Sequence[str]
) -> Iterator[tuple[int, Ints]]:
    """The channels that read any of the groups, each with the groups that no channel before it has read."""
    unread = np.ones(len(raw), bool)
    for name in channels:
        channel = calibration.spread.channels.index(name)
        rows = np.flatnonzero(unread & np.isfinite(raw.values[:, channel]))
        if len(rows):
            unread[rows] = False
            yield channel, rows


def reading(
    calibration: Calibration,
    raw: RawRatings,
    channels: Sequence[str],
    elo: Floats | None = None,
    *,
    shared: float = 0.0,
) -> tuple[Floats, Floats]:
    """Peak and standard deviation in Elo of each group by the first channel that has read its games.

    NaN where none has. `elo` is where the standard deviations are taken, by default the centre of the scale;
    `shared` is the part of players' form that is accounted for elsewhere.
    """
    spread = calibration.spread
    where = np.full(len(raw), spread.centre) if elo is None else elo
    peak, width = np.full((2, len(raw)), np.nan)
    for channel, rows in _read_by(calibration, raw, channels):
        read = raw.only(rows)
        peak[rows] = spread.peaks(read, channel)
        width[rows] = deviations(calibration, read, channel, where[rows][:, None], shared=shared)[:, 0]
    return peak, width


def likelihoods(
    calibration: Calibration, raw: RawRatings, channels: Sequence[str], *, shared: float = 0.0
) -> Floats:
    """Logarithm of the likelihood of each group over GRID, by the first channel that has read its games.

    NaN where none has. `shared` is the part of players' form that is accounted for elsewhere.
    """
    logs = np.full((len(raw), len(GRID)), np.nan)
    for channel, rows in _read_by(calibration, raw, channels):
        read = raw.only(rows)
        widths = deviations(calibration, read, channel, GRID, shared=shared)
        logs[rows] = calibration.spread.log_likelihood(read, channel, widths)
    return logs


def posteriors(
    calibration: Calibration, raw: RawRatings, channels: Sequence[str], priors: Sequence[Prior]
) -> Iterator[tuple[Ints, Floats]]:
    """Logarithms of the posteriors over GRID, some groups at a time: their places, and one row for each."""
    with_prior: dict[int, list[int]] = {}
    for place, prior in enumerate(priors):
        with_prior.setdefault(id(prior), []).append(place)
    order = np.array([place for places in with_prior.values() for place in places], np.int64)
    for shared in dict.fromkeys(prior.shared for prior in priors):
        alike = order[[priors[place].shared == shared for place in order]]
        for start in range(0, len(alike), _BATCH):
            batch = alike[start : start + _BATCH]
            logs = likelihoods(calibration, raw.only(batch), channels, shared=shared)
            readable = np.isfinite(logs[:, 0])
            batch, logs = batch[readable], logs[readable]
            ends = [i for i in range(1, len(batch)) if priors[batch[i]] is not priors[batch[i - 1]]]
            for rows in np.split(np.arange(len(batch)), ends):
                if len(rows):
                    yield batch[rows], priors[batch[rows[0]]].posterior(logs[rows])


def rate_raw(
    calibration: Calibration,
    raw: RawRatings,
    priors: Sequence[Prior],
    methods: Sequence[str],
    level: float = 0.95,
) -> list[dict[str, Rating]]:
    """Ratings of each group by method, by the papers' methods together and by moves, each with its prior.

    Without any methods the rating by moves alone.
    """
    wanted: dict[str, tuple[str, ...]] = {name: (name,) for name in methods}
    if PAPERS in calibration.mixes and len(methods) > 1:
        wanted[PAPERS] = (PAPERS,)
    wanted[COMBINED] = channels_by_moves(calibration, methods)
    ratings: list[dict[str, Rating]] = [{} for _ in range(len(raw))]
    for name, channels in wanted.items():
        elo, low, high = np.full((3, len(raw)), np.nan)
        for places, logs in posteriors(calibration, raw, channels, priors):
            elo[places], low[places], high[places] = summaries(logs, level)
        bound = _bounds(calibration, elo, *reading(calibration, raw, channels, elo))
        for place in np.flatnonzero(np.isfinite(elo)).tolist():
            ratings[place][name] = Rating(
                name,
                float(elo[place]),
                low=float(low[place]),
                high=float(high[place]),
                decisions=float(raw.size[place]),
                games=int(raw.games[place]),
                level=level,
                bound=bound[place],
                end=calibration.range.lowest if bound[place] == "below" else calibration.range.highest,
            )
    return ratings


def _bounds(
    calibration: Calibration, elo: Floats, peak: Floats, deviation: Floats
) -> list[Literal["below", "above"] | None]:
    """Whether ratings are beyond an end of the scale: by the estimate, or clearly by the moves alone."""
    lowest, highest = calibration.range.lowest, calibration.range.highest
    above = (elo > highest) | (peak - CLEARLY * deviation > highest)
    below = (elo < lowest) | (peak + CLEARLY * deviation < lowest)
    return ["above" if high else "below" if low else None for high, low in zip(above, below, strict=True)]
