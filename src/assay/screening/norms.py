"""Norms: how far statistics of honest games stray, and how often tests err, for each source of values.

One small JSON file for each recipe, and for each source of evaluations that come with games
(assay.decisions.evaluation), made by `python -m research`. There are two kinds.

Where positions have the engine's lines (`TurnNorms`), the sum S of a statistic over the games of a player,
observed less expected, has the variance

    Var S = a sum V_g + f^2 sum D_g^2 + r^2 (sum D_g)^2

V_g is the variance that game g would have with independent turns, D_g how much more is expected there for a
point of Elo; a is the dispersion of turns, f the deviation of form from game to game and r that of the rating
from the strength, both in Elo. The first two add up over games, the last does not average out.

Where positions have one value (`Shape`), a z over n games of a rating R becomes standard normal for honest
players by the sinh-arcsinh distribution of Jones and Pewsey (2009), Biometrika 96, 761-780: with

    z = sinh(exp(tail) arcsinh((d - middle) / exp(scale)) - skew)

standard normal, d has a middle, a scale, a skewness and tails of its own. A tail above zero makes them
lighter than normal ones, a skew above zero moves d to the right. Middle and scale change with R (by a curve),
with the number of games and with turns per game: long games are those of whoever holds on, and play above the
rating. Skewness and tails change with R and the number of games: nobody plays a single game far above 2700,
but anyone may play one far below it. Far out, where one in 1,000 is decided, few groups weigh little in a
fit: beyond FAR deviations either side is stretched once more by a factor of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats
from assay.rating.calibration import REFERENCE
from assay.rating.priors import RATING_ERROR
from assay.screening.statistics import (
    BY_METHOD,
    CENTRE,
    COUNTED_NAMES,
    NAMES,
    PROJECTED_NAMES,
    UNIT,
    Curves,
    Evidence,
)

USUAL_TURNS = 35.0
"""Of one player in one game."""

MOST_GAMES = 9.0
"""The largest groups that shapes are learned from: more games are taken to be of their shape."""

LEAST_P = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
LEAST_DUE = 10
"""A p is as small as one of these at least, of which so many honest games are due: fewer show nothing."""

FAR = 2.0
"""Standard deviations beyond which tails have a factor of their own."""

_FIRST = ("first", "equal", "three", "hard", "critical", "error", "elo")
"""The statistics of files that do not name them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TurnNorms:
    """How statistics stray that are counted turn by turn."""

    curves: Curves
    dispersion: Floats
    """a of each of COUNTED."""
    form: Floats
    """f of each, in Elo."""
    elo_mean: Floats
    """Mean of the z `elo` before it is standardised: at 2100, and its change for 400 points."""
    elo_deviation: float
    scale: Floats
    """By what z of STATISTICS are divided: the logarithm of it at 2100, near zero, and its change for 400
    points. Shape (STATISTICS, 2)."""
    excess: Floats
    """Excess kurtosis of the z of one game, never negative: that of n games is so much over n."""

    def variance(self, evidence: Evidence, *, error: float = RATING_ERROR, alone: bool = True) -> Floats:
        """Return the variance of sums over games of one player, or, not `alone`, one game each of many."""
        squares = np.square(evidence.slope).sum(axis=0)
        common = np.square(evidence.slope.sum(axis=0)) if alone else squares
        turns = self.dispersion * evidence.variance.sum(axis=0)
        return np.asarray(turns + np.square(self.form) * squares + error**2 * common)

    def scales(self, elo: Floats) -> Floats:
        """Return what z at these Elos are divided by: shape (elos, STATISTICS)."""
        x = (np.asarray(elo)[:, None] - CENTRE) / UNIT
        return np.asarray(np.exp(self.scale[:, 0] + self.scale[:, 1] * x))

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> TurnNorms:
        """Read what a file has of a recipe; NaN for statistics that it does not have."""
        present = document.get("statistics", _FIRST)

        def by_name(part: str, wanted: Sequence[str]) -> Floats:
            names = [name for name in present if name in wanted]
            rows = dict(zip(names, document[part], strict=True))
            missing = np.full(np.shape(document[part][0]), np.nan)
            return np.array([rows.get(name, missing) for name in wanted], np.float64)

        return cls(
            curves=Curves(by_name("curves", PROJECTED_NAMES)),
            dispersion=by_name("dispersion", COUNTED_NAMES),
            form=by_name("form", COUNTED_NAMES),
            elo_mean=np.array(document["elo_mean"]),
            elo_deviation=document["elo_deviation"],
            scale=by_name("scale", NAMES),
            excess=by_name("excess", NAMES),
        )


