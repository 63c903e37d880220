"""What honest games with one value per position are like: how far they stray, how often tests err.

One small JSON file for each source of values (assay.decisions.evaluation), learned from rated games of that
source by `python -m research source-norms SHARED`. A departure over n games of a rating R
becomes standard normal for honest players by its middle, scale, skewness and tails (assay.screening.shape).
Middle and scale change with R (by a curve), with the number of games and with turns per game: long games are
those of whoever holds on, and play above the rating. Skewness and tails change with R and the number of
games: nobody plays a single game far above 2700, but anyone may play one far below it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats
from assay.screening.curves import CENTRE, UNIT
from assay.screening.shape import Shape, fit_shape

READ = ("error", "elo")
"""The statistics that one value per position tells."""

USUAL_TURNS = 35.0
"""Of one player in one game."""

MOST_GAMES = 9.0
"""The largest groups that norms are learned from: more games are taken to be of their shape."""


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of groups before their moves: the number of games, turns of all, the rating."""

    games: Floats
    turns: Floats
    reference: Floats

    def only(self, chosen: Any) -> Known:
        """Some of them."""
        return Known(self.games[chosen], self.turns[chosen], self.reference[chosen])

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


@dataclass(frozen=True, eq=False, kw_only=True)
class SourceNorms:
    """Honest games of one source of values."""

    source: str
    shapes: Mapping[str, Shape]
    """By the names READ."""
    rates: tuple[Mapping[str, Any], ...] = ()
    """As those of assay.screening.norms."""
    situations: tuple[Mapping[str, Any], ...] = ()
    """Rates of honest players of whom more is known than the rating (research.calibration.source_norms)."""
    about: Mapping[str, Any] = field(default_factory=dict)

    def standard(self, departure: Floats, known: Known) -> Floats:
        """Departures as standard ones: shape (groups, READ)."""
        columns = [
            self.shapes[name].standard(column, known.wide, known.narrow)
            for name, column in zip(READ, departure.T, strict=True)
        ]
        return np.stack(columns, axis=1)

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        shapes = {
            name: {part: np.round(numbers, 5).tolist() for part, numbers in vars(shape).items()}
            for name, shape in self.shapes.items()
        }
        return {
            "source": self.source,
            "about": dict(self.about),
            "shapes": shapes,
            "rates": [dict(one) for one in self.rates],
            "situations": [dict(one) for one in self.situations],
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> SourceNorms:
        """From what `document` gives."""
        shapes = {
            name: Shape(**{part: np.array(numbers) for part, numbers in one.items()})
            for name, one in document["shapes"].items()
        }
        return cls(
            source=document["source"],
            about=document["about"],
            shapes=shapes,
            rates=tuple(document["rates"]),
            situations=tuple(document["situations"]),
        )


@cache
def find_source_norms(source: str) -> SourceNorms | None:
    """The norms of a source that come with the package; None if there are none."""
    place = files("assay") / "data" / "norms" / "sources" / f"{source}.json"
    return SourceNorms.of(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else None


def fit_source_norms(source: str, departure: Floats, known: Known) -> SourceNorms:
    """Norms from departures of honest groups of one game and of more: shape (groups, READ)."""
    shapes = {}
    for name, column in zip(READ, departure.T, strict=True):
        seen = np.isfinite(column)
        some = known.only(seen)
        # Groups of five games are a tenth of those of one, and should be told as well.
        shapes[name] = fit_shape(column[seen], some.wide, some.narrow, np.sqrt(some.games))
    return SourceNorms(source=source, shapes=shapes)
