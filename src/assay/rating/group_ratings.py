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
        known = calibration.spread.methods
        unknown = sorted(set(methods or ()) - set(known))
        if unknown:
            raise InputError(
                f"there is no method '{unknown[0]}' to rate by: choose one of {', '.join(known)}"
            )
        self.appearances, self.calibration = appearances, calibration
        self._squares = appearances.squares if isinstance(appearances, Sums) else np.square(appearances.size)
        self._provisional = bool(shortcomings(calibration))
        self.methods = tuple(name for name in known if methods is None or name in methods)
        self.stacks: Mapping[str, ProfileStack]
        if stacks is not None:
            self.stacks = stacks
        elif isinstance(appearances, Appearances):
            self.stacks = {name: appearances.stack(calibration.models[name]) for name in known}
        else:
            self.stacks = appearances.stacks()

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
                own, games = None, len(block) - 1
                without = values[start + 1 : end]
                if games > 1 and np.isfinite(np.delete(without, silent, axis=1)).all():
                    own = leave_out_covariance(without)
                n_players = 1.0 if players is None else players[index]
                squares = float(self._squares[groups[index]].sum())
                yield RawRatings(values[start], size, own, games, n_players, squares)

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
        if isinstance(self.appearances, Appearances):
            return len(rows)
        return round(float(self.appearances.count("games")[rows].sum()))

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
                own = None if prior is span else prior
                ratings[name] = never_narrower(ratings[name], raw, [names[place] for place in places], own)
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
            found = many_posteriors(many, spread, span, places, level)
            ends = zip(found.elo.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
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

    def said_in_games(self, rows: Ints) -> Floats:
        """What the moves of single appearances say by themselves, shaped as `rows`.

        NaN for a row of -1, and where there are too few decisions to say anything.
        """
        alone = np.unique(rows[rows >= 0])
        alone = alone[self.appearances.size[alone] >= FEWEST_IN_GAME]
        found = np.full(len(self.appearances) + 1, np.nan)  # -1 finds the last
        for row, raw in zip(alone, self.raw([np.array([row]) for row in alone]), strict=True):
            found[row] = without_prior(raw, self.calibration.spread, self.places)
        return np.asarray(found[rows])

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
    return SURER if beyond(combined.elo, [one.elo for one in single]) else ""


def beyond(one: float, others: Sequence[float]) -> bool:
    """Whether a rating is printed as less than the least of some, or more than the most."""
    whole = [round(other) for other in others]
    return len(whole) > 1 and not min(whole) <= round(one) <= max(whole)
