"""What honest games are like: how far statistics stray, and how often tests err.

Learned on milepost games by `python -m research screening WORKSPACE`, kept as one small JSON file
for each recipe. The sum S of a statistic over the games of a player, observed less expected, has the
variance

    Var S = a sum V_g + f^2 sum D_g^2 + r^2 (sum D_g)^2

V_g is the variance that game g would have with independent turns, D_g how much more is expected there for a
point of Elo; a is the dispersion of turns, f the deviation of form from game to game and r that of the rating
from the strength, both in Elo. The first two add up over games, the last does not average out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from scipy.optimize import nnls

from assay.decisions.arrays import Floats
from assay.rating.calibration import REFERENCE
from assay.rating.priors import RATING_ERROR
from assay.screening.curves import CENTRE, UNIT, Curves
from assay.screening.evidence import Evidence
from assay.screening.turns import STATISTICS

ELO = "elo"
ALL = (*STATISTICS, ELO)
"""The statistics that a player is tested by."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Norms:
    """Honest games of one recipe."""

    recipe_id: str
    curves: Curves
    dispersion: Floats
    """a of each of STATISTICS."""
    form: Floats
    """f of each, in Elo."""
    elo_mean: Floats
    """Mean of the departure `elo` before it is recalibrated: at 2100, and its change for 400 points."""
    elo_deviation: float
    scale: Floats
    """By what the departures by ALL statistics are divided: the logarithm of it at 2100, near zero, and its
    change for 400 points. Shape (ALL, 2)."""
    excess: Floats
    """Excess kurtosis of the departures of one game by ALL statistics, never negative: that of n games is so
    much over n."""
    rates: tuple[Mapping[str, Any], ...] = ()
    """Shares of honest groups beyond thresholds: games, band, threshold, nominal, share, groups."""
    sequence: Mapping[str, Any] = field(default_factory=dict)
    """The same of the test in sequence."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """How many games and players these numbers rest on, and what made them."""

    def variance(self, evidence: Evidence, *, error: float = RATING_ERROR, alone: bool = True) -> Floats:
        """Variance of the sums of some appearances; of one player, or, not `alone`, one of each of many."""
        squares = np.square(evidence.slope).sum(axis=0)
        common = np.square(evidence.slope.sum(axis=0)) if alone else squares
        turns = self.dispersion * evidence.variance.sum(axis=0)
        return np.asarray(turns + np.square(self.form) * squares + error**2 * common)

    def scales(self, elo: Floats) -> Floats:
        """What departures at these Elos are divided by: shape (elos, ALL)."""
        x = (np.asarray(elo)[:, None] - CENTRE) / UNIT
        return np.asarray(np.exp(self.scale[:, 0] + self.scale[:, 1] * x))

    # Files ---------------------------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "recipe_id": self.recipe_id,
            "about": dict(self.about),
            "curves": _plain(self.curves.numbers),
            "dispersion": _plain(self.dispersion),
            "form": _plain(self.form),
            "elo_mean": _plain(self.elo_mean),
            "elo_deviation": round(self.elo_deviation, 5),
            "scale": _plain(self.scale),
            "excess": _plain(self.excess),
            "rates": [dict(one) for one in self.rates],
            "sequence": dict(self.sequence),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Norms:
        """From what `document` gives."""
        arrays = ("dispersion", "form", "elo_mean", "scale", "excess")
        return cls(
            recipe_id=document["recipe_id"],
            curves=Curves(np.array(document["curves"])),
            elo_deviation=document["elo_deviation"],
            rates=tuple(document["rates"]),
            sequence=document["sequence"],
            about=document["about"],
            **{name: np.array(document[name]) for name in arrays},
        )


@cache
def find_norms(recipe_id: str) -> Norms | None:
    """The norms of a recipe that come with the package; None if there are none."""
    place = files("assay") / "data" / "norms" / f"{recipe_id}.json"
    return Norms.of(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else None


@cache
def any_norms() -> Norms:
    """The norms that come with the package, of whichever recipe: for one that has none of its own."""
    found = find_norms(REFERENCE)
    assert found is not None
    return found


def fit_components(evidence: Evidence, error: float = RATING_ERROR) -> tuple[Floats, Floats]:
    """A and f of every statistic, from appearances of honest players of known rating.

    S^2 / V is regressed on 1 and D^2 / V, neither negative, after what the error of ratings takes of it.
    """
    a, f = np.ones(len(STATISTICS)), np.zeros(len(STATISTICS))
    for k in range(len(STATISTICS)):
        variance = evidence.variance[:, k]
        by_elo = np.square(evidence.slope[:, k]) / variance
        target = np.square(evidence.apart[:, k]) / variance - error**2 * by_elo
        found, _ = nnls(np.column_stack((np.ones(len(variance)), by_elo)), target)
        a[k], f[k] = found[0], np.sqrt(found[1])
    return a, f


def _plain(numbers: Floats) -> list[Any]:
    return list(np.round(numbers, 5).tolist())
