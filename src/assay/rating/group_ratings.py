"""Ratings of groups of appearances: of players, of their years, events or single games.

The covariance of the methods' raw ratings over a player's own games comes from leaving out one game after
another (the jackknife), the same games for every method: moves of one game stay together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.special import ndtri

from assay.answers.ratings import Rating
from assay.decisions.arrays import Floats, Ints
from assay.decisions.profile import ProfileStack
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.evidence import MOST_BLOCKS, Sums, leave_out_covariance, leave_out_weights
from assay.rating.posterior import (
    GRID,
    ManyRaw,
    Prior,
    RawRatings,
    as_rating,
    elo_evidence,
    elo_posterior,
    many_posteriors,
    without_prior,
)
from assay.rating.scale import never_narrower, shortcomings

COMBINED = "combined"

FEWEST_IN_GAME = 10
"""Decisions of one game that say something by themselves."""

FEWEST_SHARE = 0.8
"""Of the decisions that most of them are."""

SURER = "each method alone is unsure and drawn to the prior, all together are surer and drawn less"

_BATCH = 400
"""Profiles that are mapped together."""


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
        calibrated = calibration.spread.methods
        unknown = sorted(set(methods or ()) - set(calibrated))
        if unknown:
            raise InputError(
                f"there is no method '{unknown[0]}' to rate by: choose one of {', '.join(calibrated)}"
            )
        self.appearances, self.calibration = appearances, calibration
        self._squares = appearances.squares
        self._provisional = bool(shortcomings(calibration))
        self.methods = tuple(name for name in calibrated if methods is None or name in methods)
        if stacks is None:
            stacks = appearances.stacks({name: calibration.models[name] for name in calibrated})
        self.stacks = stacks

    @property
    def places(self) -> list[int]:
        """Where the methods that are asked for stand among those of the calibration."""
        return [self.calibration.spread.methods.index(name) for name in self.methods]

    def raw(self, groups: Sequence[Ints], players: Sequence[float] | None = None) -> Iterator[RawRatings]:
        """Raw ratings of groups of rows; `players` says how many players each group is of, if not one."""
        for batch in _batches([len(rows) for rows in groups]):
            rows = np.concatenate([groups[index] for index in batch])
            blocks = [leave_out_weights(len(groups[index])) for index in batch]
            used = {name: stack.only(rows.tolist()) for name, stack in self.stacks.items()}
            values = self.calibration.raw(used, sparse.block_diag(blocks, format="csr"))
            end, stop = 0, 0
            for index, block in zip(batch, blocks, strict=True):
                start, end = end, end + len(block)
                begin, stop = stop, stop + len(groups[index])
                size = float(self.appearances.size[groups[index]].sum())
                silent = self._of_some(used, slice(begin, stop), size)
                values[start:end, silent] = np.nan
                covariance, games = None, len(block) - 1
                without = values[start + 1 : end]
                if games > 1 and np.isfinite(np.delete(without, silent, axis=1)).all():
                    covariance = leave_out_covariance(without)
                n_players = 1.0 if players is None else players[index]
                squares = float(self._squares[groups[index]].sum())
                yield RawRatings(values[start], size, covariance, games, n_players, squares)

    def _of_some(self, used: Mapping[str, ProfileStack], rows: slice, size: float) -> list[int]:
        """The methods that speak of most decisions or not at all, and have read fewer here."""
        models = self.calibration.models
        return [
            place
            for place, name in enumerate(self.calibration.spread.methods)
            if models[name].of_most and used[name].decisions[rows].sum() < FEWEST_SHARE * size
        ]

    def rate(
        self,
        groups: Sequence[Ints],
        *,
        level: float = 0.95,
        players: Sequence[float] | None = None,
        prior: Callable[[Ints], Prior] | None = None,
    ) -> Iterator[dict[str, Rating]]:
        """Ratings of groups of rows by method, and `combined` where any method has one.

        `prior` gives that of each group (assay.rating.priors); without it all have the flat one.
        """
        for rows, raw in zip(groups, self.raw(groups, players), strict=True):
            before = self.calibration.range if prior is None else prior(rows)
            yield self.ratings(raw, before, games=self.games(rows), level=level)

    def games(self, rows: Ints) -> int:
        """How many games some rows are of."""
        return round(float(self.appearances.game_counts[rows].sum()))

    def ratings(self, raw: RawRatings, prior: Prior, *, games: int, level: float = 0.95) -> dict[str, Rating]:
        """Ratings of one group by method, and `combined`, from its raw ratings."""
        names, span = self.calibration.spread.methods, self.calibration.range
        chosen = {name: [names.index(name)] for name in self.methods}
        chosen[COMBINED] = self.places
        ratings = {}
        for name, places in chosen.items():
            posterior = elo_posterior(raw, self.calibration.spread, prior, places)
            if posterior is None:
                continue
            ratings[name] = as_rating(name, posterior, raw.size, games, level)
            if self._provisional:
                chosen_prior = None if prior is span else prior
                methods = [names[place] for place in places]
                ratings[name] = never_narrower(ratings[name], raw, methods, chosen_prior)
        self._explain(ratings)
        return ratings

    def many_ratings(
        self, raws: Sequence[RawRatings], *, games: Sequence[int], level: float = 0.95
    ) -> list[dict[str, Rating]]:
        """`ratings` of many groups with the flat prior: for players by the thousand."""
        span, spread = self.calibration.range, self.calibration.spread
        if self._provisional or not raws:
            return [self.ratings(raw, span, games=n, level=level) for raw, n in zip(raws, games, strict=True)]
        many = ManyRaw.of(raws, spread)
        answers: list[dict[str, Rating]] = [{} for _ in raws]
        for name in (*self.methods, COMBINED):
            places = self.places if name == COMBINED else [spread.methods.index(name)]
            posteriors = many_posteriors(many, spread, span, places, level)
            columns = (posteriors.elo, posteriors.low, posteriors.high)
            ends = zip(*(column.tolist() for column in columns), strict=True)
            for answer, raw, n, (elo, low, high) in zip(answers, raws, games, ends, strict=True):
                if elo == elo:
                    answer[name] = Rating(
                        name, elo, low=low, high=high, decisions=raw.size, games=n, level=level
                    )
        for answer in answers:
            self._explain(answer)
        return answers

    def _explain(self, ratings: dict[str, Rating]) -> None:
        """Say why, where the combined rating is beyond those of all methods."""
        if COMBINED in ratings:
            single = [ratings[name] for name in self.methods if name in ratings]
            why = why_beyond(ratings[COMBINED], single)
            ratings[COMBINED] = replace(ratings[COMBINED], note=why)

    def elo_in_games(self, rows: Ints) -> Floats:
        """What the moves of single appearances say by themselves, shaped as `rows`.

        NaN for a row of -1, and where there are too few decisions to say anything.
        """
        alone = np.unique(rows[rows >= 0])
        alone = alone[self.appearances.size[alone] >= FEWEST_IN_GAME]
        elo = np.full(len(self.appearances) + 1, np.nan)  # -1 finds the last
        for row, raw in zip(alone, self.raw([np.array([row]) for row in alone]), strict=True):
            elo[row] = without_prior(raw, self.calibration.spread, self.places)
        return np.asarray(elo[rows])

    def density(self, raw: RawRatings, prior: Prior, combined: Rating | None) -> Floats:
        """Logarithm of one group's density over the grid, by all methods; the prior's where none has any."""
        before = prior.log_density(GRID)
        if combined is not None and self._provisional:
            # Widened, as the rating was.
            deviation = (combined.high - combined.low) / (2 * ndtri((1 + combined.level) / 2))
            return np.asarray(-0.5 * np.square((GRID - combined.elo) / deviation))
        evidence = elo_evidence(raw, self.calibration.spread, prior, self.places)
        return before if evidence is None else before + evidence


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Groups in batches of about so many profiles."""
    batch: list[int] = []
    profiles = 0
    for index, length in enumerate(lengths):
        batch.append(index)
        profiles += 1 + min(length, MOST_BLOCKS)
        if profiles >= _BATCH:
            yield batch
            batch, profiles = [], 0
    if batch:
        yield batch


def why_beyond(combined: Rating, single: Iterable[Rating]) -> str:
    """Why a combined rating is beyond those of its methods as they are printed; empty where it is not."""
    return SURER if beyond(combined.elo, [rating.elo for rating in single]) else ""


def beyond(elo: float, others: Sequence[float]) -> bool:
    """Whether a rating is printed as less than the least of the others, or more than the most."""
    whole = [round(other) for other in others]
    return len(whole) > 1 and not min(whole) <= round(elo) <= max(whole)
