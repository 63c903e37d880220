"""Power: honest games in which some moves are taken from an engine, so that the truth is known.

A stated share of the moves of real honest games is replaced by the engine's choice; everything else is left
as it was. The same groups, untouched, give the thresholds: every test is asked at the same measured rate of
false positives, so what differs is power alone. Beside ours:

- `plain`: z on first-move agreement against the agent of the rating, turns taken as independent (Regan's
  first test; PGN-Spy compares the same share with a baseline);
- `index`: the index of chessking94/EngineDetection, (0.2 z_first + 0.35 z_loss + 0.45 z_quality) over the
  root of the sum of squared weights, each z against players of the rating, whatever the positions; its own
  quality of moves is closed to us, and the share of the expectation that was kept stands for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.answers.screening import ABOVE, SHARES
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.measures import expectation
from assay.screening.evidence import Evidence
from assay.screening.norms import ALL
from assay.screening.turns import Turns
from research.evidence.screening.trials import Trial

CRITICAL = 0.2
"""A position is critical where the second option has so much scaled error, in pawns, or more."""

LATE_TURN = 20

Replacement = Callable[[Turns, np.random.Generator], tuple[Mask, Ints]]
"""Which turns are replaced, and by the option of which index."""


def share(part: float, choice: int = 0) -> Replacement:
    """A share of all turns is the engine's first choice, or its second."""
    return lambda turns, rng: (rng.random(len(turns)) < part, np.full(len(turns), choice))


def critical(turns: Turns, _: np.random.Generator) -> tuple[Mask, Ints]:
    """Every turn at which the first choice is much better than the second."""
    second = turns.delta[turns.decisions.offsets[:-1] + np.minimum(turns.lines - 1, 1)]
    return second >= CRITICAL, np.zeros(len(turns), np.int64)


def late(part: float) -> Replacement:
    """A share of the turns after turn 20."""
    return lambda turns, rng: (
        (turns.decisions.numbers("ply") >= 2 * LATE_TURN) & (rng.random(len(turns)) < part),
        np.zeros(len(turns), np.int64),
    )


SCENARIOS: Mapping[str, Replacement] = {
    "5% of moves": share(0.05),
    "10% of moves": share(0.10),
    "25% of moves": share(0.25),
    "50% of moves": share(0.50),
    "all moves": share(1.0),
    "all critical moves": critical,
    "half of those after turn 20": late(0.5),
    "half, second choice": share(0.5, 1),
}


def replaced(turns: Turns, how: Replacement, seed: int = 0) -> Ints:
    """The played index of every turn after a replacement."""
    mask, choice = how(turns, np.random.default_rng(seed))
    own = turns.decisions.played_index
    return np.where(mask & (choice < turns.lines), choice, own)


def tests_of(z: Floats, evidence: Evidence, groups: Sequence[Ints], index: Floats) -> dict[str, Floats]:
    """Every test of some groups, more being more unusual: ours, what it is made of, and the other two.

    `z` are departures by ALL statistics and together; `index` that of `Population`.
    """
    first = np.array([evidence.apart[rows, 0].sum() for rows in groups])
    deviation = np.sqrt([evidence.variance[rows, 0].sum() for rows in groups])
    return {
        "ours": z[:, -1],
        **{name: z[:, ALL.index(name)] for name in SHARES[ABOVE]},
        "plain": first / deviation,
        "index": index,
    }


@dataclass(frozen=True, eq=False)
class Population:
    """Means over turns of three quantities by rating, with no regard to positions."""

    trial: Trial
    lines: Floats
    variance: Floats
    """Of one turn: that of the mean of an appearance times its turns."""

    @classmethod
    def of(cls, trial: Trial) -> Population:
        """As the honest appearances of a trial have them."""
        known = np.flatnonzero(trial.fold >= 0)
        sums, turns = _measured(trial, None)
        means = sums[known] / turns[known, None]
        elo = trial.appearances.elo[known]
        lines = np.polyfit(elo, means, 1, w=np.sqrt(turns[known]))
        off = means - lines[0] * elo[:, None] - lines[1]
        return cls(trial, lines, (np.square(off) * turns[known, None]).mean(axis=0))

    def index(self, groups: Sequence[Ints], played: Ints | None) -> Floats:
        """The weighted index of groups, as they are or with these moves."""
        sums, turns = _measured(self.trial, played)
        weights = np.array([0.2, 0.35, 0.45])
        found = []
        for rows in groups:
            n = turns[rows].sum()
            elo = float(self.trial.appearances.elo[rows].mean())
            z = (sums[rows].sum(axis=0) / n - self.lines[0] * elo - self.lines[1]) / np.sqrt(
                self.variance / n
            )
            found.append(weights @ z / np.sqrt(np.square(weights).sum()))
        return np.array(found)


def _measured(trial: Trial, played: Ints | None) -> tuple[Floats, Floats]:
    """First-move agreement, minus loss in pawns, and expectation kept: sums over turns by appearance."""
    own = trial.turns.decisions
    index = own.played_index if played is None else played
    best, value = own.values[own.offsets[:-1]], own.values[own.offsets[:-1] + index]
    lost = np.clip(best, -1000, 1000) - np.clip(value, -1000, 1000)
    kept = 1 - np.maximum(expectation(best) - expectation(value), 0.0)
    n = len(trial.appearances)
    columns = (index == 0, -np.clip(lost, 0, 500) / 100, kept)
    sums = np.stack([np.bincount(trial.place, np.asarray(one, np.float64), n) for one in columns], axis=1)
    return np.asarray(sums, np.float64), np.bincount(trial.place, minlength=n).astype(np.float64)
