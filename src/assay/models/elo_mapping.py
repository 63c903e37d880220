"""From a method's own numbers to the Elo scale, through mileposts: players of known Elo.

A scalar strength is mapped by a monotone fit; a pairwise method plays virtual matches against the milepost
profiles, and the rating is where the expectation crosses one half. A mapping is made for one recipe and one
method with its settings, and is refused for others: evaluations of one engine are not those of another.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Rating
from assay.decisions.arrays import Floats
from assay.decisions.profile import Profile, ProfileStack
from assay.errors import InputError, MappingError

if TYPE_CHECKING:
    from assay.models.base import MoveModel


Z95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class EloMapping(ABC):
    """How one method's answers become ratings, for one recipe."""

    model: str
    """Identity of the method with its settings."""
    recipe_id: str

    def check(self, model: str, recipe_id: str) -> None:
        """Refuse another method, other settings, or another recipe."""
        if model != self.model:
            raise MappingError(f"this Elo mapping is for {self.model}, not for {model}: make one with it")
        if recipe_id != self.recipe_id:
            raise MappingError(
                f"this Elo mapping was made with recipe {self.recipe_id}, not {recipe_id or 'none'}: "
                "analyse with that recipe, or make a mapping from mileposts of this one "
                "(a file without the column recipe_id has a recipe of its own)"
            )

    @abstractmethod
    def rate(self, model: MoveModel, profile: Profile) -> Rating:
        """Rating of a profile, with its interval."""

    @abstractmethod
    def elos(self, model: MoveModel, profiles: Sequence[Profile]) -> Floats:
        """Elo of many profiles at once, without intervals."""

    def weighted_elos(self, model: MoveModel, stack: ProfileStack, weights: Floats) -> Floats:
        """Elo of weighted sums of profiles, one for each row of weights: none of them may be empty."""
        return self.elos(model, stack.weighted(weights))


def no_mapping(method: str) -> str:
    """What to do where a rating is asked for and there is no mapping."""
    return (
        f"{method} has no Elo mapping for this engine and recipe: analyse with one that has a calibration "
        "(standard with Stockfish 15.1), or make one from mileposts, games of rated players (assay calibrate)"
    )


def _check_mileposts(recipe_id: str, mileposts: Sequence[tuple[float, Profile]]) -> None:
    others = sorted({profile.recipe_id or "none" for _, profile in mileposts} - {recipe_id})
    if others:
        raise InputError(
            f"the mileposts were analysed with recipe {', '.join(others)}, "
            f"the games with {recipe_id}: use one recipe for both"
        )


def monotone_knots(
    strengths: Floats, elos: Floats, weights: Floats, *, smooth: bool = False
) -> tuple[Floats, Floats]:
    """Knots of a strictly increasing curve of Elo by strength: mileposts out of order are pooled.

    `smooth` puts all strengths on their quadratic first, if that rises along all of the mileposts.
    """
    from scipy.optimize import isotonic_regression

    if len(elos) < 2 or not (np.isfinite(strengths).all() and np.isfinite(elos).all()):
        raise InputError("an Elo mapping needs at least two mileposts with known strength")
    order = np.argsort(elos, kind="stable")
    strength, elo, weight = strengths[order], elos[order], weights[order]
    if smooth:
        on_curve = on_quadratic(elo, weight) @ strength
        strength = on_curve if (np.diff(on_curve) > 0).all() else strength
    fitted = isotonic_regression(strength, weights=weight)
    knots_strength = fitted.x[fitted.blocks[:-1]]
    knots_elo = np.array([np.average(elo[a:b], weights=weight[a:b]) for a, b in pairwise(fitted.blocks)])
    if len(knots_elo) < 2:
        raise InputError("strength does not rise with Elo in these mileposts: no mapping can be made")
    return knots_strength, knots_elo


def interpolate(knots_strength: Floats, knots_elo: Floats, strength: npt.ArrayLike) -> Floats:
    """Elo of a strength: a monotone cubic between the knots, on with the slope of all beyond them.

    The slope of the last two knots would not do: where they are close together it points anywhere.
    """
    x = np.asarray(strength, dtype=np.float64)
    if len(knots_elo) == 2:  # the same, without an import that takes longer than most answers
        inside = np.interp(x, knots_strength, knots_elo)
    else:
        from scipy.interpolate import PchipInterpolator

        within = np.clip(x, knots_strength[0], knots_strength[-1])
        inside = PchipInterpolator(knots_strength, knots_elo)(within)
    slope = (knots_elo[-1] - knots_elo[0]) / (knots_strength[-1] - knots_strength[0])
    below, above = np.minimum(x - knots_strength[0], 0), np.maximum(x - knots_strength[-1], 0)
    return np.asarray(inside + slope * (below + above), dtype=np.float64)


