"""How well a bridge serves on games that it was not made from: beside native ratings, and published ones.

The players are dealt into folds. Games of one fold are rated by the bridge
that the other folds make, and by the native calibration from its own values of the same games; singly, and
some of about the same strength together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.answers.prepared import Agreement, BridgeSummary
from assay.decisions.arrays import Floats, Ints
from assay.decisions.profile import ProfileStack
from assay.models.appearances import deal_folds
from assay.models.bayes import Posterior
from assay.rating.bridge import POOL, Bridge
from assay.rating.calibration import Calibration
from assay.rating.posterior import RawRatings, elo_posterior
from assay.rating.scale import informative, one_game

FOLDS = 5
TOGETHER = 5
"""So many games make the longer groups."""


@dataclass(frozen=True, kw_only=True)
class Crossed:
    """One group rated by both, beside its reference rating (NaN where that is not known)."""

    games: int
    game: int
    """The game of its first appearance: both sides of one err together."""
    reference: float
    native: float
    bridged: float
    native_inside: bool
    bridged_inside: bool
    native_width: float
    bridged_width: float


def crossed(bridge: Bridge, *, folds: int = FOLDS, seed: int = 0) -> list[Agreement]:
    """How bridges serve on games of players that they were not made from, by the number of games."""
    return agreements(rated_crosswise(bridge, folds=folds, seed=seed))


def rated_crosswise(bridge: Bridge, *, folds: int = FOLDS, seed: int = 0) -> list[Crossed]:
    """Rate games by bridges made without their players, and by the native calibration.

    Bridges of the same appearances have the same groups, in the same order.
    """
    rng = np.random.default_rng(seed)
    order = np.where(np.isfinite(bridge.elo), bridge.elo, bridge.level)
    near = np.argsort(np.argsort(order)) // POOL
    fold = deal_folds(bridge.game, bridge.player, near, folds, rng)
    found = []
    for one in range(folds):
        made = bridge.only(np.flatnonzero(fold != one)).calibration()
        found += held_against(bridge.only(np.flatnonzero(fold == one)), made, order[fold == one])
    return found


def held_against(bridge: Bridge, made: Calibration, order: Floats) -> list[Crossed]:
    """The games of a bridge rated natively and through a calibration of its other source."""
    found = []
    for games in (1, TOGETHER):
        groups = _groups(order, games)
        players = [_different(bridge.player[rows]) for rows in groups]
        sides = [
            _posteriors(one, stacks, groups, bridge.size, players)
            for one, stacks in ((bridge.native, bridge.before.whole), (made, bridge.after.whole))
        ]
        for rows, native, bridged in zip(groups, *sides, strict=True):
            if native is not None and bridged is not None:
                found.append(_crossed(games, bridge, rows, native, bridged))
    return found


def agreements(found: Sequence[Crossed]) -> list[Agreement]:
    """What groups of each number of games have in common."""
    return [
        _agreement(games, [one for one in found if one.games == games])
        for games in sorted({one.games for one in found})
    ]


def _groups(order: Floats, games: int) -> list[Ints]:
    """Neighbours in strength, so many at a time."""
    rows = np.argsort(order, kind="stable")
    return [rows[start : start + games] for start in range(0, len(rows) - games + 1, games)]


def _different(players: Ints) -> float:
    """How many players a group is of, one who is there twice counting for less."""
    shares = np.unique(players, return_counts=True)[1] / len(players)
    return float(1 / np.square(shares).sum())


def _posteriors(
    calibration: Calibration,
    stacks: Mapping[str, ProfileStack],
    groups: Sequence[Ints],
    size: Floats,
    players: Sequence[float],
) -> list[Posterior | None]:
    """The posterior of each group by all methods."""
    weights = np.zeros((len(groups), len(size)))
    for row, group in zip(weights, groups, strict=True):
        row[group] = 1.0
    used = {name: stacks[name] for name in calibration.mappings}
    spread = calibration.spread
    places = list(range(len(spread.methods)))
    return [
        elo_posterior(
            RawRatings(raw, float(size[group].sum()), players=n, squares=float(np.square(size[group]).sum())),
            spread,
            calibration.range,
            places,
        )
        for raw, group, n in zip(calibration.raw(used, weights), groups, players, strict=True)
    ]


def _crossed(games: int, bridge: Bridge, rows: Ints, native: Posterior, bridged: Posterior) -> Crossed:
    reference = float(bridge.elo[rows].mean())
    ends = [one.region(0.95) for one in (native, bridged)]
    return Crossed(
        games=games,
        game=int(bridge.game[rows[0]]),
        reference=reference,
        native=native.mean,
        bridged=bridged.mean,
        native_inside=bool(ends[0][0] <= reference <= ends[0][1]),
        bridged_inside=bool(ends[1][0] <= reference <= ends[1][1]),
        native_width=float(ends[0][1] - ends[0][0]),
        bridged_width=float(ends[1][1] - ends[1][0]),
    )


def mean_error(values: Floats, cluster: Ints) -> float:
    """Standard error of a mean of values, of which those of one cluster may err together."""
    _, place = np.unique(cluster, return_inverse=True)
    off = np.bincount(place, values - values.mean())
    return float(np.sqrt(np.square(off).sum() * len(off) / max(len(off) - 1, 1)) / len(values))


def _agreement(games: int, found: Sequence[Crossed]) -> Agreement:
    native, bridged, reference = (
        np.array([getattr(one, name) for one in found]) for name in ("native", "bridged", "reference")
    )
    known = np.isfinite(reference)

    def mean(values: Floats) -> float:
        return float(values[known].mean()) if known.any() else float("nan")

    inside = [np.array([getattr(one, name) for one in found]) for name in ("native_inside", "bridged_inside")]
    return Agreement(
        games=games,
        groups=len(found),
        correlation=float(np.corrcoef(native, bridged)[0, 1]),
        shift=float((bridged - native).mean()),
        shift_error=mean_error(bridged - native, np.array([one.game for one in found])),
        apart=float(np.sqrt(np.square(bridged - native).mean())),
        native_error=mean(np.abs(native - reference)),
        bridged_error=mean(np.abs(bridged - reference)),
        native_within=mean(inside[0].astype(float)),
        bridged_within=mean(inside[1].astype(float)),
        native_width=float(np.mean([one.native_width for one in found])),
        bridged_width=float(np.mean([one.bridged_width for one in found])),
    )


def bridge_summary(
    calibration: Calibration, path: Path, agreements: Sequence[Agreement] = ()
) -> BridgeSummary:
    """What is printed of a calibration that a bridge carried over."""
    bridge = calibration.spread.bridge
    assert bridge is not None
    share = np.sqrt(np.diag(bridge.shift))
    error = {
        name: round(float(own * deviation), 1)
        for own, (name, deviation) in zip(share, one_game(calibration).items(), strict=True)
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
