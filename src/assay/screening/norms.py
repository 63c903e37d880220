"""Norms: how far statistics of honest games vary, and how often tests err, for each source of values.

One small JSON file for each recipe, and for each source of evaluations that come with games
(assay.decisions.evaluation), made by `python -m research`. There are two kinds.

Where positions have the engine's lines (`TurnNorms`), the sum S of a statistic over the games of a player,
observed less expected, has the variance

    Var S = a sum V_g + f^2 sum D_g^2 + r^2 (sum D_g)^2

V_g is the variance that game g would have with independent turns, D_g how much more is expected there for a
point of Elo; a is the dispersion of turns, f the deviation of form from game to game and r that of the rating
from the strength, both in Elo. The first two add up over games, the last does not average out. r is learned
where players have many games: `rating_error`.

Where positions have one value (`Shape`), the z of the rating by moves over n games of a player of rating R
becomes standard normal by the sinh-arcsinh distribution of Jones and Pewsey (2009), Biometrika 96, 761-780:
with

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
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from scipy.special import ndtr

from assay.answers.screening import LEVEL
from assay.decisions.arrays import Floats, Ints
from assay.decisions.evaluation import FIDE_CLASSICAL
from assay.rating.calibration import find_calibration
from assay.screening.statistics import CENTRE, UNIT, Curves

USUAL_TURNS = 35.0
"""Of one player in one game."""

MOST_GAMES = 9.0
"""The largest groups that shapes are learned from: more games are taken to be of their shape."""

LEAST_P = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
LEAST_DUE = 3
"""A p is shown as small as one of these at least, of which so many honest groups are due: where none of n
groups is beyond, the share beyond is below 3 / n with 95% confidence."""

TAIL = 0.05
"""The share of honest groups whose z are kept, those furthest from zero."""

FAR = 2.0
"""Standard deviations beyond which tails have a factor of their own."""

SHIFT = ((1, 0.2),)
"""Where it was not measured: standard deviation of the middle z of events, beyond chance."""

FAR_MIDDLE, FEWEST_PLAYERS = 2.576, 5
"""One honest event in 100 has a middle z so many standard deviations from zero; fields of fewer players have
none."""


def rating_error(elo: Floats) -> Floats:
    """Return how far the strength of players of these FIDE ratings is from them: standard deviations in Elo.

    Learned from the games of 8,000 players of evaluated FIDE games, of whom many have several.
    """
    calibration = find_calibration(FIDE_CLASSICAL)
    assert calibration is not None
    spread = calibration.spread
    return spread.form_at(elo, spread.channels.index(calibration.by_moves[0]))


@dataclass(frozen=True, eq=False, kw_only=True)
class TurnNorms:
    """How statistics vary that are counted turn by turn."""

    curves: Curves
    dispersion: Floats
    """a of each of STATISTICS."""
    form: Floats
    """f of each, in Elo."""
    scale: Floats
    """By what z are divided: the logarithm of it at 2100, near zero, and its change for 400 points. Shape
    (STATISTICS, 2)."""

    def scales(self, elo: Floats) -> Floats:
        """Return what z at these Elos are divided by: shape (elos, STATISTICS)."""
        x = (np.asarray(elo)[:, None] - CENTRE) / UNIT
        return np.asarray(np.exp(self.scale[:, 0] + self.scale[:, 1] * x))


@dataclass(frozen=True, eq=False)
class Groups:
    """What is known of groups before their moves: the number of games, turns of all, the rating."""

    games: Floats
    turns: Floats
    reference: Floats

    @classmethod
    def of(cls, size: Floats, groups: Sequence[Ints], reference: Floats) -> Groups:
        """Groups of appearances that have so many decisions each."""
        turns = np.array([size[rows].sum() for rows in groups])
        return cls(np.array([float(len(rows)) for rows in groups]), turns, reference)

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


@dataclass(frozen=True, eq=False)
class Tail:
    """How far from zero the z of honest held-out groups of so many games were."""

    games: int
    groups: int
    """How many there were, none with a game of another."""
    z: Floats
    """The largest, without their sign, in ascending order."""
    dealt: int = 1
    """How often the same games were put together anew: so many z belong to one group."""

    @classmethod
    def of(cls, games: int, z: Floats, dealt: int = 1) -> Tail:
        """Keep the z of groups, NaN apart, that are furthest from zero."""
        sizes = np.sort(np.abs(z[np.isfinite(z)]))
        return cls(games, len(sizes) // dealt, sizes[len(sizes) - math.ceil(TAIL * len(sizes)) :], dealt)

    def p(self, z: Floats) -> Floats:
        """Return conformal p: (1 + groups as far from zero as that) / (1 + groups).

        This is a valid p of whoever is like those groups, whatever the distribution of z (Vovk, Gammerman and
        Shafer 2005), and never below 1 / (1 + groups). Nearer to zero than the z that were kept, z is taken
        as standard normal.
        """
        beyond = len(self.z) - np.searchsorted(self.z, np.abs(z))
        rank = (1 + beyond / self.dealt) / (1 + self.groups)
        return np.asarray(np.where(beyond < len(self.z), rank, np.maximum(rank, 2 * ndtr(-np.abs(z)))))


@dataclass(frozen=True, eq=False, kw_only=True)
class Norms:
    """Honest games of one source of values."""

    source: str
    """A recipe's id, or the name of a source of evaluations."""
    turns: TurnNorms | None = None
    """Of positions with the engine's lines."""
    shape: Shape | None = None
    """Of positions with one value."""
    rates: tuple[Mapping[str, Any], ...] = ()
    """Shares of honest groups beyond thresholds: games, band, threshold, nominal, above, below, groups."""
    tails: tuple[Tail, ...] = ()
    """Of honest groups held out, by the number of games."""
    opens: Mapping[str, Any] = field(default_factory=dict)
    """Opens of honest players that were screened: how many, `players` and `games` of each, in how many
    somebody was `named`, and `naming`, the fewest games by which anybody is."""
    shift: Sequence[Sequence[float]] = SHIFT
    """Standard deviation of the middle z of honest events, beyond chance, by the number of games."""
    power: tuple[Mapping[str, Any], ...] = ()
    """z of groups of so many `games` in which a share (`moves`: half or all) is taken from an `engine`."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """How many games and players these numbers rest on, and what made them."""

    def tail(self, games: float) -> Tail | None:
        """The honest groups of so many games; of more than were measured, those of most."""
        return max((t for t in self.tails if t.games <= games), key=lambda t: t.games, default=None)

    def p(self, z: Floats, games: Floats) -> Floats:
        """Return how often honest players with so many games are as far from their rating, either way."""
        return np.array(
            [
                tail.p(one) if (tail := self.tail(n)) else max(2 * ndtr(-abs(one)), LEAST_P[-1])
                for one, n in zip(z, games, strict=True)
            ]
        )

    def least_p(self, games: float) -> float:
        """The smallest p that may be shown: LEAST_DUE of the honest groups are due beyond it."""
        groups = tail.groups if (tail := self.tail(games)) else 0
        return next((p for p in LEAST_P if p * groups >= LEAST_DUE), LEAST_P[-1])

    def share_named(self, z: Floats, games: int, players: int) -> float:
        """Return the share of groups with these z that is named as above the rating in a field of players."""
        p = self.p(z, np.full(len(z), float(games)))
        return float(((z > 0) & (p * players <= LEVEL)).mean()) if games >= self.naming else 0.0

    def power_in(self, games: int, players: int) -> dict[str, Any]:
        """Return which share is named in a field of players of those who take moves: half of them, or all."""
        power: dict[str, Any] = {}
        for sample in self.power:
            if sample["games"] == min(games, MOST_GAMES):
                share = self.share_named(np.array(sample["z"]), games, players)
                power |= {"games": games, "engine": sample["engine"], sample["moves"]: round(share, 3)}
        return power

    @property
    def naming(self) -> float:
        """The fewest games by which anybody is named; infinite where no honest events were measured."""
        return float(self.opens.get("naming", math.inf))

    def shifted(self, z: Floats, games: float) -> bool:
        """Whether the middle of a field is further from zero than in one of 100 honest events.

        `games` is how many most players have.
        """
        common = float(np.interp(games, *np.transpose(self.shift)))
        deviation = math.sqrt(common**2 + math.pi / 2 / max(len(z), 1))
        return len(z) >= FEWEST_PLAYERS and abs(float(np.median(z))) > FAR_MIDDLE * deviation

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Norms:
        """Read what a file has."""
        turns, shape = document.get("turns"), document.get("shape")
        arrays: dict[str, Any] = {
            name: np.array(numbers, np.float64) for name, numbers in (turns or shape or {}).items()
        }
        if turns:
            arrays["curves"] = Curves(arrays["curves"])
        return cls(
            source=document["source"],
            turns=TurnNorms(**arrays) if turns else None,
            shape=Shape(**arrays) if shape else None,
            rates=tuple(document["rates"]),
            tails=tuple(Tail(**{**tail, "z": np.array(tail["z"])}) for tail in document["tails"]),
            opens=document["opens"],
            shift=document["shift"],
            power=tuple(document["power"]),
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
