"""Complexity from the trace (Alliot 2017, sections 3.1 and 4.1)."""

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.engine.trace import changes
from assay.errors import InputError
from assay.models.complexity import (
    INDICATORS,
    Trace,
    complexity,
    depth_against_budget,
    depth_against_cost,
    error_correlations,
    indicators,
    jumps,
    sullivan,
)
from assay.testing import make_decisions

Line = tuple[int, str, int]


def with_traces(*traces: list[Line], losses: list[int] | None = None) -> Decisions:
    """Decisions with these traces: depth, move, value."""
    lost = losses or [0] * len(traces)
    rows = [
        {
            "player": "AB"[index % 2],
            "ply": 30,
            "moves": ["m0", "m1"],
            "cp": [50, 50 - loss],
            "played": "m1",
            "depth": trace[-1][0] if trace else 1,
            "trace_depth": [line[0] for line in trace],
            "trace_move": [line[1] for line in trace],
            "trace_value": [line[2] for line in trace],
        }
        for index, (trace, loss) in enumerate(zip(traces, lost, strict=True))
    ]
    types = {"depth": pa.int16(), "trace_depth": pa.list_(pa.int16()), "trace_value": pa.list_(pa.int16())}
    table = pa.Table.from_pylist(rows)
    for name, kind in types.items():
        table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(kind))
    return Decisions.from_table(table)


STEADY: list[Line] = [(1, "a", 20), (1, "b", 10), (2, "a", 22), (2, "b", 8), (3, "a", 20), (3, "b", 9)]
SWITCH: list[Line] = [(1, "a", 30), (1, "b", 10), (2, "a", 25), (2, "b", 15), (3, "b", 80), (3, "a", 20)]
HIDDEN: list[Line] = [(1, "a", 30), (1, "c", 5), (2, "b", 90), (2, "a", 20), (3, "b", 95), (3, "c", 25)]
BACK: list[Line] = [(1, "a", 30), (2, "b", 40), (3, "a", 50), (4, "a", 45)]


def slow_sullivan(trace: list[Line]) -> float:
    """The steps of footnote 7, one after another."""
    depths = sorted({line[0] for line in trace})
    lines = {depth: [line for line in trace if line[0] == depth] for depth in depths}
    best = lines[depths[-1]][0]
    iteration = depths[-1]
    while iteration > depths[0] and lines[depths[depths.index(iteration) - 1]][0][1] == best[1]:
        iteration = depths[depths.index(iteration) - 1]
    if iteration == depths[0]:
        return 0.0
    earlier = lines[depths[depths.index(iteration) - 1]]
    known = [line[2] for line in earlier if line[1] == best[1]]
    new = known[0] if known else earlier[-1][2]
    return (best[2] - new) * iteration / 10


def test_jumps_of_known_traces() -> None:
    stability, value, depth = jumps(Trace.of(with_traces(STEADY, SWITCH, HIDDEN, BACK)))
    assert stability == pytest.approx([2, 35, 5, 5])
    assert value == pytest.approx([2, 65, 5, 5])
    assert depth == pytest.approx([1, 2, 2, 3])


def test_jumps_are_the_changes_of_the_analysis() -> None:
    """Two functions, one definition (section 2.4), whichever move leads at a depth."""
    generator = np.random.default_rng(3)
    traces: list[list[Line]] = []
    for _ in range(60):
        depths = np.flatnonzero(generator.random(12) < 0.7) + 1  # with gaps
        moves = generator.choice(["a", "b", "c"], (len(depths), 2), p=[0.6, 0.3, 0.1])
        values = generator.integers(-99, 99, (len(depths), 2))
        lines = [
            (int(depth), str(move), int(value))
            for depth, pair, worth in zip(depths, moves, values, strict=True)
            for move, value in dict(zip(pair, worth, strict=True)).items()
        ]
        traces.append(lines)
    found = np.column_stack(jumps(Trace.of(with_traces(*traces))))
    for trace, row in zip(traces, found, strict=True):
        depths, moves, values = zip(*trace, strict=True) if trace else ((), (), ())
        last = max(depths, default=0)
        best = next((move for depth, move in zip(depths, moves, strict=True) if depth == last), "")
        known = changes(depths, moves, values, best)
        assert np.isnan(row).all() if known is None else row.tolist() == pytest.approx(list(known))


def test_sullivans_measure_of_known_traces() -> None:
    traces = [STEADY, SWITCH, HIDDEN, BACK]
    answer = sullivan(Trace.of(with_traces(*traces)))
    assert answer == pytest.approx([0, (80 - 15) * 0.3, (95 - 5) * 0.2, (45 - 40) * 0.3])
    assert answer == pytest.approx([slow_sullivan(trace) for trace in traces])


