import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.depths import in_batches, values_by_depth
from assay.errors import InputError

ROWS = {
    # Two depths of two lines: c is worth more than b at depth 1; z was played, and searched alone.
    "a searched": (["a", "b", "z"], [30, 10, -90], [(1, "c", 40), (1, "a", 5), (2, "a", 30), (2, "b", 10)]),
    # No depth 1, none of 3, and deeper than what is asked for.
    "b deep": (
        ["a", "b"],
        [7, 1],
        [(2, "b", 6), (2, "a", 5), (4, "a", 8), (4, "c", 4), (9, "a", 7), (9, "b", 1)],
    ),
    "c not searched": (["a", "b"], [3, 2], []),
}


def decisions() -> Decisions:
    columns: dict[str, list[object]] = {
        "player": ["Ann"] * len(ROWS),
        "game_id": list(ROWS),
        "moves": [row[0] for row in ROWS.values()],
        "cp": [row[1] for row in ROWS.values()],
        "played": [row[0][-1] for row in ROWS.values()],
    }
    for place, name in enumerate(("trace_depth", "trace_move", "trace_value")):
        columns[name] = [[line[place] for line in row[2]] for row in ROWS.values()]
    table = pa.table(columns)
    kinds = {"trace_depth": pa.list_(pa.int16()), "trace_move": pa.list_(pa.string())}
    for name, kind in {**kinds, "trace_value": pa.list_(pa.int16())}.items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return Decisions.from_table(table)


def test_an_option_outside_a_depths_lines_is_censored_at_the_last() -> None:
    found = values_by_depth(decisions(), 3)
    assert found.values[:3].tolist() == [[5, 30, 30], [5, 10, 10], [5, -90, -90]]
    assert found.censored[:3].tolist() == [[False] * 3, [True, False, False], [True, False, False]]
    assert found.best[0].tolist() == [40, 30, 30]
    assert found.last[0].tolist() == [5, 10, 10]
    assert found.lines[0].tolist() == [2, 2, 2]
    assert found.reached[0].tolist() == [True, True, False]
    assert found.depths == 3
    assert found.seen[:3].tolist() == [True, True, False]
    assert found.n_seen.tolist() == [3, 3, 0]


def test_depths_that_were_not_reported_are_as_the_one_before() -> None:
    found = values_by_depth(decisions(), 5)
    assert found.values[3:5].tolist() == [[5, 5, 5, 8, 8], [6, 6, 6, 4, 4]]
    assert found.censored[3:5].tolist() == [[False] * 5, [False, False, False, True, True]]
    assert found.reached[1].tolist() == [False, True, False, True, False]
    assert found.best[1].tolist() == [6, 6, 6, 8, 8]


def test_without_lines_the_values_stand_at_every_depth() -> None:
    found = values_by_depth(decisions(), 2)
    assert found.values[5:].tolist() == [[3, 3], [2, 2]]
    assert not found.censored[5:].any()
    assert not found.reached[2].any()
    assert (found.best[2].tolist(), found.last[2].tolist(), found.lines[2].tolist()) == (
        [3, 3],
        [2, 2],
        [2, 2],
    )


def test_batches_are_the_same() -> None:
    whole = values_by_depth(decisions(), 4)
    parts = list(in_batches(decisions(), 4, rows=2))
    assert np.concatenate([rows for rows, _, _ in parts]).tolist() == [0, 1, 2]
    for name in ("values", "censored", "best", "last", "lines", "seen", "n_seen", "reached"):
        pieces = [getattr(part, name) for _, _, part in parts]
        assert np.array_equal(np.concatenate(pieces), getattr(whole, name)), name


def test_rows_in_another_order() -> None:
    whole, turned = values_by_depth(decisions(), 4), values_by_depth(decisions().take(np.array([2, 0])), 4)
    assert np.array_equal(turned.values, whole.values[[5, 6, 0, 1, 2]])


def test_decisions_without_trace_say_so() -> None:
    bare = Decisions.from_table(
        pa.table({"player": ["Ann"], "moves": [["a", "b"]], "cp": [[1, 0]], "played": ["a"]})
    )
    with pytest.raises(InputError, match="no trace"):
        values_by_depth(bare)
