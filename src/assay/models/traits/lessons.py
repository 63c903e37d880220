"""What the mileposts teach: how much each sign says of Elo, all others given.

A ridge regression of the Elo of single appearances on the means of their signs (Hoerl and Kennard 1970): the
signs go together, and a penalty keeps them from playing each other off. It is drawn to the mean, as every
regression on noisy measures is; the mapping to Elo, from pooled mileposts, undoes that. The penalty is the
one that serves best on appearances that were not learned from, no player and no game of which was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.errors import InputError

PENALTIES = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""Candidates: in units of one appearance, for signs of deviation one."""

AGAIN = (*PENALTIES, 10_000.0, 1e9)
"""Candidates where lessons are fitted to another source of values; the last leaves them as they are."""

EQUAL = 150.0
"""Opponents at most so many points away are equals."""

STRETCH = 0.25
"""Stretches of the scale that count alike, in deviations of Elo: about a hundred points."""

MOST_WEIGHT = 3.0
"""An appearance against another than an equal counts for no more than so many: a few must not decide. On
games kept out, those against equals and others counting alike, 3 and 4 err least (docs/traits.md)."""


@dataclass(frozen=True, eq=False)
class Lessons:
    """Mean of each sign over the mileposts, and its weight; the answer has mean 0 and deviation 1 in Elo."""

    centre: Floats
    weight: Floats

    def of(self, means: Floats) -> Floats:
        """The discriminant of means of signs; a sign that is not known (NaN) says nothing."""
        return np.asarray(np.nan_to_num(means - self.centre) @ self.weight)


def learn(
    means: Floats, elo: Floats, opponent: Floats, fold: Ints, most: float = MOST_WEIGHT
) -> tuple[Lessons, Floats]:
    """Lessons from appearances, and the discriminant of each by what the other folds teach.

    Where all opponents are equals, whatever tells of the opponent would pass for a sign of the player: an
    even game, a hard position. So games against others than equals count for more, up to as much as those
    against equals.
    """
    if len(np.unique(fold)) < 2:
        raise InputError(
            "what strength looks like cannot be learned from one group of players: give more games"
        )
    target = (elo - elo.mean()) / elo.std()
    share = shares(target, np.abs(opponent - elo) > EQUAL, most)
    apart = _by_others(means, target, share, fold)
    errors = (np.square(apart - target) * share).sum(axis=1)
    chosen = int(errors.argmin())
    return fit(means, target, share, PENALTIES[chosen]), apart[chosen]


def fit(means: Floats, target: Floats, share: Floats, penalty: float) -> Lessons:
    """The regression with one penalty; `share` weighs the appearances."""
    return _fits(means, target, share, (penalty,))[0]


def _fits(means: Floats, target: Floats, share: Floats, penalties: Sequence[float]) -> list[Lessons]:
    """The regression with each penalty: the sums over appearances are the same for all, and most of it."""
    centre = np.nansum(means * share[:, None], axis=0) / np.maximum(
        (~np.isnan(means) * share[:, None]).sum(axis=0), 1e-300
    )
    signs = np.nan_to_num(means - centre)
    scale = np.sqrt((np.square(signs) * share[:, None]).sum(axis=0) / share.sum())
    scaled = signs / np.where(scale > 0, scale, 1.0)
    middle = float(target @ share / share.sum())
    sums = scaled.T @ (scaled * share[:, None])
    towards = scaled.T @ (share * (target - middle))
    weights = [np.linalg.solve(sums + penalty * np.eye(len(centre)), towards) for penalty in penalties]
    return [Lessons(centre, weight / np.where(scale > 0, scale, 1.0)) for weight in weights]


def learn_again(native: Lessons, before: Floats, after: Floats, fold: Ints) -> tuple[Lessons, Floats]:
    """Lessons for another source of values, from the means of the signs of the same appearances by both.

    What to say of each appearance is known: what the native lessons say. The weights are the native ones and
    a ridge regression of what these leave: with few appearances hardly anything is changed. Also answers with
    the discriminant of each appearance by what the other folds teach.
    """
    target = native.of(before)
    apart = np.stack([_again_by_others(native, before, after, target, fold, one) for one in AGAIN])
    chosen = int(np.square(apart - target).sum(axis=1).argmin())
    return _again(native, before, after, target, AGAIN[chosen]), apart[chosen]


def _again(native: Lessons, before: Floats, after: Floats, target: Floats, penalty: float) -> Lessons:
    shift = after - before
    known = np.isfinite(shift)
    # Signs differ from source to source: each by as much as it does on the same games.
    moved = np.where(known, shift, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    signs = np.nan_to_num(after - native.centre - moved)
    left = target - signs @ native.weight
    scale = signs.std(axis=0)
    scaled = signs / np.where(scale > 0, scale, 1.0)
    penalised = scaled.T @ scaled + penalty * np.eye(scaled.shape[1])
    added = np.linalg.solve(penalised, scaled.T @ (left - left.mean())) / np.where(scale > 0, scale, 1.0)
    return Lessons(native.centre + moved, native.weight + added)


def _again_by_others(
    native: Lessons, before: Floats, after: Floats, target: Floats, fold: Ints, penalty: float
) -> Floats:
    found = np.zeros(len(target))
    for one in np.unique(fold):
        out = fold == one
        found[out] = _again(native, before[~out], after[~out], target[~out], penalty).of(after[out])
    return found


def _by_others(means: Floats, target: Floats, share: Floats, fold: Ints) -> Floats:
    """The discriminant of each appearance by lessons of other folds, shape (penalties, appearances)."""
    found = np.zeros((len(PENALTIES), len(target)))
    for one in np.unique(fold):
        out = fold == one
        taught = _fits(means[~out], target[~out], share[~out], PENALTIES)
        found[:, out] = [lessons.of(means[out]) for lessons in taught]
    return found


def shares(target: Floats, unequal: Mask, most: float = MOST_WEIGHT) -> Floats:
    """Weights of appearances: every stretch of the Elo scale alike, and others than equals for more."""
    share = np.zeros(len(target))
    for kind in (~unequal, unequal):
        share[kind] = _even(target[kind])
    if 0 < unequal.sum() < len(unequal):
        share[unequal] *= min((~unequal).sum() / unequal.sum(), most)
    return np.asarray(share * (len(share) / share.sum()))


def _even(target: Floats) -> Floats:
    """Weights of mean one by which every stretch of the Elo scale counts alike, within reason."""
    if not len(target):
        return target
    place = np.floor((target - target.min()) / STRETCH).astype(np.int64)
    counts = np.bincount(place)
    share = 1.0 / np.maximum(counts[place], counts.mean() / 2)
    return np.asarray(share / share.mean())
