"""The agent that weighs depths, slowly and in the open: to compare with."""

import math
from collections.abc import Mapping, Sequence

import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.models.depth.agents import DepthAgent
from assay.models.depth.likelihood import Positions

Lines = Mapping[int, Mapping[str, int]]
"""By depth, the lines with their values."""


def g(best: float, value: float, c: float) -> float:
    loss = max(min(best, 1000), -1000) - max(min(value, 1000), -1000)
    return (1 + max(loss, 0) / 30) ** -c


def below(best: float, last: float, c: float, depth: int, *, seen: bool) -> float:
    """The mean of g over moves below the last line: that another depth lists, or that none does."""
    bend = {1: 4.4, 2: 3.4, 3: 3.4, 4: 3.4}.get(depth, 4.2) if seen else 1.1
    top = max(min(best, 1000), -1000)
    near, far = math.log1p((top - max(min(last, 1000), -1000)) / 10), math.log1p((top + 1000) / 10)
    losses = [10 * math.expm1(near + (far - near) * ((k + 0.5) / 8) ** bend) for k in range(8)]
    return sum((1 + loss / 30) ** -c for loss in losses) / 8


def slow_probability(
    lines: Lines, move: str, final: float, legal: int, agent: DepthAgent, depths: int = 12
) -> float:
    """Of one move; its own value from the last depth on."""
    weights, deepest = agent.weights(depths), max(lines)
    above = under = 0.0
    seen = {name for known in lines.values() for name in known}
    for depth in range(1, depths + 1):
        shown = max(d for d in lines if d <= max(depth, min(lines)))
        known = lines[shown]
        best, last = max(known.values()), min(known.values())
        near, far = (below(best, last, agent.c, shown, seen=one) for one in (True, False))
        total = sum(g(best, value, agent.c) for value in known.values())
        total += (len(seen) - len(known)) * near + max(legal - len(seen), 0) * far
        if depth >= deepest:
            own = g(best, final, agent.c)
        else:
            own = g(best, known[move], agent.c) if move in known else (near if move in seen else far)
        above += weights[depth - 1] * own
        under += weights[depth - 1] * total
    return above / under


def as_trace(lines: Lines) -> list[tuple[int, str, int]]:
    return [(depth, move, value) for depth, known in lines.items() for move, value in known.items()]


def one_position(
    options: Sequence[tuple[str, int]], trace: Sequence[tuple[int, str, int]], legal: int
) -> Positions:
    moves, values = zip(*options, strict=True)
    depth, move, value = zip(*trace, strict=True)
    table = {
        "player": ["Ann"],
        "game_id": ["game"],
        "moves": [moves],
        "cp": pa.array([values], pa.list_(pa.int32())),
        "played": [moves[0]],
        "n_legal": pa.array([legal], pa.int16()),
        "trace_depth": pa.array([depth], pa.list_(pa.int16())),
        "trace_move": [move],
        "trace_value": pa.array([value], pa.list_(pa.int16())),
    }
    return Positions.of(Decisions.from_table(pa.table(table)))


POSITIONS: Sequence[tuple[list[tuple[str, int]], Lines, int]] = (
    (
        [("a", 40), ("b", 10), ("z", -300)],
        {1: {"b": 60, "a": 5}, 2: {"c": 35, "b": 30}, 4: {"a": 40, "b": 10}},
        20,
    ),
    ([("a", 31_990), ("b", -150)], {1: {"a": 900, "b": -100}, 2: {"a": 31_990, "b": -150}}, 2),
    ([("a", 5), ("b", 5)], {3: {"a": 0, "b": -2}, 14: {"a": 5, "b": 5}}, 30),
)
"""Options, lines by depth and number of legal moves: gaps between depths, a mate, a depth beyond the last."""