@dataclass(frozen=True, eq=False)
class Groups:
    """What is known of groups before their moves: the number of games, turns of all, the rating."""

    games: Floats
    turns: Floats
    reference: Floats

    def only(self, chosen: Any) -> Groups:
        """Select groups."""
        return Groups(self.games[chosen], self.turns[chosen], self.reference[chosen])

    @property
    def wide(self) -> Floats:
        """What middle and scale follow."""
        x = (self.reference - CENTRE) / UNIT
        length = np.log(self.turns / self.games / USUAL_TURNS)
        return np.column_stack((np.ones(len(x)), x, x * x, np.log(self.games), length))

    @property
    def narrow(self) -> Floats:
        """What skewness and tails follow."""
        x = (self.reference - CENTRE) / UNIT
        return np.column_stack((np.ones(len(x)), x, np.log(np.minimum(self.games, MOST_GAMES))))


@dataclass(frozen=True, eq=False)
class Shape:
    """The lines of the four parameters: one number for each column of what is known of a group."""

    middle: Floats
    scale: Floats
    """Logarithms."""
    skew: Floats
    tail: Floats
    above: Floats
    """Logarithms of the factor by which z beyond FAR are stretched."""
    below: Floats

    def standard(self, z: Floats, wide: Floats, narrow: Floats) -> Floats:
        """Return z as standard normal ones; middle and scale follow `wide`, skew and tail `narrow`."""
        y = (z - wide @ self.middle) * np.exp(-(wide @ self.scale))
        z = np.sinh(np.exp(narrow @ self.tail) * np.arcsinh(y) - narrow @ self.skew)
        factor = np.exp(np.where(z > 0, narrow @ self.above, narrow @ self.below))
        size = np.abs(z)
        return np.asarray(np.where(size > FAR, np.copysign(FAR + (size - FAR) * factor, z), z))


@dataclass(frozen=True, eq=False, kw_only=True)
class Norms:
    """Honest games of one source of values."""

    source: str
    """A recipe's id, or the name of a source of evaluations."""
    turns: TurnNorms | None = None
    """Of positions with the engine's lines."""
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """Of positions with one value, by statistic."""
    rates: tuple[Mapping[str, Any], ...] = ()
    """Shares of honest groups beyond thresholds: games, band, threshold, nominal, above, below, groups."""
    sequence: Mapping[str, Any] = field(default_factory=dict)
    """The same of the test in sequence."""
    situations: tuple[Mapping[str, Any], ...] = ()
    """Rates of honest players of whom more is known than the rating."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """How many games and players these numbers rest on, and what made them."""

    @property
    def least_p(self) -> float:
        """The smallest p that honest games can show: LEAST_DUE of them are due beyond it."""
        groups = max((rate["groups"] for rate in self.rates if rate["band"] == "all"), default=0)
        return next((p for p in LEAST_P if p * groups >= LEAST_DUE), LEAST_P[-1])

    def standard(self, z: Floats, groups: Groups) -> Floats:
        """Return z of games with one value per position as standard ones: shape (groups, BY_METHOD)."""
        columns = [
            self.shapes[statistic.name].standard(column, groups.wide, groups.narrow)
            for statistic, column in zip(BY_METHOD, z.T, strict=True)
        ]
        return np.stack(columns, axis=1)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Norms:
        """Read what a file has."""
        shapes = {
            name: Shape(**{part: np.array(numbers) for part, numbers in shape.items()})
            for name, shape in document.get("shapes", {}).items()
        }
        return cls(
            source=document.get("recipe_id") or document["source"],
            turns=TurnNorms.of(document) if "curves" in document else None,
            shapes=shapes,
            rates=tuple(document["rates"]),
            sequence=document.get("sequence", {}),
            situations=tuple(document.get("situations", ())),
            about=document["about"],
        )


@cache
def find_norms(source: str) -> Norms | None:
    """Find the norms of a recipe or source that come with the package; None if there are none."""
    folder = files("assay") / "data" / "norms"
    for place in (folder / f"{source}.json", folder / "sources" / f"{source}.json"):
        if place.is_file():
            return Norms.of(json.loads(place.read_text(encoding="utf-8")))
    return None


def any_norms() -> Norms:
    """Return the norms of the reference recipe: for a recipe that has none of its own."""
    norms = find_norms(REFERENCE)
    assert norms is not None
    return norms
