"""Probability of each legal move of a position for an agent, and the move drawn from it.

The agent of `depth` (assay.models.depth.agents) chooses by what each depth of the search says, and gives the
legal moves that were not listed their part.

Agents are fitted with values clipped at ten pawns, mates included. So where a game is decided all moves look
alike to them, and an agent would neither mate nor resist. Four things are put right in the choosing, none of
which changes anything in a game that is open:

- beyond ten pawns the scale goes on, slowly, and a mate is worth more the nearer it is (`unfolded`);
- a mate in one is played;
- a move that ends the game as a draw, by the third repetition or the fiftieth move, is worth a draw: analyses
  are of positions alone and do not show it (`with_draws`);
- against a bare king differences count three times as much (`BARE_KING`), and how far off mate is with king
  and rook or king and queen is known (assay.agent.endings): that technique is learned, and an engine's
  values, 5.26 here and 5.32 there, hardly show it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.evaluation import MATE, MATE_BOUND
from assay.models.depth.agents import LIMIT, SCALE, DepthAgent, beneath, care, look_below, second_look, theory
from assay.models.depth.expected import move_probabilities

BARE_KING = 3.0
"""How many times as much differences count against a bare king."""

BEYOND = 100.0
"""A value e times ten pawns is so many centipawns beyond it."""

MATE_FROM = 350.0
PER_MOVE = 30.0
MOVES_AHEAD = 20
"""Mates are beyond every other value, by PER_MOVE for each move fewer than MOVES_AHEAD."""

Trace = Sequence[tuple[int, str, int]]


def unfolded(values: Floats) -> Floats:
    """Centipawns as they are up to ten pawns, and beyond on a slower scale; odd, and never falling."""
    size = np.abs(values)
    beyond = BEYOND * np.log(np.maximum(size, LIMIT) / LIMIT)
    near = np.clip(MOVES_AHEAD - (MATE - size), 0, MOVES_AHEAD)
    extra = np.where(size >= MATE_BOUND, MATE_FROM + PER_MOVE * near, beyond)
    return np.asarray(np.sign(values) * (np.minimum(size, LIMIT) + extra))


def with_draws(trace: Trace, drawn: Collection[str]) -> Trace:
    """Set the value of moves that end the game as a draw to 0 at every depth, listed or not."""
    changed: list[tuple[int, str, int]] = []
    for depth in dict.fromkeys(depth for depth, _, _ in trace):
        changed += [line for line in trace if line[0] == depth and line[1] not in drawn]
        changed += [(depth, move, 0) for move in sorted(drawn)]
    return changed


@dataclass(frozen=True)
class Seen:
    """What an agent sees of a position."""

    trace: Trace
    """The lines of every complete depth: (depth, move, value), mover's view."""
    legal: Sequence[str]
    drawn: frozenset[str] = frozenset()
    """Moves that end the game as a draw, by repetition or the fiftieth move."""
    bare_king: bool = False
    """Whether the opponent has nothing but the king."""
    opening: bool = False
    """Whether it is one of the first turns, where people know what was played before."""

    @property
    def unlisted(self) -> list[str]:
        """Legal moves that no depth lists: nothing tells them apart."""
        listed = {move for _, move, _ in self.trace} | self.drawn
        return [move for move in self.legal if move not in listed]

    @property
    def last_values(self) -> dict[str, int]:
        """Values at the deepest complete depth."""
        deepest = max(depth for depth, _, _ in self.trace)
        return {move: value for depth, move, value in self.trace if depth == deepest}


def _weigh(seen: Seen, agent: DepthAgent) -> Floats:
    """Weigh what each depth says, and look again; beyond ten pawns and against a bare king by technique."""
    unit = SCALE / BARE_KING if seen.bare_king else SCALE
    share = move_probabilities(seen.trace, seen.legal, [beneath(agent)], scale=unfolded, unit=unit)[0]
    lines = sorted(seen.last_values.items(), key=lambda line: -line[1])
    values = unfolded(np.array([value for _, value in lines], np.float64))
    loss = values[0] - values
    # A bare king is mated by technique, which is not let go because the game is decided.
    k = float(care(agent.c, 0.0 if seen.bare_king else values[0]))
    looked = second_look(loss, k) * (theory(loss) if seen.opening else 1.0)
    factor = dict(zip((move for move, _ in lines), looked.tolist(), strict=True))
    below = look_below(float(values[0]), float(loss[-1]), k, agent, seen.opening)
    share = share * np.array([factor.get(move, below) for move in seen.legal])
    return np.asarray(share / share.sum())


def probabilities_of(seen: Seen, agent: DepthAgent) -> Floats:
    """Give the probability of each legal move; mates in one are played at whichever depth they are listed."""
    mates = {move for _, move, value in seen.trace if value == MATE - 1}
    if mates:
        return np.array([float(move in mates) / len(mates) for move in seen.legal])
    return _weigh(replace(seen, trace=with_draws(seen.trace, seen.drawn)), agent)


def best_move(seen: Seen) -> str:
    """Return the first line, unless it ends a won game as a draw or a lost one need not be lost."""
    return max(with_draws(seen.trace, seen.drawn), key=lambda line: (line[0], line[2]))[1]


def draw(legal: Sequence[str], share: Floats, *place: int) -> str:
    """Draw the move that an agent plays at a place, of seed, game and ply: always the same."""
    drawn = np.random.default_rng(place).random() * share.sum()
    index = int(np.searchsorted(np.cumsum(share), drawn, side="right"))
    return legal[min(index, int(np.flatnonzero(share)[-1]))]
