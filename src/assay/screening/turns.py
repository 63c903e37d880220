"""What each turn adds to every statistic: observed, and as an agent of some Elo would have it.

Regan and Haworth 2011, section 6: the agent's probabilities p_i of the options of a turn project first-move
agreement, p_0 with variance p_0 (1 - p_0), and scaled error, sum p_i delta_i with variance sum p_i delta_i^2
- (sum p_i delta_i)^2. All statistics here are of this kind, and turned so that more is better play.

| statistic | a turn counts |
|---|---|
| `first` | 1 where the engine's first move was played |
| `equal` | 1 where a move as good as the first was played |
| `three` | 1 where one of the engine's first three was played |
| `hard` | as `first`, the more the less the agent finds that move |
| `critical` | as `first`, the more the worse the second move is |
| `error` | minus the scaled loss, in pawns, 0 to about 1.6 |

The weight of `hard` is the logarithm of the ratio of likelihoods of somebody who takes the best move in one
turn of three, beside playing as the agent: ln(1 + h / ((1 - h) P)), h = 1/3, P the agent's probability of it.
That of `critical` is the root of the second line's scaled difference, at most 1: players of every rating find
most of these moves, so `hard` counts them little, and whoever takes moves only there is seen by what was at
stake.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.rules import (
    Rule,
    after_turn,
    choice_of_two,
    enough_lines,
    evaluated,
    not_repeated,
    rated,
    traced,
    within,
)
from assay.models.appearances import OPENING_TURNS
from assay.models.choice.spreads import Scaling, differences
from assay.models.depth.agents import AgentsByElo
from assay.models.depth.likelihood import Positions, probabilities

PROJECTED = ("first", "equal", "three", "error")
"""What the agent's probabilities project as they are."""

STATISTICS = ("first", "equal", "three", "hard", "critical", "error")

DECIDED = 300
"""Positions further from equal than so many centipawns do not count, as in Regan and Haworth 2011."""

TAKEN = 1 / 3
"""h of the weights of `hard`."""

UNLISTED = 0.1
"""A move outside the lines has so much more scaled error than the last line: in the milepost games 0.11
pawns on average over the moves that were played there, which are 5 in 100."""

FEW_MEN = 12
"""An endgame has so many men on the board or fewer, kings and pawns included."""

EARLY_TURNS = 14
"""Up to this turn much is still known from elsewhere."""

_SCALING = Scaling(tie=0.0, unlisted="left out")


def rules() -> tuple[Rule, ...]:
    """Which decisions are screened."""
    return (
        rated(),
        after_turn(OPENING_TURNS),
        evaluated(),
        choice_of_two(),
        enough_lines(),
        traced(),
        not_repeated(),
        within(DECIDED),
    )


@dataclass(frozen=True, eq=False)
class Turns:
    """Decisions that are screened, with the scaled difference of every option."""

    decisions: Decisions
    positions: Positions
    delta: Floats
    """Flat, as the options."""
    lines: Ints
    """How many options of each decision are lines of the engine's search; another was searched alone."""
    phase: Floats
    """1 or 0: whether a turn is in an endgame, and whether it is one of the first after the opening."""
    stake: Floats
    """Of each turn in `critical`: the root of the scaled difference of the second line, at most 1."""

    @classmethod
    def of(cls, decisions: Decisions) -> Turns:
        """The decisions that the rules keep must be given: `decisions.filter(*rules())`."""
        lines = np.clip(decisions.numbers("n_lines").astype(np.int64), 1, decisions.n_options)
        delta = differences(decisions.values, decisions.offsets, _SCALING)
        early = decisions.numbers("ply") < 2 * EARLY_TURNS
        phase = np.column_stack((endgame(decisions), early)).astype(np.float64)
        second = delta[decisions.offsets[:-1] + np.minimum(lines - 1, 1)]
        stake = np.sqrt(np.clip(second, 0.0, 1.0))
        return cls(decisions, Positions.of(decisions), delta, lines, phase, stake)

    def __len__(self) -> int:
        return len(self.decisions)

    def observed(self, played: Ints | None = None) -> Floats:
        """What was played, or what these options would be: shape (turns, PROJECTED)."""
        index = self.decisions.played_index if played is None else played
        lost = self.delta[self.decisions.offsets[:-1] + index]
        return np.column_stack((index == 0, lost <= 0, index < 3, -lost)).astype(np.float64)

    def option_probabilities(self, agents: AgentsByElo, elo: Floats) -> Floats:
        """Probability of every option, flat, for the agent of each turn's Elo."""
        known: dict[float, int] = {}
        place = [known.setdefault(one, len(known)) for one in elo.tolist()]
        made = agents.agents(list(known))
        return probabilities(self.positions, [made[one] for one in place]).options

    def project(self, agents: AgentsByElo, elo: Floats) -> Projected:
        """What the agent of each turn's Elo would show in these positions."""
        return self.projected(self.option_probabilities(agents, elo))

    def projected(self, p: Floats) -> Projected:
        """What somebody who chooses with these probabilities would show."""
        offsets = self.decisions.offsets
        starts, counts = offsets[:-1], np.diff(offsets)
        index = np.arange(len(p)) - np.repeat(starts, counts)
        p = np.where(index < np.repeat(self.lines, counts), p, 0.0)
        equal = np.add.reduceat(np.where(self.delta <= 0, p, 0.0), starts)
        three = np.add.reduceat(np.where(index < 3, p, 0.0), starts)
        # What is not listed is a little worse than the last line: the played move, where it was searched
        # alone, must not change what was to be expected before it was played.
        tail = np.clip(1.0 - np.add.reduceat(p, starts), 0.0, 1.0)
        beyond = self.delta[starts + self.lines - 1] + UNLISTED
        mean = np.add.reduceat(p * self.delta, starts) + tail * beyond
        square = np.add.reduceat(p * np.square(self.delta), starts) + tail * np.square(beyond)
        cube = np.add.reduceat(p * self.delta**3, starts) + tail * beyond**3
        expected = np.column_stack((p[starts], equal, three, -mean))
        # More is better play: the third moment is that of minus the error.
        third = 2 * mean**3 - 3 * mean * square + cube
        moments = np.maximum(square - np.square(mean), 0.0), -third
        return Projected(expected, *moments, self.phase, self.stake)


@dataclass(frozen=True, eq=False)
class Projected:
    """What an agent would show, turn by turn."""

    expected: Floats
    """Shape (turns, PROJECTED)."""
    error_variance: Floats
    """Of the scaled error; that of a share p is p (1 - p)."""
    error_third: Floats
    """Third central moment of minus the scaled error; that of a share is p (1 - p) (1 - 2 p)."""

    phase: Floats
    """As that of the turns."""
    stake: Floats
    """Likewise."""

    def take(self, turns: Ints) -> Projected:
        """Those of some turns."""
        moments = self.error_variance[turns], self.error_third[turns]
        return Projected(self.expected[turns], *moments, self.phase[turns], self.stake[turns])


def endgame(decisions: Decisions) -> Mask:
    """Which positions have few men; those that are not known as a position of chess have many."""
    keys = decisions.text("position_key")
    men = [sum(map(str.isalpha, (key or "").split(" ")[0])) if "/" in (key or "") else 99 for key in keys]
    return np.asarray([n <= FEW_MEN for n in men])