def left_out_error(strengths: Floats, elos: Floats, weights: Floats, *, smooth: bool = False) -> float:
    """Root mean square error in Elo with which a curve through the other mileposts finds each of them.

    Distances from the curve itself would say nothing: it goes through every milepost that is in order.
    With fewer than four mileposts there is no telling, and they are taken as they are.
    """
    errors = interpolate(*monotone_knots(strengths, elos, weights), strengths) - elos
    if len(elos) >= 4:
        for left_out in range(len(elos)):
            others = np.arange(len(elos)) != left_out
            knots = monotone_knots(strengths[others], elos[others], weights[others], smooth=smooth)
            errors[left_out] = float(interpolate(*knots, strengths[left_out])) - elos[left_out]
    return float(np.sqrt(np.mean(np.square(errors))))


@dataclass(frozen=True, eq=False)
class ScalarMapping(EloMapping):
    """Elo by a scalar strength, with the mapping's own error."""

    quantity: str
    """Which quantity of the estimate is the strength."""
    knots_strength: Floats
    knots_elo: Floats
    error: float
    """How far mileposts lie from the curve through the others, root mean square, in Elo."""

    @classmethod
    def fit(
        cls,
        model: MoveModel,
        recipe_id: str,
        mileposts: Sequence[tuple[float, Profile]],
        *,
        smooth: bool = False,
    ) -> ScalarMapping:
        """Mapping of the method's strength from mileposts: pairs of Elo and profile.

        Mileposts out of order are pooled by their numbers of decisions; `smooth` puts all on a curve first.
        """
        _check_mileposts(recipe_id, mileposts)
        profiles = [profile for _, profile in mileposts]
        strengths, elos = model.strengths(profiles), np.array([elo for elo, _ in mileposts])
        weights = np.array([profile.decisions for profile in profiles])
        knots = monotone_knots(strengths, elos, weights, smooth=smooth)
        error = left_out_error(strengths, elos, weights, smooth=smooth)
        return cls(model.identity, recipe_id, model.strength or "", *knots, error)

    def elo(self, strength: npt.ArrayLike) -> Floats:
        """Elo of a strength."""
        return interpolate(self.knots_strength, self.knots_elo, strength)

    def elos(self, model: MoveModel, profiles: Sequence[Profile]) -> Floats:
        """Elo of many profiles at once."""
        return self.elo(model.strengths(profiles))

    def rate(self, model: MoveModel, profile: Profile) -> Rating:
        """Rating with an interval from the estimate's deviation and the mapping's error."""
        self.check(model.identity, profile.recipe_id)
        return self.rate_estimate(model.name, model.estimate(profile))

    def rate_estimate(self, method: str, estimate: Estimate) -> Rating:
        """Rating from an estimate made already, such as one whose interval comes from resampled games."""
        strength = estimate[self.quantity]
        low, elo, high = self.elo([strength.low, strength.value, strength.high])
        margin = Z95 * self.error
        low, high = float(elo - math.hypot(elo - low, margin)), float(elo + math.hypot(high - elo, margin))
        games, decisions = estimate.games, estimate.decisions
        return Rating(method, float(elo), low=low, high=high, decisions=decisions, games=games)


