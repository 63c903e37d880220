"""Small moves on Arrow columns: what they hold stays the same, whatever they were cut from."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.arrays import coded, flat, list_offsets, make_lists, plain, single

LISTS = [[1, 2], [], [3], None, [4, 5, 6]]


@pytest.mark.parametrize("pieces", [1, 2])
def test_pieces_become_one(pieces: int) -> None:
    whole = pa.array(["a", "b", None, "a"])
    column = pa.chunked_array([whole] if pieces == 1 else [whole[:1], whole[1:]])
    assert single(column).equals(whole)
    assert single(whole) is whole


def test_dictionaries_come_and_go() -> None:
    texts = pa.chunked_array([["a", "b"], [None, "a"]])
    encoded = coded(texts)
    assert encoded.indices.to_pylist() == [0, 1, None, 0]
    assert encoded.dictionary.to_pylist() == ["a", "b"]
    assert coded(encoded) is encoded
    assert plain(encoded).equals(plain(texts))
    assert plain(pa.array([1, 2])).to_pylist() == [1, 2]


@pytest.mark.parametrize("start", [0, 1, 2])
def test_lists_taken_apart_and_put_together(start: int) -> None:
    """A slice keeps the offsets of the whole: they must begin at zero all the same."""
    column = pa.array(LISTS[:3] + LISTS[4:], pa.list_(pa.int64()))[start:]
    offsets, values = list_offsets(column), flat(column)
    assert offsets[0] == 0
    assert make_lists(offsets, values).to_pylist() == column.to_pylist()
    assert [values.to_pylist()[a:b] for a, b in pairwise(offsets)] == (column.to_pylist())


def test_no_lists() -> None:
    assert list_offsets(pa.array([], pa.list_(pa.int64()))).tolist() == [0]
    assert np.diff(list_offsets(pa.array([[]], pa.list_(pa.int64())))).tolist() == [0]
