"""Judgements over decisions: loss, gain, agreement, expectation."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.decisions import Decisions
from assay.decisions.measures import agreement, expectation, gain, loss


def table(**columns: list[object]) -> pa.Table:
    rows = len(columns["player"])
    whole = {"moves": [["a", "b"]] * rows, "cp": [[30, 10]] * rows, "played": ["a"] * rows, **columns}
    return pa.table(whole)


def test_loss_and_gain() -> None:
    decisions = Decisions.from_table(
        table(
            player=["Ann"] * 4, moves=[["a", "b"]] * 3 + [["a"]], cp=[[30, 10], [5000, 30], [None, 100], [7]],
            mate=[[None, None], [None, None], [2, None], [None]], played=["b", "b", "b", "a"],
            after=[-5, 0, 31_000, None], n_legal=[2, 2, 2, 20],
        )
    )  # fmt: skip
    assert loss(decisions).tolist()[:3] == [20, 4970, 31_898]
    assert np.isnan(loss(decisions)[3])  # one option of twenty: nothing to compare it with
    assert loss(decisions, limit=3900).tolist()[:3] == [20, 3870, 3800]
    assert gain(decisions).tolist()[:2] == [-35, -5000]
    assert gain(decisions, limit=3900).tolist()[1:3] == [-3900, 0]
    assert agreement(decisions).tolist()[:3] == [0, 0, 0]


@given(st.lists(st.integers(-32000, 32000), min_size=2, max_size=9))
def test_expectation_rises_and_is_fair(values: list[int]) -> None:
    found = expectation(np.sort(values))
    assert (np.diff(found) >= 0).all()
    assert expectation(-found[0]) == pytest.approx(1 - expectation(found[0]))
