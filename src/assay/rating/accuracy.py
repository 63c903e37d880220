"""How far ratings can be trusted, measured on held-out games: for `assay calibrate --check`.

Milepost games are halved; each half is rated through a calibration made from the other. Groups of several
games are drawn within a milepost, rated together and compared with their published ratings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.answers.prepared import CalibrationSummary
from assay.answers.ratings import Rating
from assay.decisions.arrays import Ints
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances, assign_folds
from assay.rating.calibration import Calibration, fit_calibration, reference_of, stacks_of
from assay.rating.group_ratings import Rater, rate_raw
from assay.rating.scale import informative, provisional_note, shortcomings

GAMES = (1, 3, 10, 30)
SAME_PLAYER = (3, 5)
"""Numbers of games of one and the same player that the picked games have enough of."""

SPLITS = 3
"""How often all games are halved anew: which half a game falls into is chance, too."""

DEALT = 2
"""How often games are dealt into composites: which fall together is chance, and should not decide."""

BASELINE = "baseline"
"""Everyone has the mean of all."""

FOLDS = 2
"""Parts that games are split into: each is rated through a calibration made from the others."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One group rated by one method, beside its published rating."""

    method: str
    games: int
    one_player: bool
    """Whether the games are of one player; else of a composite, one game of each."""
    reference: float
    elo: float
    within_95: bool
    within_50: bool
    width: float
    """Of the 95% interval."""

    @property
    def error(self) -> float:
        """Rating less published rating."""
        return self.elo - self.reference


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Some outcomes of one method together."""

    groups: int
    mean_error: float
    """Mean absolute error."""
    bias: float
    within_95: float
    within_50: float
    width: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Summary:
        """Means over outcomes."""
        errors = np.array([outcome.error for outcome in outcomes])
        return cls(
            groups=len(outcomes),
            mean_error=float(np.abs(errors).mean()),
            bias=float(errors.mean()),
            within_95=float(np.mean([outcome.within_95 for outcome in outcomes])),
            within_50=float(np.mean([outcome.within_50 for outcome in outcomes])),
            width=float(np.mean([outcome.width for outcome in outcomes])),
        )


def held_out(
    appearances: Appearances,
    stacks: Mapping[str, ProfileStack] | None = None,
    *,
    sizes: Sequence[int] = GAMES,
    splits: int = SPLITS,
    seed: int = 0,
    among: Ints | None = None,
) -> list[Outcome]:
    """Rate games through calibrations made without them: composites and single players, all methods.

    `stacks` has the profiles, where they are known; `among` are the appearances that count, by default all.
    """
    stacks = stacks or stacks_of(appearances)
    everyone = reference_of(appearances, stacks, among)
    rng = np.random.default_rng(seed)
    outcomes = []
    for _ in range(splits):
        fold = assign_folds(everyone.game, everyone.player, everyone.milepost, FOLDS, rng)
        for half in range(FOLDS):
            reference = reference_of(appearances, stacks, among=everyone.rows[fold != half])
            calibration = fit_calibration(stacks, reference, appearances.recipe_id, {})
            test = everyone.rows[fold == half]
            outcomes += rated_groups(appearances, stacks, calibration, test, sizes, rng)
    return outcomes


def rated_groups(
    appearances: Appearances,
    stacks: Mapping[str, ProfileStack],
    calibration: Calibration,
    test: Ints,
    sizes: Sequence[int],
    rng: np.random.Generator,
) -> list[Outcome]:
    """Groups of some appearances, composites and single players, rated through a calibration."""
    rater = Rater(appearances, calibration, stacks=stacks)
    outcomes = []
    for n in sizes:
        dealt = range(1 if n == 1 else DEALT)
        groups = [group for _ in dealt for group in _composites(appearances, test, n, rng)]
        outcomes += _outcomes(rater, appearances, groups, one_player=n == 1)
    for n in SAME_PLAYER:
        groups = _of_one_player(appearances, test, n, rng)
        outcomes += _outcomes(rater, appearances, groups, one_player=True)
    return outcomes


def _composites(appearances: Appearances, rows: Ints, n: int, rng: np.random.Generator) -> list[Ints]:
    """Groups of n appearances near one century.

    No game is twice in a group, for its two sides are not independent; unless there are not games enough.
    """
    century = np.round(appearances.elo[rows] / 100)
    groups = []
    for hundred in np.unique(century):
        here = rng.permutation(rows[century == hundred])
        _, first = np.unique(appearances.game[here], return_index=True)
        sides = [here[np.sort(first)], np.delete(here, first)]
        if n == 1 or len(sides[0]) < n:
            sides = [here]
        for side in sides:
            groups += [side[i : i + n] for i in range(0, len(side) - n + 1, n)]
    return groups


def _of_one_player(appearances: Appearances, rows: Ints, n: int, rng: np.random.Generator) -> list[Ints]:
    century = np.round(appearances.elo / 100)
    pairs = np.stack((appearances.player[rows], century[rows].astype(np.int64)))
    groups = []
    for key in np.unique(pairs, axis=1).T:
        games = rng.permutation(rows[(pairs == key[:, None]).all(axis=0)])
        groups += [games[i : i + n] for i in range(0, len(games) - n + 1, n)]
    return groups


def _outcomes(
    rater: Rater, appearances: Appearances, groups: list[Ints], *, one_player: bool
) -> list[Outcome]:
    players = [1.0 if one_player else _different(appearances.player[rows]) for rows in groups]
    calibration, raw = rater.calibration, rater.raw(groups, players)
    centre, flat = float(calibration.mileposts.mean()), [calibration.range] * len(groups)
    wide, narrow = (rate_raw(calibration, raw, flat, rater.methods, level) for level in (0.95, 0.5))
    outcomes = []
    for rows, at_95, at_50 in zip(groups, wide, narrow, strict=True):
        truth = float(appearances.elo[rows].mean())
        guess = Rating(BASELINE, centre, low=math.nan, high=math.nan, decisions=0, games=len(rows))
        outcomes += [
            Outcome(
                method=method,
                games=len(rows),
                one_player=one_player,
                reference=truth,
                elo=rating.elo,
                within_95=rating.low <= truth <= rating.high,
                within_50=method in at_50 and at_50[method].low <= truth <= at_50[method].high,
                width=rating.high - rating.low,
            )
            for method, rating in {BASELINE: guess, **at_95}.items()
        ]
    return outcomes


def _different(players: Ints) -> float:
    """How many players a composite is of, one who is there twice counting for less."""
    shares = np.unique(players, return_counts=True)[1] / len(players)
    return float(1 / np.square(shares).sum())


def summaries(outcomes: Sequence[Outcome]) -> dict[tuple[int, bool, str], Summary]:
    """Summary for each number of games, whether of one player, and method, in this order."""
    groups: dict[tuple[int, bool, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.method != BASELINE:
            key = (outcome.games, outcome.one_player, outcome.method)
            groups.setdefault(key, []).append(outcome)
    return {key: Summary.of(groups[key]) for key in sorted(groups)}


def calibration_summary(
    calibration: Calibration, path: Path, outcomes: Sequence[Outcome] = ()
) -> CalibrationSummary:
    """What is printed of a calibration that was written to a file, with its accuracy on held-out games."""
    held_out = [
        {"games": games, "one_player": alone, "method": method}
        | {name: round(value, 4) for name, value in vars(summary).items()}
        for (games, alone, method), summary in summaries(outcomes).items()
    ]
    return CalibrationSummary(
        path=str(path),
        recipe_id=calibration.recipe_id,
        about=calibration.about,
        one_game=informative(calibration),
        mileposts=calibration.mileposts.tolist(),
        form=float(calibration.spread.form[-1]),
        provisional=shortcomings(calibration),
        caveat=provisional_note(calibration),
        held_out=held_out,
    )
