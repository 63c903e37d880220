"""Evaluations as plain integers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions import evaluation


@given(st.lists(st.one_of(st.integers(-30_000, 30_000), st.sampled_from([31_999, -31_998, -32_000, 31_500]))))
def test_values_survive_the_two_columns(values: list[int]) -> None:
    cp, mate = evaluation.decode(values)
    assert all((a is None) != (b is None) for a, b in zip(cp.to_pylist(), mate.to_pylist(), strict=True))
    assert evaluation.encode(cp, mate).to_pylist() == values


def test_mates_are_ordered_beyond_centipawns() -> None:
    ordered = [
        *map(evaluation.from_mate, (0, -1, -9)),
        -30_000,
        0,
        30_000,
        *map(evaluation.from_mate, (9, 2, 1)),
    ]
    assert ordered == sorted(ordered)
    assert evaluation.from_mate(3) == -evaluation.from_mate(-3)
    assert evaluation.from_cp(99_999) < evaluation.from_mate(50)
    assert evaluation.clip(np.array([31_999, -120, -31_990]), 3900).tolist() == [3900, -120, -3900]
