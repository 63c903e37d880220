"""What honest games with one value per position are like: how far they stray, how often tests err.

One small JSON file for each source of values (assay.domain.evaluators), learned from rated games of that
source by `python scripts/make_pages.py screening-sources SHARED`. A departure d from a rating R over n games
becomes standard normal for honest players in two steps:

    d' = (d - middle(R)) / exp(scale(R) + growth ln n), then Student's tails of n games are taken off

middle and scale are lines over Elo. Growth is above zero where departures of one player's games go together
more than the calibration allows for: a rating that is far from the strength is so in every game.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from assay.domain.arrays import Floats
from assay.screening.curves import CENTRE, UNIT, fit_scale
from assay.screening.departures import with_light_tails

READ = ("error", "elo")
"""The statistics that one value per position tells."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SourceNorms:
    """Honest games of one source of values; all arrays have one row for each of READ."""

    source: str
    middle: Floats
    """At 2100, and the change for 400 points."""
    scale: Floats
    """Logarithms, likewise."""
    growth: Floats
    excess: Floats
    """Excess kurtosis of single games, never negative: that of n games is so much over n."""
    rates: tuple[Mapping[str, Any], ...] = ()
    """As those of assay.screening.norms."""
    about: Mapping[str, Any] = field(default_factory=dict)

    def standard(self, departure: Floats, elo: Floats, games: Floats) -> Floats:
        """Departures as standard ones: shape (groups, READ)."""
        x = ((elo - CENTRE) / UNIT)[:, None]
        middle = self.middle[:, 0] + self.middle[:, 1] * x
        scale = self.scale[:, 0] + self.scale[:, 1] * x + self.growth * np.log(games)[:, None]
        return with_light_tails((departure - middle) / np.exp(scale), self.excess / games[:, None])

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        arrays = {name: np.round(getattr(self, name), 5).tolist() for name in _ARRAYS}
        rates = [dict(one) for one in self.rates]
        return {"source": self.source, "about": dict(self.about), **arrays, "rates": rates}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> SourceNorms:
        """From what `document` gives."""
        arrays = {name: np.array(document[name]) for name in _ARRAYS}
        return cls(
            source=document["source"], about=document["about"], rates=tuple(document["rates"]), **arrays
        )


_ARRAYS = ("middle", "scale", "growth", "excess")


@cache
def find_source_norms(source: str) -> SourceNorms | None:
    """The norms of a source that come with the package; None if there are none."""
    place = files("assay.screening") / "norms" / "sources" / f"{source}.json"
    return SourceNorms.of(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else None


def fit_source_norms(source: str, departure: Floats, elo: Floats, games: Floats) -> SourceNorms:
    """Norms from departures of honest groups of one game and of more: shape (groups, READ)."""
    single = games == 1
    x = (elo - CENTRE) / UNIT
    rows = []
    for column in departure.T:
        known = np.isfinite(column)
        one = known & single
        slope, middle = np.polyfit(x[one], column[one], 1)
        off = column - middle - slope * x
        scale = fit_scale(off[one], elo[one])
        left = off / np.exp(scale[0] + scale[1] * x)
        excess = max(float((left[one] ** 4).mean() / np.square(np.square(left[one]).mean()) - 3), 0.0)
        many = known & ~single
        growth = 0.0
        if many.any():
            # Groups of n games have the mean square n^(2 growth).
            length = np.log(games[many])
            growth = max(float(np.log(np.square(left[many]).mean()) / (2 * length.mean())), 0.0)
        rows.append(((middle, slope), scale, growth, excess))
    middles, scales, growths, excesses = zip(*rows, strict=True)
    return SourceNorms(
        source=source,
        middle=np.array(middles),
        scale=np.array(scales),
        growth=np.array(growths),
        excess=np.array(excesses),
    )
