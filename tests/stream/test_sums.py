"""Sparse sums: any order and any split gives the same, against plain dictionaries."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from assay.models.registry import make_model
from assay.stream import sums as module
from assay.stream.sums import (
    COUNTS,
    PARTS,
    Layout,
    Part,
    Sums,
    add_parts,
    counts_of,
    read_sums,
    stacks_of,
    write_sums,
)

LAYOUT = Layout.of({name: make_model(name) for name in ("conformance", "covariance")})


def part(seed: int, n_names: int = 12) -> Part:
    rng = np.random.default_rng(seed)
    names = [f"name {one}" for one in rng.permutation(30)[:n_names]]
    rows = np.unique(rng.integers(0, PARTS * n_names, 25))
    dense = rng.integers(0, 3, (len(rows), LAYOUT.width)) * rng.integers(0, 2, (len(rows), LAYOUT.width))
    return Part(LAYOUT, names, rows, sparse.csr_array(dense.astype(np.float32)))


def plain(parts: list[Part]) -> dict[tuple[str, int], np.ndarray]:
    found: dict[tuple[str, int], np.ndarray] = {}
    for one in parts:
        for row, values in zip(one.rows, one.matrix.toarray(), strict=True):
            key = one.names[row // PARTS], int(row % PARTS)
            found[key] = found.get(key, 0) + values
    return found


def held(sums: Sums) -> dict[tuple[str, int], np.ndarray]:
    return {
        (name, place): matrix.toarray()[PARTS * index + place]
        for names, matrix in sums.shards()
        for index, name in enumerate(names)
        for place in range(PARTS)
    }


def same(sums: Sums, expected: dict[tuple[str, int], np.ndarray]) -> None:
    found = held(sums)
    assert {name for name, _ in found} >= {name for name, _ in expected}
    for key, values in found.items():
        np.testing.assert_array_equal(values, expected.get(key, np.zeros(LAYOUT.width)))


@pytest.mark.parametrize("pending", [0, 10, 10_000])
def test_sums_are_those_of_all_parts(monkeypatch: pytest.MonkeyPatch, pending: int) -> None:
    monkeypatch.setattr(module, "_MOST_WAITING", pending)
    parts = [part(seed) for seed in range(6)]
    sums = Sums(LAYOUT)
    for one in parts:
        sums.add(one)
    same(sums, plain(parts))
    for one in parts:  # after they were read
        sums.add(one)
    same(sums, plain(parts + parts))


def test_sums_of_sums() -> None:
    parts = [part(seed) for seed in range(6)]
    halves = [Sums(LAYOUT), Sums(LAYOUT)]
    for place, one in enumerate(parts):
        halves[place % 2].add(one)
    whole: dict[str, Sums] = {}
    for half in halves:
        add_parts(whole, {"source": half.as_part()})
    same(whole["source"], plain(parts))


def test_places_take_four_bytes() -> None:
    """Half of the room that sums take would be places of eight bytes, which scipy falls back on."""
    wide = part(1)
    wide.matrix.indices = wide.matrix.indices.astype(np.int64)
    wide.matrix.indptr = wide.matrix.indptr.astype(np.int64)
    sums = Sums(LAYOUT)
    sums.add(wide)
    same(sums, plain([part(1)]))
    for matrix in (*(matrix for _, matrix in sums.shards()), sums.as_part().matrix):
        assert (matrix.indices.dtype, matrix.indptr.dtype) == (np.int32, np.int32)


def test_sums_come_back_from_a_file(tmp_path: Path) -> None:
    sums = Sums(LAYOUT)
    sums.add(part(1))
    write_sums(tmp_path / "kept.npz", {"a": sums, "b": Sums(LAYOUT)}, {"finished": [1, 2]})
    found, about = read_sums(tmp_path / "kept.npz")
    assert about == {"finished": [1, 2]}
    assert list(found) == ["a", "b"]
    assert len(found["b"]) == 0
    same(found["a"], plain([part(1)]))


def test_counts_and_profiles_have_their_columns() -> None:
    matrix = sparse.csr_array(np.arange(2 * LAYOUT.width, dtype=np.float32).reshape(2, -1))
    assert [one[0] for one in counts_of(matrix).values()] == list(range(len(COUNTS)))
    stacks = stacks_of(matrix, LAYOUT, "x")
    first = stacks["conformance"]
    assert (first.decisions[0], first.games[0]) == (len(COUNTS), len(COUNTS) + 1)
    assert first.evidence[0][0] == len(COUNTS) + 2
    assert stacks["covariance"].evidence[1][-1] == 2 * LAYOUT.width - 1


def test_sums_of_other_methods_are_refused() -> None:
    other = Layout.of({"markov": make_model("markov")})
    empty = sparse.csr_array((0, other.width), dtype=np.float32)
    with pytest.raises(ValueError, match="different meaning"):
        Sums(LAYOUT).add(Part(other, [], np.zeros(0, np.int64), empty))
