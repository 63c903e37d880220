"""What players know beyond the fitted model: how to win what is won, and to hold out when it is lost.

Agents are fitted with values clipped at ten pawns, mates included. So where a game is decided all moves look
alike to them, and an agent would neither mate nor resist. Four things are put right in the choosing, none of
which changes anything in a game that is open:

- beyond ten pawns the scale goes on, slowly, and a mate is worth more the nearer it is (`unfolded`);
- a mate in one is played (`mates_in_one`);
- a move that ends the game as a draw, by the third repetition or the fiftieth move, is worth a draw: analyses
  are of positions alone and do not know it (`with_draws`);
- against a bare king differences count three times as much (`BARE_KING`), and how far off mate is with king
  and rook or king and queen is known (assay.agent.endings): that technique is learned, and an engine's
  values, 5.26 here and 5.32 there, hardly show it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.evaluation import MATE, MATE_BOUND
from assay.models.depth.agents import LIMIT

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


def mates_in_one(trace: Trace) -> list[str]:
    """Return the moves that give mate, at whichever depth the search lists them."""
    return sorted({move for _, move, value in trace if value == MATE - 1})


def with_draws(trace: Trace, drawn: Collection[str]) -> Trace:
    """Set the value of moves that end the game as a draw to 0 at every depth, listed or not."""
    if not drawn:
        return trace
    changed: list[tuple[int, str, int]] = []
    for depth in dict.fromkeys(depth for depth, _, _ in trace):
        changed += [line for line in trace if line[0] == depth and line[1] not in drawn]
        changed += [(depth, move, 0) for move in sorted(drawn)]
    return changed