def test_sullivans_measure_of_random_traces() -> None:
    generator = np.random.default_rng(0)
    traces = [
        [
            (depth, move, int(value))
            for depth in range(1, 1 + int(generator.integers(1, 8)))
            for move, value in zip(
                generator.permutation(list("abc"))[:2], -np.sort(-generator.integers(-99, 99, 2)), strict=True
            )
        ]
        for _ in range(60)
    ]
    answer = sullivan(Trace.of(with_traces(*traces)))
    assert answer == pytest.approx([slow_sullivan(trace) for trace in traces])


def test_a_search_of_one_depth_tells_nothing() -> None:
    measured = indicators(with_traces([(1, "a", 20)], STEADY))
    assert np.isnan(measured["stability"][0])
    assert measured["sullivan"].tolist() == [0, 0]
    assert tuple(measured) == INDICATORS


def test_shallow_searches_are_harder_positions() -> None:
    depth = [25] * 3 + [26] * 4 + [27] * 2 + [20]
    answer = depth_against_budget(depth)
    assert answer[0] == pytest.approx((0.4 - 0.3) / 0.4)
    assert answer[3] == 0
    assert answer[7] == pytest.approx((0.2 - 0.4) / 0.4)
    assert answer[-1] == pytest.approx((0.4 - 0.1) / 0.4)


def test_table_4_has_every_player_and_all() -> None:
    traces = [STEADY, SWITCH, HIDDEN, BACK] * 10
    losses = [0, 60, 90, 10] * 10
    rows = error_correlations(with_traces(*traces, losses=losses))
    assert [row["player"] for row in rows] == ["A", "B", "All"]
    assert [row["moves"] for row in rows] == [20, 20, 40]
    jump = np.array([2, 65, 5, 5] * 10)
    assert rows[-1]["jump_value"] == pytest.approx(np.corrcoef(jump, losses)[0, 1])


def test_decisions_without_a_trace_are_a_clear_error() -> None:
    with pytest.raises(InputError, match="trace"):
        error_correlations(make_decisions(games=4, plies=60))


def costed(costs: list[list[int]], whole: list[int]) -> tuple[Trace, np.ndarray, np.ndarray, np.ndarray]:
    """Searches whose depths 1, 2, ... were complete at these costs, and what they cost in all."""
    depths: list[list[Line]] = [[(depth, "a", 10) for depth in range(1, len(one) + 1)] for one in costs]
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in costs])))
    return Trace.of(with_traces(*depths)), offsets, np.concatenate(costs), np.array(whole, dtype=np.float64)


def test_depths_are_compared_for_the_same_budget() -> None:
    """Searches of 400 and of 800 nodes, each as deep as is usual for its own budget, but for one."""
    fast, slow = [100, 200, 350, 700], [100, 300, 790]
    trace, offsets, costs, whole = costed([fast] * 5 + [slow] + [fast[:3]] * 4, [800] * 6 + [400] * 4)
    # Within 800 nodes five of six reach depth 4, one depth 3; within 400 nine of ten reach 3.
    found = depth_against_cost(trace, offsets, costs, whole)
    np.testing.assert_allclose(found, [0] * 5 + [(5 / 6 - 1 / 6) / (5 / 6)] + [0] * 4)
    # As if of one budget, searches of 400 nodes would pass for hard positions.
    assert depth_against_budget([4] * 6 + [3] * 4)[-1] > 0


def test_a_cost_for_every_depth_is_needed() -> None:
    trace, _, costs, whole = costed([[1, 2], [1]], [3, 3])
    with pytest.raises(InputError, match="analyse them anew"):
        depth_against_cost(trace, np.array([0, 1, 2]), costs[:2], whole)


def test_changes_of_the_best_move_add_what_they_are_worth() -> None:
    lines = [
        # Depth 1: a before b; 2: b before a by 40; 3: b still; 4: a before b by 15.
        [
            (1, "a", 50),
            (1, "b", 20),
            (2, "b", 60),
            (2, "a", 20),
            (3, "b", 55),
            (3, "a", 0),
            (4, "a", 30),
            (4, "b", 15),
        ],
        [(1, "a", 50), (2, "a", 20)],
        [],
    ]
    table = make_decisions(games=1, plies=3).table()
    for place, (name, kind) in enumerate(
        (("trace_depth", pa.int16()), ("trace_move", pa.string()), ("trace_value", pa.int16()))
    ):
        column = pa.array([[line[place] for line in row] for row in lines], pa.list_(kind))
        table = table.append_column(name, column)
    found = complexity(Decisions.from_table(table))
    assert found[:2] == pytest.approx([0.4 + 0.15, 0.0])
    assert np.isnan(found[2])
