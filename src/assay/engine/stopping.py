"""When to stop a search: two rules as functions of values, so that answers depend on nothing else.

The adaptive rule of Alliot 2017, section 2.3 (`may_stop`). Evaluations are in centipawns. Time is in the
paper's minutes, of which a search has four at most; with a smaller budget, or one counted in nodes, a minute
is a quarter of that budget.

The rule of the recipe `thrifty` (`is_enough`). At the end of each depth it looks at the values of its lines
and of those before: no clock, no count of nodes, not the move that was played. So the answer is the same on
every machine. Values are compared as expected scores, in which a pawn counts for less where a game is
decided. What each part saves and costs was measured (docs/evidence/recipes.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.decisions.measures import expectation
from assay.engine.trace import Line

BUDGET_MINUTES = 4.0
"""The paper's limit for one position; the budget of a recipe stands for this many minutes."""

_LEAST_MINUTES = 1.0
_MOST_MINUTES = 3.0


def decided_minutes(e0: float, e1: float, e2: float) -> float | None:
    """Condition 2: minutes after which a search may stop in a game that leans one way; None if it does not.

    The evaluations are those of three successive positions, each from its mover's view, so that an
    advantage that stays with one player has alternating signs.
    """
    if not (e0 * e1 < 0 and e1 * e2 < 0):
        return None
    return 4 * max(100, (1000 - min(abs(e0), abs(e1), abs(e2))) / 3) / 400


def stable_minutes(e0: float, e1: float, e2: float) -> float:
    """Condition 3: minutes after which a search may stop whose last three depths gave these evaluations.

    As printed, the signs of successive depths alternate: 53, -63, 57 are three evaluations that differ by
    at most 10.
    """
    return 4 * (10 + max(abs(e0 + e1), abs(e0 - e2), abs(e1 + e2))) / 40


def may_stop(minutes: float, depths: Sequence[float], neighbours: Sequence[float]) -> bool:
    """Whether the search stops now, the lines of one more depth being complete.

    `depths` are the evaluations of the complete depths so far, all from the mover's view as UCI gives them;
    `neighbours` those of the two positions that follow in the game, nearest first, each from its mover's
    view (the game is walked backwards, so they are known).
    """
    if minutes < _LEAST_MINUTES:
        return False
    if minutes >= _MOST_MINUTES:
        return True
    if len(depths) >= 1 and len(neighbours) >= 2:
        decided = decided_minutes(depths[-1], neighbours[0], neighbours[1])
        if decided is not None and minutes > decided:
            return True
    if len(depths) < 3:
        return False
    # UCI keeps one view at all depths; the printed formula alternates.
    return minutes > stable_minutes(depths[-3], -depths[-2], depths[-1])


FAR_AHEAD = 0.10
"""The best move is so far before the second: two plies less are enough."""

DECIDED = 0.15
"""The best move leaves one side no more than this expectation: likewise."""

AHEAD = 0.02
"""The best move is so far before the second: one ply less is enough."""

AGREEING = 3
"""So many depths in a row have the same best move: likewise."""

ENOUGH_RULE = (
    f"two plies before: far ahead {FAR_AHEAD}, decided {DECIDED}; "
    f"one ply before: ahead {AHEAD}, {AGREEING} depths agreeing"
)
"""The rule in words: part of the id of a recipe that uses it, so that another rule is another recipe."""

LEAST_ENOUGH = 4
"""A recipe may not call less than this depth enough: the rule looks at three."""


def is_enough(depths: Sequence[Sequence[Line]], n_legal: int, most: int) -> bool:
    """Whether a search may end whose complete depths these are, the last one just finished.

    `most` is the depth that is enough whatever the values are.
    """
    lines = depths[-1]
    depth = lines[0].depth
    if n_legal <= 1 or depth >= most:
        return True
    if depth < most - 2 or len(lines) < 2:
        return False
    best, second = expectation([lines[0].value, lines[1].value]).tolist()
    if best - second >= FAR_AHEAD or min(best, 1 - best) <= DECIDED:
        return True
    return depth == most - 1 and (best - second >= AHEAD or _agree(depths[-AGREEING:]))


def _agree(depths: Sequence[Sequence[Line]]) -> bool:
    """Whether these depths are successive, as many as it takes, and have the same best move."""
    in_a_row = depths[-1][0].depth - depths[0][0].depth == AGREEING - 1 == len(depths) - 1
    return in_a_row and len({lines[0].move for lines in depths}) == 1


def until_enough(
    depths: Sequence[tuple[Line, ...]], n_legal: int, most: int
) -> list[tuple[Line, ...]] | None:
    """The depths up to the first at which a search may end; None where it may not end at any of them."""
    for end in range(1, len(depths) + 1):
        if is_enough(depths[:end], n_legal, most):
            return list(depths[:end])
    return None
