import numpy as np
import pyarrow as pa
import pytest

from assay.engine.replay import hash_keys, replay
from assay.workspace.assemble import CompactAnalyses, StoredAnalyses


@pytest.fixture
def positions():
    return replay(pa.array([["e2e4", "e7e5", "g1f3"], ["d2d4"]]))


@pytest.fixture
def stored(positions) -> pa.Table:
    """Analyses of some of the positions, and of one that is not wanted."""
    every = positions.keys.to_pylist()
    keys = [every[0], every[2], every[5], "8/8/8/8/8/8/8/K1k5 w - -"]
    n = len(keys)
    return pa.table(
        {
            "position_key": keys,
            "n_legal": pa.array(range(20, 20 + n), pa.int16()),
            "depth": pa.array(range(n), pa.int16()),
            "moves": [["e2e4", "d2d4"], ["g1f3"], ["a2a3"], ["a1a2", "a1b1"]],
            "cp": [[30, 20], [None], [-5], [0, 0]],
            "mate": pa.array([[None, None], [3], [None], [None, None]], pa.list_(pa.int16())),
        }
    )


def test_numbers_by_hash_say_the_same_as_columns_by_key(positions, stored):
    whole = StoredAnalyses(stored)
    pieces = (stored.slice(row, 1) for row in reversed(range(stored.num_rows)))
    compact = CompactAnalyses.of(pieces, np.unique(positions.hashes))
    assert len(compact.hashes) == 3  # what is not wanted is not kept
    rows, others = whole.find(positions), compact.find(positions)
    assert (rows < 0).tolist() == (others < 0).tolist()
    one, other = whole.options.take(rows), compact.options.take(others)
    assert one.offsets.tolist() == other.offsets.tolist()
    assert one.codes.tolist() == other.codes.tolist()
    assert one.values.tolist() == other.values.tolist()
    for name in ("n_legal", "depth"):
        known = rows >= 0
        assert (
            whole.column(name).take(pa.array(rows[known])).to_pylist()
            == compact.column(name).take(pa.array(others[known])).to_pylist()
        )


def test_nothing_known_is_found_nowhere(positions, stored):
    empty = CompactAnalyses.of([stored.slice(0, 0)], np.unique(positions.hashes))
    assert (empty.find(positions) == -1).all()
    assert len(CompactAnalyses.of([stored], hash_keys(pa.array([], pa.string()))).hashes) == 0
