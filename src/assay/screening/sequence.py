"""The test in sequence: evidence that is gathered move by move, in the order of play.

Somebody who takes moves from elsewhere may do so in some games only, from some turn on, in one turn of ten.
A sum over all turns hides that; a bet on it does not. At each turn one bets on what comes: a move as good
as the engine's first, another of its first three, or none of these (`best`, `good`, `other`). The bettor's
fortune is the ratio of two likelihoods,

- honest: the agent of the player's strength, recalibrated (assay.screening.statistics); the strength is
  normal around the rating, and that of each game normal around the strength: both are integrated over;
- taken: in a share rho of the games, from some turn on, in a share h of turns a move is taken from elsewhere:
  the mean over all that rho, h, the turn and the quality of the moves may be.

Under the honest model the ratio is a martingale that begins at 1: it ever exceeds 1/alpha with probability
alpha at most (Ville 1939), whenever one looks, and its value after the last game is an e-value. Two things
let it hold where games vary more than by the model: the integrals over strength and form, and the power
kappa = 1/a < 1, a the dispersion of turns beyond form (assay.screening.norms). A martingale to the power
kappa < 1 falls on average, which leaves room for games that vary more; whether it is room enough is measured
on honest games (docs/evidence/screening.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.models.depth.agents import AgentsByElo
from assay.screening.statistics import COUNTED_NAMES, PROJECTED_NAMES, Curves, Turns

SHARES = (0.1, 0.25, 0.5, 0.95)
"""h: in which share of the turns moves may be taken."""

QUALITIES = ((0.97, 0.02, 0.01), (0.7, 0.25, 0.05))
"""Best, good and other among moves taken from the same engine, and from another or from its second choice."""

IN_GAMES = (0.3, 1.0)
"""rho: in which share of the games."""

FROM_THE_START = 0.5
LATER = 0.03
"""Moves are taken from the first turn on with the one probability, else begin at each turn with the other."""

POINTS = 9
"""Strengths in one game that are integrated over."""

_REACH = 3.0
_LEAST = 1e-4


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What each turn may bring, and what it brought."""

    elo: Floats
    """Strengths, as points of Elo above the rating."""
    probabilities: Floats
    """Of best, good and other at each strength: shape (turns, elo, 3)."""
    brought: Ints
    """0, 1 or 2 at each turn."""


def outcomes_of(
    turns: Turns,
    elo: Floats,
    agents: AgentsByElo,
    curves: Curves,
    deviation: float,
    played: Ints | None = None,
) -> Outcomes:
    """Compute what turns of players with these ratings may bring; `played` may be other moves."""
    apart = np.linspace(-_REACH, _REACH, POINTS) * deviation
    probabilities = np.empty((len(turns), POINTS, 3))
    for k, offset in enumerate(apart):
        expected = curves.bend(turns.project(agents, elo + offset), elo + offset).expected
        # Moves are listed best first: those as good as the first, and the first three, are both a beginning.
        best, three = (expected[:, COUNTED_NAMES.index(name)] for name in ("equal", "three"))
        three = np.maximum(best, three)
        probabilities[:, k] = np.column_stack((best, three - best, 1 - three))
    probabilities = np.maximum(probabilities, _LEAST)
    probabilities /= probabilities.sum(axis=2, keepdims=True)
    observed = turns.observed(played)
    best, three = (observed[:, PROJECTED_NAMES.index(name)] for name in ("equal", "three"))
    return Outcomes(apart, probabilities, np.where(best > 0, 0, np.where(three > 0, 1, 2)))


@dataclass(frozen=True, eq=False)
class Bets:
    """The fortune of the bettor on one player's games."""

    running: Floats
    """Logarithm of the fortune after each game, to the power kappa."""
    games: Floats
    """Logarithm of what a bet on each game by itself makes of 1."""


class Bettor:
    """Bets on games of players whose strength strays from the rating, and from game to game, by so much."""

    def __init__(self, elo: Floats, error: float, form: float, kappa: float) -> None:
        self.kappa = kappa
        # The strength is at one of three points around the rating, a game's at one of `elo` around that.
        points = np.array([-np.sqrt(3.0), 0.0, np.sqrt(3.0)]) * error
        self.before = np.array([1 / 6, 2 / 3, 1 / 6])
        near = np.exp(-0.5 * np.square((elo[None, :] - points[:, None]) / max(form, 1.0)))
        self.by_strength = near / near.sum(axis=1, keepdims=True)
        pairs = [(h, quality) for h in SHARES for quality in QUALITIES]
        self.share = np.array([h for h, _ in pairs])
        self.quality = np.array([quality for _, quality in pairs])

    def follow(self, outcomes: Outcomes, games: Sequence[Ints]) -> Bets:
        """Bet on the games of one player, rows of turns each, in the order of play."""
        honest = self.before.copy()
        taken = np.tile(self.before, (len(IN_GAMES), len(self.share), 1))
        rho = np.array(IN_GAMES)[:, None, None]
        running, alone = [], []
        for rows in games:
            honest_game, taken_game = self._likelihoods(outcomes, rows)
            honest_here, taken_here = self.by_strength @ honest_game, taken_game @ self.by_strength.T
            honest = honest * honest_here
            taken = taken * ((1 - rho) * honest_here + rho * taken_here)
            running.append(np.log(taken.sum() / taken[..., 0].size) - np.log(honest.sum()))
            alone.append(np.log((taken_here @ self.before).mean()) - np.log(honest_here @ self.before))
            # Only ratios count: all are divided by one number, however many games there are.
            honest, taken = honest / honest.sum(), taken / honest.sum()
        return Bets(self.kappa * np.array(running), self.kappa * np.array(alone))

    def _likelihoods(self, outcomes: Outcomes, rows: Ints) -> tuple[Floats, Floats]:
        """Compute the likelihoods of one game, honest (elo,) and with moves taken (hypotheses, elo).

        Both up to one factor, which keeps them near one however long a game is.
        """
        n_elo = len(outcomes.elo)
        honest = np.ones(n_elo)
        waiting, taking = np.ones((len(self.share), n_elo)), np.zeros((len(self.share), n_elo))
        for turn, row in enumerate(rows):
            which = outcomes.brought[row]
            p = outcomes.probabilities[row, :, which]
            other = (1 - self.share)[:, None] * p + (self.share * self.quality[:, which])[:, None]
            begins = FROM_THE_START if turn == 0 else LATER
            taking = (taking + begins * waiting) * other
            waiting = (1 - begins) * waiting * p
            honest = honest * p
            largest = honest.max()
            honest, waiting, taking = honest / largest, waiting / largest, taking / largest
        return honest, waiting + taking

    def beginning(self, outcomes: Outcomes, rows: Ints) -> Floats:
        """Give the probability that moves are taken from each turn of a game on, if they are in it."""
        strength = self.before @ self.by_strength
        p = outcomes.probabilities[rows, :, outcomes.brought[rows]]
        likely = np.zeros(len(rows))
        begins = np.full(len(rows), LATER)
        begins[0] = FROM_THE_START
        waits = np.cumprod(np.concatenate(([1.0], 1 - begins[:-1])))
        honest = np.concatenate((np.zeros((1, p.shape[1])), np.cumsum(np.log(p), axis=0)))
        for h, quality in zip(self.share, self.quality, strict=True):
            other = np.log((1 - h) * p + (h * quality[outcomes.brought[rows]])[:, None])
            after = np.cumsum(other[::-1], axis=0)[::-1]
            likely += np.exp(honest[:-1] + after - honest[-1]) @ strength
        likely *= begins * waits
        return np.asarray(likely / likely.sum())
