"""Counting intervals that hold the truth."""

import pytest

from research.evidence.coverage.tally import Tally, as_row


def test_a_tally_counts_and_says_how_sure_it_is() -> None:
    nan = float("nan")
    found = [(0.0, 1.0, 2.0), (0.0, 1.0, 2.0), (3.0, 4.0, 5.0), (nan, 1.0, nan)]
    tally = Tally.of(found, [1.5, 2.5, 4.0, 1.0])
    assert (tally.intervals, tally.inside) == (3, 2)
    assert tally.width == 2
    assert tally.bias == pytest.approx((-0.5 - 1.5 + 0) / 3)
    assert as_row(tally)["inside"] == 2
    # Clopper and Pearson: 95 of 100.
    low, high = Tally(100, 95, 0, 0).span
    assert (low, high) == pytest.approx((0.887, 0.984), abs=0.001)
    assert Tally(100, 100, 0, 0).span[1] == 1
    assert str(Tally(100, 95, 0, 0)) == "95% (89% to 98%)"
