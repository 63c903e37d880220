"""When a search has said enough: the rule by which `thrifty` spends its time, as functions of values.

A search deepens step by step. At the end of each depth the rule looks at the values of its lines and of those
before, and at nothing else: no clock, no count of nodes, not the move that was played. So the answer is the
same on every machine. Values are compared as expectations (decisions.measures), in which a pawn counts for
less where a game is decided. What each part saves and costs was measured (docs/analysis.md).
"""

from collections.abc import Sequence

from assay.decisions.measures import expectation
from assay.engine.trace import Line

FAR_AHEAD = 0.10
"""The best move is so far before the second: two plies less are enough."""

DECIDED = 0.15
"""The best move leaves one side no more than this expectation: likewise."""

AHEAD = 0.02
"""The best move is so far before the second: one ply less is enough."""

AGREEING = 3
"""So many depths in a row have the same best move: likewise."""

RULE = (
    f"two plies before: far ahead {FAR_AHEAD}, decided {DECIDED}; "
    f"one ply before: ahead {AHEAD}, {AGREEING} depths agreeing"
)
"""The rule in words: part of the id of a recipe that uses it, so that another rule is another recipe."""

LEAST = 4
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
