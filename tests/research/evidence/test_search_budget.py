"""Analyses read at a smaller depth from their trace."""

import pyarrow as pa

from assay.decisions.schema import ANALYSES
from research.evidence.search_budget import at_depth


def analyses() -> pa.Table:
    """Two positions: one searched to depth 3 with two lines, one to depth 1, where a mate was found."""
    rows = {name: [None, None] for name in ANALYSES.arrow.names}
    rows |= {
        "position_key": ["a", "b"],
        "recipe_id": ["r", "r"],
        "depth": [3, 1],
        "nodes": [900, 10],
        "seconds": [0.1, 0.1],
        "moves": [["e2e4", "d2d4"], ["a1a8"]],
        "cp": [[30, 20], [None]],
        "mate": [[None, None], [1]],
        "trace_depth": [[1, 1, 2, 2, 3, 3], [1]],
        "trace_move": [["d2d4", "e2e4", "d2d4", "c2c4", "e2e4", "d2d4"], ["a1a8"]],
        "trace_value": [[50, 40, 35, 25, 30, 20], [31999]],
    }
    return pa.table(rows, schema=ANALYSES.arrow)


def test_the_lines_are_those_of_the_depth_asked_for() -> None:
    found = at_depth(analyses(), 2)
    assert found["moves"].to_pylist() == [["d2d4", "c2c4"], ["a1a8"]]
    assert found["cp"].to_pylist() == [[35, 25], [None]]
    assert found["mate"].to_pylist() == [[None, None], [1]]


def test_a_search_that_ended_before_keeps_what_it_had() -> None:
    assert at_depth(analyses(), 9)["moves"].to_pylist() == analyses()["moves"].to_pylist()
    assert at_depth(analyses(), 1)["moves"].to_pylist() == [["d2d4", "e2e4"], ["a1a8"]]