@dataclass(frozen=True, eq=False)
class PairwiseMapping(EloMapping):
    """Elo by virtual matches against mileposts."""

    elos_of_mileposts: Floats
    profiles: tuple[Profile, ...]
    smooth: bool = False
    """Whether expectations against the mileposts are put on a curve before they cross one half."""

    @classmethod
    def fit(
        cls,
        model: MoveModel,
        recipe_id: str,
        mileposts: Sequence[tuple[float, Profile]],
        *,
        smooth: bool = False,
    ) -> PairwiseMapping:
        """Mapping from mileposts: pairs of Elo and profile."""
        _check_mileposts(recipe_id, mileposts)
        ordered = sorted(mileposts, key=lambda pair: pair[0])
        elos = np.array([elo for elo, _ in ordered])
        if len(elos) < 2:
            raise InputError("an Elo mapping needs at least two mileposts")
        return cls(model.identity, recipe_id, elos, tuple(profile for _, profile in ordered), smooth)

    def elo(self, expectations: npt.ArrayLike) -> Floats:
        """Where expectations against the mileposts (the last axis), which fall with Elo, cross one half."""
        against = np.atleast_2d(np.asarray(expectations, dtype=np.float64))
        if self.smooth:
            decisions = np.array([profile.decisions for profile in self.profiles], dtype=np.float64)
            against = against @ on_quadratic(self.elos_of_mileposts, decisions).T
        fallen = falling(against)
        # Straight lines between mileposts; beyond them, on with the slope of all.
        slope = np.minimum(np.polyfit(self.elos_of_mileposts, against.T, 1)[0], -1e-5)
        n, rows = against.shape[1], np.arange(len(against))
        above = n - 1 - (fallen >= 0.5)[:, ::-1].argmax(axis=1)
        below = (fallen <= 0.5).argmax(axis=1)
        high, low = fallen[rows, above], fallen[rows, below]
        flat = high == low
        share = np.where(flat, 0.5, (high - 0.5) / np.where(flat, 1.0, high - low))
        start, end = self.elos_of_mileposts[above], self.elos_of_mileposts[below]
        answer = start + share * (end - start)
        first, last = fallen[:, 0], fallen[:, -1]
        answer = np.where(first < 0.5, self.elos_of_mileposts[0] + (0.5 - first) / slope, answer)
        answer = np.where(last > 0.5, self.elos_of_mileposts[-1] + (0.5 - last) / slope, answer)
        return np.asarray(answer.reshape(np.shape(expectations)[:-1]))

    def elos(self, model: MoveModel, profiles: Sequence[Profile]) -> Floats:
        """Elo of many profiles at once."""
        if not model.learned:
            model.learn(self.profiles)
        return self.elo(model.expectations(profiles, self.profiles))

    def weighted_elos(self, model: MoveModel, stack: ProfileStack, weights: Floats) -> Floats:
        """Elo of weighted sums of profiles, one for each row of weights."""
        if not model.learned:
            model.learn(self.profiles)
        return self.elo(model.weighted_expectations(stack, weights, self.profiles))

    def rate(self, model: MoveModel, profile: Profile) -> Rating:
        """Rating without an interval of its own: resample games for one."""
        self.check(model.identity, profile.recipe_id)
        [elo] = self.elos(model, [profile]).tolist()
        return Rating(
            model.name, elo, low=math.nan, high=math.nan, decisions=profile.decisions, games=profile.games
        )


# Mileposts of few games on one smooth curve --------------------------------------------------------------
#
# A milepost of 90 appearances is known to some 45 points by the best method, and a curve through every
# milepost takes all of that into the ratings. Strength rises with Elo without corners, so a quadratic in Elo
# through all mileposts is known far better than each of them. On held-out games (560 games, halved twice)
# ratings of ten games err by 94 points instead of 99, of thirty by 74 instead of 82.

FEW_APPEARANCES = 300
"""Mileposts of more appearances than this, on average, are known to some 25 points each: no curve need fit
them."""

FEWEST_MILEPOSTS = 6
"""A quadratic through fewer would be hardly smoother than they are."""


def on_quadratic(elos: Floats, weights: Floats) -> Floats:
    """The matrix that takes values at mileposts to the quadratic in Elo that fits them best.

    Least squares, each milepost weighed by its decisions. Where mileposts are few, the matrix that leaves
    them as they are.
    """
    if len(elos) < FEWEST_MILEPOSTS:
        return np.eye(len(elos))
    root = np.sqrt(weights)
    place = (elos - elos.mean()) / elos.std()
    basis, _ = np.linalg.qr(np.vander(place, 3) * root[:, None])
    return np.asarray(basis @ basis.T * (root / root[:, None]))


def falling(rows: Floats) -> Floats:
    """Each row made to fall by least squares: neighbours that rise are pooled.

    scipy's isotonic_regression, negated, for thousands of short rows at once, by the min-max formula: the
    fit at i is the least over a <= i of the largest over b >= i of the means from a to b.
    """
    n = rows.shape[1]
    sums = np.concatenate((np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)), axis=1)
    first, last = np.arange(n)[:, None], np.arange(n)
    means = (sums[:, None, 1:] - sums[:, :-1, None]) / np.maximum(last - first + 1, 1)
    means[:, first > last] = -np.inf
    largest = np.maximum.accumulate(means[..., ::-1], axis=2)[..., ::-1]
    fitted = np.where(first <= last, largest, np.inf).min(axis=1)
    falls = (np.diff(rows, axis=1) <= 0).all(axis=1, keepdims=True)
    return np.asarray(np.where(falls, rows, fitted))  # without the rounding of sums where nothing is pooled
