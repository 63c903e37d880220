"""How far ratings can be trusted, measured on held-out games: for `assay calibrate --check`.

Milepost games are halved; each half is rated through a calibration made from the other. Groups of several
games are drawn within a milepost, rated together and compared with their published ratings. Bridges are
compared with native ratings of the same games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.answers.prepared import Agreement, BridgeSummary, CalibrationSummary
from assay.decisions.arrays import Floats, Ints
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances, assign_folds
from assay.models.bayes import Posterior
from assay.rating.bridge import POOL, Bridge
from assay.rating.calibration import Calibration, fit_calibration, reference_of, stacks_of
from assay.rating.group_ratings import COMBINED, Rater
from assay.rating.posterior import RawRatings, elo_posterior
from assay.rating.scale import informative, one_game, provisional_note, shortcomings

GAMES = (1, 3, 10, 30)
SAME_PLAYER = (3, 5)
"""Numbers of games of one and the same player that the picked games have enough of."""

SPLITS = 3
"""How often all games are halved anew: which half a game falls into is chance, too."""

DEALT = 2
"""How often games are dealt into composites: which fall together is chance, and should not decide."""

BASELINE = "baseline"
"""Everyone has the mean of all."""

_FOLDS = 2


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One group rated by one method, beside its reference rating."""

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
        """Rating less reference rating."""
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
    appearances: Appearances, *, sizes: Sequence[int] = GAMES, splits: int = SPLITS, seed: int = 0
) -> list[Outcome]:
    """Rate games through calibrations made without them: composites and single players, all methods."""
    stacks = stacks_of(appearances)
    everyone = reference_of(appearances, stacks)
    rng = np.random.default_rng(seed)
    outcomes = []
    for _ in range(splits):
        fold = assign_folds(everyone.game, everyone.player, everyone.milepost, _FOLDS, rng)
        for half in range(_FOLDS):
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
        outcomes += _outcomes(rater, groups, n, one_player=n == 1)
    for n in SAME_PLAYER:
        groups = _of_one_player(appearances, test, n, rng)
        outcomes += _outcomes(rater, groups, n, one_player=True)
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


def _outcomes(rater: Rater, groups: list[Ints], n: int, *, one_player: bool) -> list[Outcome]:
    elo = rater.appearances.elo
    names = rater.calibration.spread.methods
    chosen = {name: [place] for place, name in enumerate(names)} | {COMBINED: list(range(len(names)))}
    players = [1.0 if one_player else _different(rater.appearances.player[rows]) for rows in groups]
    centre = float(rater.calibration.mileposts.mean())
    outcomes = []
    for rows, raw in zip(groups, rater.raw(groups, players), strict=True):
        truth = float(elo[rows].mean())
        outcomes.append(
            Outcome(
                method=BASELINE,
                games=n,
                one_player=one_player,
                reference=truth,
                elo=centre,
                within_95=False,
                within_50=False,
                width=float("nan"),
            )
        )
        for method, places in chosen.items():
            posterior = elo_posterior(raw, rater.calibration.spread, rater.calibration.range, places)
            if posterior is not None:
                outcomes.append(_outcome(method, n, one_player, truth, posterior))
    return outcomes


def _different(players: Ints) -> float:
    """How many players a composite is of, one who is there twice counting for less."""
    shares = np.unique(players, return_counts=True)[1] / len(players)
    return float(1 / np.square(shares).sum())


def _outcome(method: str, n: int, one_player: bool, truth: float, posterior: Posterior) -> Outcome:
    wide, narrow = posterior.region(0.95), posterior.region(0.5)
    inside = [low <= truth <= high for low, high in (wide, narrow)]
    return Outcome(
        method=method,
        games=n,
        one_player=one_player,
        reference=truth,
        elo=posterior.mean,
        within_95=inside[0],
        within_50=inside[1],
        width=wide[1] - wide[0],
    )


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
        form=calibration.spread.form,
        provisional=shortcomings(calibration),
        caveat=provisional_note(calibration),
        held_out=held_out,
    )


FOLDS = 5
TOGETHER = 5
"""So many games make the longer groups by which bridges are judged."""


