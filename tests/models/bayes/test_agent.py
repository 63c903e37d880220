"""The agent E(c) against Eq. 1 and 2, written out."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decisions.decisions import Decisions
from assay.models.bayes.agent import exponents, log_likelihoods, option_probabilities
from assay.testing import make_decisions


def slow_probabilities(values: list[int], c: float, offset: float = 0.1) -> list[float]:
    """Eq. 1 and 2 as printed, values in pawns."""
    best = max(values)
    likelihoods = [((best - value) / 100 + offset) ** -c for value in values]
    return [one / sum(likelihoods) for one in likelihoods]


value_lists = st.lists(st.integers(-900, 900), min_size=1, max_size=12)


def one_decision(values: list[int]) -> Decisions:
    moves = [f"m{i}" for i in range(len(values))]
    row = {"player": "Ann", "moves": moves, "cp": values, "played": "m0"}
    return Decisions.from_table(pa.Table.from_pylist([row]))


@settings(deadline=None)
@given(value_lists, st.floats(0, 6))
def test_probabilities_are_those_of_the_paper(values: list[int], c: float) -> None:
    found = option_probabilities(one_decision(values), c)
    assert found == pytest.approx(slow_probabilities(values, c), rel=1e-9, abs=1e-300)


def test_c_of_zero_plays_at_random() -> None:
    assert option_probabilities(one_decision([50, 20, -300, -900]), 0.0) == pytest.approx([0.25] * 4)


@settings(deadline=None)
@given(value_lists, st.floats(0, 5))
def test_the_expected_value_rises_with_c(values: list[int], c: float) -> None:
    decision = one_decision(values)
    worse, better = (option_probabilities(decision, skill) @ decision.values for skill in (c, c + 0.5))
    assert better >= worse - 1e-9


def test_values_beyond_the_limit_are_alike() -> None:
    mates = one_decision([31_990, 31_980, 1500, 200])
    assert option_probabilities(mates, 1.0, limit=1000)[:3] == pytest.approx(
        [option_probabilities(mates, 1.0, limit=1000)[0]] * 3
    )


@settings(deadline=None)
@given(st.lists(st.tuples(value_lists, st.integers(0, 11), st.integers(0, 2)), min_size=1, max_size=30))
def test_log_likelihoods_are_sums_of_logarithms(rows: list[tuple[list[int], int, int]]) -> None:
    starts = np.cumsum([0, *(len(values) for values, _, _ in rows)])
    flat = [value for values, _, _ in rows for value in values]
    played = np.array([index % len(values) for values, index, _ in rows])
    group = np.array([number for _, _, number in rows])
    grid = np.linspace(0.3, 4.1, 39)
    found = log_likelihoods(exponents(flat, starts), starts, played, group, 3, grid)
    expected = np.zeros((3, len(grid)))
    for (values, _, number), index in zip(rows, played, strict=True):
        expected[number] += [math.log(slow_probabilities(values, c)[index]) for c in grid]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_many_decisions_neither_overflow_nor_lose_precision() -> None:
    decisions = make_decisions(games=60, plies=80, options=20)
    exponent = exponents(decisions.values, decisions.offsets)
    grid = np.linspace(0, 6, 13)
    group = np.zeros(len(decisions), np.int64)
    found = log_likelihoods(exponent, decisions.offsets, decisions.played_index, group, 1, grid)[0]
    each = exponent.reshape(-1, 20)
    chosen = each[np.arange(len(each)), decisions.played_index]
    for c, value in zip(grid, found, strict=True):
        assert value == pytest.approx((c * chosen - np.log(np.exp(c * each).sum(axis=1))).sum(), rel=1e-11)


def test_no_decisions_have_no_likelihood() -> None:
    none = np.zeros(0, np.int64)
    assert not log_likelihoods(np.zeros(0), np.zeros(1, np.int64), none, none, 2, np.arange(5.0)).any()


def test_the_published_row_of_the_random_agent_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row rests on the agent itself: another agent must not reproduce it."""
    from assay.reproduce import difatta2009

    row = difatta2009.rows()[0]
    assert "E(0)" in row.item
    assert row.ok
    monkeypatch.setattr(
        difatta2009,
        "option_probabilities",
        lambda decisions, skill, k: option_probabilities(decisions, 1.0, k),
    )
    assert not difatta2009.rows()[0].ok
