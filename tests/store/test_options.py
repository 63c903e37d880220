"""Options of many rows at once, against plain lists."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.workspace.assemble import Lists

OPTIONS = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.integers(-99, 99)), max_size=4), min_size=1, max_size=6
)
Plain = list[list[tuple[int, int]]]


def made(rows: Plain) -> Lists:
    flat = [option for row in rows for option in row]
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    codes = np.array([code for code, _ in flat], np.int16)
    return Lists(offsets, codes, np.array([value for _, value in flat], np.int32))


def plain(lists: Lists) -> Plain:
    ends = zip(lists.offsets[:-1], lists.offsets[1:], strict=True)
    options = list(zip(lists.codes.tolist(), lists.values.tolist(), strict=True))
    return [options[start:end] for start, end in ends]


@given(OPTIONS, st.data())
def test_some_rows_in_any_order(rows: Plain, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(-1, len(rows) - 1), max_size=8))
    found = made(rows).take(np.array(wanted, np.int64))
    assert plain(found) == [rows[row] if row >= 0 else [] for row in wanted]
    assert found.lengths.tolist() == [len(row) for row in plain(found)]


@given(OPTIONS, st.data())
def test_one_more_at_the_end(rows: Plain, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True).map(sorted))
    more = [(10 + row, row) for row in chosen]
    found = made(rows).insert_last(
        np.array(chosen, np.int64),
        np.array([code for code, _ in more], np.int16),
        np.array([value for _, value in more], np.int32),
    )
    assert plain(found) == [row + [(10 + k, k)] * (k in chosen) for k, row in enumerate(rows)]


@given(OPTIONS, st.data())
def test_the_first_that_is_wanted(rows: Plain, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    codes = [[code for code, _ in row] for row in rows]
    expected = [row.index(one) if one in row else -1 for row, one in zip(codes, wanted, strict=True)]
    assert made(rows).find(np.array(wanted, np.int16)).tolist() == expected


def test_the_value_of_the_first_option() -> None:
    first = made([[(1, 30), (2, 10)], [], [(3, -5)]]).first()
    assert first[[0, 2]].tolist() == [30.0, -5.0]
    assert math.isnan(first[1])