def crossed(bridge: Bridge, *, folds: int = FOLDS, seed: int = 0) -> list[Agreement]:
    """How bridges serve on games of players that they were not made from, by the number of games.

    Games of one fold are rated by the bridge that the other folds make, and by the native calibration from
    its own values of the same games; singly, and several of about the same strength together.
    """
    order = np.where(np.isfinite(bridge.elo), bridge.elo, bridge.level)
    near = np.argsort(np.argsort(order)) // POOL
    fold = assign_folds(bridge.game, bridge.player, near, folds, np.random.default_rng(seed))
    rows: dict[int, list[tuple[float, ...]]] = {1: [], TOGETHER: []}
    for number in range(folds):
        calibration = bridge.only(np.flatnonzero(fold != number)).calibration()
        test = bridge.only(np.flatnonzero(fold == number))
        for games, several in rows.items():
            several += _both_ways(test, calibration, order[fold == number], games)
    return [_agreement(games, np.array(several)) for games, several in rows.items() if several]


def _both_ways(
    bridge: Bridge, bridged: Calibration, order: Floats, games: int
) -> Iterator[tuple[float, ...]]:
    """Groups of neighbours in strength: first game, reference, then rating, low and high by either way."""
    by_strength = np.argsort(order, kind="stable")
    groups = [by_strength[start : start + games] for start in range(0, len(order) - games + 1, games)]
    ways = [
        _posteriors(calibration, stacks, groups, bridge)
        for calibration, stacks in ((bridge.native, bridge.before.whole), (bridged, bridge.after.whole))
    ]
    for rows, *posteriors in zip(groups, *ways, strict=True):
        if None not in posteriors:
            ratings = [
                value
                for posterior in posteriors
                if posterior
                for value in (posterior.mean, *posterior.region(0.95))
            ]
            yield float(bridge.game[rows[0]]), float(bridge.elo[rows].mean()), *ratings


def _posteriors(
    calibration: Calibration, stacks: Mapping[str, ProfileStack], groups: Sequence[Ints], bridge: Bridge
) -> list[Posterior | None]:
    """The posterior of each group by all methods."""
    weights = np.zeros((len(groups), len(bridge.size)))
    for row, group in zip(weights, groups, strict=True):
        row[group] = 1.0
    raws = calibration.raw({name: stacks[name] for name in calibration.mappings}, weights)
    spread, places = calibration.spread, list(range(len(calibration.spread.methods)))
    posteriors = []
    for raw, group in zip(raws, groups, strict=True):
        size, players = bridge.size[group], _different(bridge.player[group])
        ratings = RawRatings(raw, float(size.sum()), players=players, squares=float(np.square(size).sum()))
        posteriors.append(elo_posterior(ratings, spread, calibration.range, places))
    return posteriors


def _agreement(games: int, rows: Floats) -> Agreement:
    game, reference, native, native_low, native_high, bridged, low, high = rows.T
    rated = np.isfinite(reference)

    def mean(values: Floats) -> float:
        return float(values[rated].mean()) if rated.any() else float("nan")

    return Agreement(
        games=games,
        groups=len(rows),
        correlation=float(np.corrcoef(native, bridged)[0, 1]),
        shift=float((bridged - native).mean()),
        shift_error=mean_error(bridged - native, game.astype(np.int64)),
        apart=float(np.sqrt(np.square(bridged - native).mean())),
        native_error=mean(np.abs(native - reference)),
        bridged_error=mean(np.abs(bridged - reference)),
        native_within=mean(((native_low <= reference) & (reference <= native_high)).astype(float)),
        bridged_within=mean(((low <= reference) & (reference <= high)).astype(float)),
        native_width=float((native_high - native_low).mean()),
        bridged_width=float((high - low).mean()),
    )


def mean_error(values: Floats, cluster: Ints) -> float:
    """Standard error of a mean of values, of which those of one cluster may err together."""
    _, place = np.unique(cluster, return_inverse=True)
    off = np.bincount(place, values - values.mean())
    return float(np.sqrt(np.square(off).sum() * len(off) / max(len(off) - 1, 1)) / len(values))


def bridge_summary(
    calibration: Calibration, path: Path, agreements: Sequence[Agreement] = ()
) -> BridgeSummary:
    """What is printed of a calibration that a bridge carried over."""
    bridge = calibration.spread.bridge
    assert bridge is not None
    share = np.sqrt(np.diag(bridge.shift))
    error = {
        name: round(float(part * deviation), 1)
        for part, (name, deviation) in zip(share, one_game(calibration).items(), strict=True)
    }
    return BridgeSummary(
        path=str(path),
        recipe_id=calibration.recipe_id,
        about=calibration.about,
        start=calibration.bridged_from or {},
        one_game=informative(calibration),
        error=error,
        agreements=agreements,
    )
