"""Searches cut where they said enough, read from their trace."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.schema import ANALYSES
from assay.engine.recipe import NAMED
from assay.rating.accuracy import Outcome
from research.evidence.thrift import cut, enough_depths, paired

RECIPE = dataclasses.replace(NAMED["thrifty"], enough=4, lines=2)


def analyses() -> pa.Table:
    """A position where one move is far ahead from depth 2 on, an open one, and a forced move."""
    far = [("e2e4", 300, "d2d4", 0, "a2a3", -5)] * 5
    even = [("e2e4", 9, "d2d4", 8, "a2a3", 7), ("d2d4", 9, "e2e4", 8, "c2c4", 7)] * 2 + [
        ("a2a3", 6, "c2c4", 5, "d2d4", 4)
    ]
    searches = [far, even, [("a1a2", 0)] * 3]
    rows = {name: [None] * 3 for name in ANALYSES.arrow.names}
    rows |= {
        "position_key": ["a", "b", "c"],
        "recipe_id": ["r"] * 3,
        "n_legal": [20, 20, 1],
        "depth": [5, 5, 3],
        "nodes": [900] * 3,
        "seconds": [0.1] * 3,
        "moves": [list(one[-1][::2]) for one in searches],
        "cp": [list(one[-1][1::2]) for one in searches],
        "mate": [[None] * (len(one[-1]) // 2) for one in searches],
        "trace_depth": [[d for d, lines in enumerate(one, 1) for _ in lines[::2]] for one in searches],
        "trace_move": [[move for lines in one for move in lines[::2]] for one in searches],
        "trace_value": [[value for lines in one for value in lines[1::2]] for one in searches],
    }
    return pa.table(rows, schema=ANALYSES.arrow)


def test_searches_end_where_the_rule_says() -> None:
    assert enough_depths(analyses(), RECIPE).tolist() == [2, 4, 1]
    assert enough_depths(analyses(), dataclasses.replace(RECIPE, enough=9)).tolist() == [5, 5, 1]


def test_what_is_cut_has_the_lines_and_the_trace_of_its_depth() -> None:
    found, _ = cut(analyses(), np.array([2, 4, 1]), 2)
    assert found["depth"].to_pylist() == [2, 4, 1]
    assert found["moves"].to_pylist() == [["e2e4", "d2d4"], ["d2d4", "e2e4"], ["a1a2"]]
    assert found["cp"].to_pylist() == [[300, 0], [9, 8], [0]]
    assert found["trace_depth"].to_pylist() == [[1, 1, 2, 2], [1, 1, 2, 2, 3, 3, 4, 4], [1]]
    assert found["trace_value"].to_pylist()[0] == [300, 0, 300, 0]


def test_other_moves_have_the_value_of_that_depth_or_else_the_last() -> None:
    _, known = cut(analyses(), np.array([2, 4, 1]), 2)
    second = [row for row in known.to_pylist() if row["position_key"] == "b"]
    assert {row["move"]: row["cp"] for row in second} == {"d2d4": 9, "e2e4": 8, "c2c4": 7, "a2a3": 6}
    assert len(second) == 4


def outcome(reference: float, elo: float) -> Outcome:
    return Outcome(
        method="combined",
        games=1,
        one_player=True,
        reference=reference,
        elo=elo,
        within_95=True,
        within_50=True,
        width=0.0,
    )


def test_differences_are_of_the_same_groups() -> None:
    first = [outcome(2000, 2100), outcome(1800, 1700)]
    second = [outcome(2000, 2040), outcome(1800, 1860)]
    assert paired(first, second) == (50.0, 40.0, 60.0)
    with pytest.raises(ValueError, match="not the same"):
        paired(first, second[::-1])
