"""What the moves of each appearance say beside what its rating lets expect: sums over its turns.

The rating is not the strength: the agent's Elo is normal around it. Expectations are those of the spread
agent, by the three points of Gauss and Hermite, R and R -+ sqrt(3) times the deviation; how much they
change by Elo tells what a wrong rating, or a good day, does to a statistic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.models.depth.agents import AgentsByElo
from assay.rating.priors import RATING_ERROR
from assay.screening.curves import Curves, Expected
from assay.screening.turns import STATISTICS, Turns

_REACH = np.sqrt(3.0)
_WEIGHTS = (1 / 6, 2 / 3, 1 / 6)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Sums over the screened turns of some appearances: shape (appearances, STATISTICS)."""

    apart: Floats
    """Observed less expected; more is better play."""
    variance: Floats
    """Had turns been independent, and the agent right."""
    third: Floats
    """Third central moment, likewise."""
    slope: Floats
    """How much more is expected for a point of Elo."""
    observed: Floats
    """What was seen itself, `error` as pawns lost."""
    turns: Ints
    """How many turns each appearance has."""

    def only(self, rows: Ints) -> Evidence:
        """Those of some appearances."""
        return Evidence(
            apart=self.apart[rows],
            variance=self.variance[rows],
            third=self.third[rows],
            slope=self.slope[rows],
            observed=self.observed[rows],
            turns=self.turns[rows],
        )


@dataclass(frozen=True, eq=False)
class Expectations:
    """What is expected at some turns, whichever moves are played there."""

    turns: Turns
    place: Ints
    n: int
    """How many appearances there are."""
    middle: Expected
    spread: Floats
    """Means over the error of the rating."""
    slope: Floats

    def evidence(self, played: Ints | None = None) -> Evidence:
        """By appearance, of the moves that were played, or, for simulations, of others."""
        apart = self.middle.apart(self.turns.observed(played)) + self.middle.expected - self.spread
        return Evidence(
            _summed(apart, self.place, self.n),
            _summed(self.middle.variance, self.place, self.n),
            _summed(self.middle.third, self.place, self.n),
            _summed(self.slope, self.place, self.n),
            _summed(apart + self.spread, self.place, self.n),
            np.bincount(self.place, minlength=self.n),
        )


def expected_of(
    turns: Turns,
    place: Ints,
    elo: Floats,
    agents: AgentsByElo,
    curves: Curves,
    *,
    error: float = RATING_ERROR,
) -> Expectations:
    """`place` is the appearance of each turn, `elo` the reference rating of each appearance."""
    own = elo[place]
    middle = curves.bend(turns.project(agents, own), own)
    low, high = (
        curves.bend(turns.project(agents, own + side), own + side, middle.weight)
        for side in (-_REACH * error, _REACH * error)
    )
    ends = zip(_WEIGHTS, (low, middle, high), strict=True)
    spread = np.asarray(sum(share * one.expected for share, one in ends))
    slope = (high.expected - low.expected) / (2 * _REACH * error)
    return Expectations(turns, place, len(elo), middle, spread, slope)


def evidence_of(
    turns: Turns,
    place: Ints,
    elo: Floats,
    agents: AgentsByElo,
    curves: Curves,
    *,
    error: float = RATING_ERROR,
) -> Evidence:
    """Evidence by appearance of the moves that were played, as `expected_of` takes its arguments."""
    return expected_of(turns, place, elo, agents, curves, error=error).evidence()


def _summed(columns: Floats, place: Ints, n: int) -> Floats:
    return np.stack([np.bincount(place, columns[:, k], n) for k in range(len(STATISTICS))], axis=1)
