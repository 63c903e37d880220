"""From curves to the probability of every option."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

from assay.errors import InputError
from assay.models.choice.fit import ChoiceGrid
from assay.models.choice.probabilities import (
    CONVERSIONS,
    CURVES,
    LARGEST_INVERSE,
    curve_code,
    inverse_proxy,
    probabilities,
)
from assay.models.choice.spreads import Scaling, Spreads, antiderivative, differences, extended
from assay.models.choice.sums import (
    AGREEMENT,
    DIFFERENCE,
    LIKELIHOOD,
    PERCENTILES,
    Summaries,
    up_products,
    up_share,
)
from examples.choice_agents import agent_spreads
from examples.proxies import proxies

parameters = {"s": st.floats(0.02, 1.5), "c": st.floats(0.1, 1.6)}


def turn(delta: list[float]) -> Spreads:
    return Spreads(np.array(delta, dtype=float), np.array([0, len(delta)]), np.array([0]))


@settings(deadline=None)
@given(gaps=st.lists(st.floats(0, 2), min_size=1, max_size=60), **parameters)
def test_probabilities_are_powers_of_the_first_and_sum_to_one(gaps: list[float], s: float, c: float) -> None:
    delta = [0.0, *sorted(gaps)]
    p = probabilities(turn(delta), s, c)
    assert p.sum() == pytest.approx(1, abs=1e-9)
    w = np.minimum(1 / np.maximum(proxies("inverse-exponential", delta, s, c), 1e-300), LARGEST_INVERSE)
    # Solved slowly, in the paper's terms: p_0 is where sum p_0^(1/y_i) is one.
    log_first = brentq(lambda v: np.exp(-np.exp(v) * w).sum() - 1, -60, math.log(math.log(len(delta)) + 1))
    assert p[0] == pytest.approx(math.exp(-math.exp(log_first)), abs=1e-8)
    assert p == pytest.approx(np.exp(-math.exp(log_first) * w), abs=1e-8)


def test_plain_normalisation_is_the_share_of_the_proxy() -> None:
    delta = [0, 0.05, 0.1, 0.4]
    y = proxies("ipa", delta, 0.1, 0.5)
    assert probabilities(turn(delta), 0.1, 0.5, "ipa", "share") == pytest.approx(y / y.sum())


@pytest.mark.parametrize("curve", CURVES)
@settings(deadline=None)
@given(delta=st.floats(1e-4, 3), **parameters)
def test_the_inverse_is_one_over_the_papers_curve(curve: str, delta: float, s: float, c: float) -> None:
    inverse, _, _ = inverse_proxy(curve_code(curve), math.log(delta / s), c)
    written = float(proxies(curve, delta, s, c))
    assert inverse == pytest.approx(min(1 / max(written, 1e-300), LARGEST_INVERSE), rel=1e-9)


@pytest.mark.parametrize("curve", CURVES)
@settings(deadline=None)
@given(delta=st.floats(1e-3, 1), **parameters)
def test_derivatives_are_the_numerical_ones(curve: str, delta: float, s: float, c: float) -> None:
    code, ratio, step = curve_code(curve), math.log(delta / s), 1e-6
    inverse, by_s, by_c = inverse_proxy(code, ratio, c)
    if inverse > 1e9:
        return
    along_s = inverse_proxy(code, ratio - step, c)[0] - inverse_proxy(code, ratio + step, c)[0]
    grown, shrunk = c * math.exp(step), c * math.exp(-step)
    along_c = inverse_proxy(code, ratio, grown)[0] - inverse_proxy(code, ratio, shrunk)[0]
    assert by_s == pytest.approx(along_s / (2 * step), rel=1e-4, abs=1e-6)
    assert by_c == pytest.approx(along_c / (2 * step), rel=1e-4, abs=1e-6)


def turn_curves(delta: list[float]) -> Spreads:
    return Spreads(np.array(delta, dtype=float), np.array([0, len(delta)]), np.array([0]))


# Scaled differences of the options of a turn.


@settings(deadline=None)
@given(high=st.floats(-8, 8), drop=st.floats(0, 8))
def test_a_difference_is_the_integral_across_zero_too(high: float, drop: float) -> None:
    low = high - drop
    area, _ = quad(lambda x: 1 / (1 + abs(x)), low, high, points=[0] if low < 0 < high else None)
    assert float(antiderivative(high) - antiderivative(low)) == pytest.approx(area, abs=1e-9)


def test_later_ties_are_set_apart_and_everything_can_be_switched_off() -> None:
    offsets = np.array([0, 4])
    values = [0, 0, -1, -3000]
    assert differences(values, offsets) == pytest.approx([0, 0.03, math.log(1.01), math.log(5)])
    plain = Scaling(logarithmic=False, tie=0, cap=None)
    assert differences(values, offsets, plain) == pytest.approx([0, 0, 0.01, 30])
    with pytest.raises(InputError, match="tail"):
        Scaling(unlisted="ignored")
    with pytest.raises(InputError, match="cap"):
        Scaling(cap=0)


def slow_extended(spreads: Spreads, lines: list[int], legal: list[int]) -> list[tuple[list[float], int]]:
    """Differences and what was played, turn by turn: sorted as the docstring says."""
    turns = []
    for t, (n, every) in enumerate(zip(lines, legal, strict=True)):
        own = spreads.delta[spreads.offsets[t] : spreads.offsets[t + 1]].tolist()
        unlisted = max(every - len(own), 0) if n >= 3 else 0
        step = max(own[n - 1] - own[(n - 1) // 2], 0.0) / max(n - 1 - (n - 1) // 2, 1)
        behind = [(own[k], 0, k) for k in range(n, len(own))]
        behind += [(own[n - 1] + rank * step, 1, -1) for rank in range(1, unlisted + 1)]
        placed = [(own[k], 0, k) for k in range(n)] + (sorted(behind) if unlisted else behind)
        played = [k for _, _, k in placed].index(spreads.played[t])
        turns.append(([delta for delta, _, _ in placed], played))
    return turns


def test_options_searched_alone_take_their_place_among_the_guessed() -> None:
    generator = np.random.default_rng(4)
    lengths = generator.integers(1, 9, 300)
    lines = np.array([generator.integers(1, n + 1) for n in lengths])
    legal = lengths + generator.integers(0, 12, 300)
    legal[0], lines[0] = lengths[0] + 5, min(3, lengths[0])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    delta = np.round(generator.exponential(0.2, offsets[-1]), 2)  # in steps, so that some are equal
    played = np.array([generator.integers(0, n) for n in lengths])
    spreads = Spreads(delta, offsets, played)
    found = extended(spreads, lines, legal)
    for t, (own, place) in enumerate(slow_extended(spreads, lines.tolist(), legal.tolist())):
        if lines[t] >= 3 and legal[t] > lengths[t]:
            assert found.delta[found.offsets[t] : found.offsets[t + 1]].tolist() == own
            assert found.played[t] == place


# Sums over turns, and their gradients.


def slow_summary(spreads: Spreads, s: float, c: float, curve: str, conversion: str) -> list[float]:
    """Sums turn by turn in plain Python, as the paper words them."""
    p = probabilities(spreads, s, c, curve, conversion)
    up, first, lost, log_p = np.zeros(len(PERCENTILES)), 0.0, 0.0, 0.0
    for t in range(len(spreads)):
        a, b = spreads.offsets[t], spreads.offsets[t + 1]
        own, i = p[a:b], spreads.played[t]
        minus = sum(own[:i])
        plus = minus + own[i]
        for k, q in enumerate(PERCENTILES):
            if plus <= q:
                up[k] += 1
            elif minus < q:
                up[k] += abs(q - minus) / own[i]
        first += own[0]
        lost += sum(own * spreads.delta[a:b])
        log_p += math.log(own[i])
    return [*up, first, lost, log_p]


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_sums_and_gradients(curve: str, conversion: str) -> None:
    spreads = agent_spreads(300, 0.15, 0.5, seed=3)
    sums = Summaries(spreads, curve, conversion)
    point = np.log([0.2, 0.6])
    found = sums.at(*point)
    assert found[:, 0] == pytest.approx(slow_summary(spreads, 0.2, 0.6, curve, conversion), rel=1e-7)
    step = 1e-5
    for k, along in enumerate(np.eye(2)):
        there, back = sums.at(*(point + step * along))[:, 0], sums.at(*(point - step * along))[:, 0]
        # A turn whose interval ends on a percentile has a kink there; none of 300 moves a sum by more.
        assert found[:, k + 1] == pytest.approx((there - back) / (2 * step), rel=2e-3, abs=0.2)
    assert found[[AGREEMENT, DIFFERENCE, LIKELIHOOD], 1:].all()


def test_the_true_agent_is_up_at_q_in_a_share_q_of_turns() -> None:
    spreads = agent_spreads(20_000, 0.12, 0.5, seed=5)
    summary = Summaries(spreads).at(math.log(0.12), math.log(0.5))[:, 0] / len(spreads)
    assert np.abs(summary[: len(PERCENTILES)] - PERCENTILES).max() < 4 * 0.5 / math.sqrt(len(spreads))
    assert summary[AGREEMENT] == pytest.approx(np.mean(spreads.played == 0), abs=0.015)
    assert summary[DIFFERENCE] == pytest.approx(spreads.lost.mean(), rel=0.05)


# The fast way over many points, against the transparent one.


def joined(turns: list[tuple[list[float], int]]) -> Spreads:
    """Spreads of turns of any length: their differences and what was played."""
    lengths = [len(delta) for delta, _ in turns]
    delta = np.array([one for own, _ in turns for one in own])
    return Spreads(
        delta, np.concatenate(([0], np.cumsum(lengths))), np.array([played for _, played in turns])
    )


HARD = joined(
    [
        ([0.0], 0),  # forced
        ([0.0, 0.0], 1),  # two that are worth the same
        ([0.0] * 40, 39),
        ([0.0, 1e-9, 5.0], 2),
        ([0.0, 60.0], 0),  # so far apart that nobody would
        ([0.0, 60.0, 70.0, 80.0, 90.0], 4),
        ([0.0, 0.03, 0.02, 0.03, 0.01], 2),  # ties set apart stand above later lines
        ([0.0, *np.linspace(0.01, 4, 70)], 13),
    ]
)
"""What tables of real games hardly have, and hostile ones may."""


def slow(spreads: Spreads, log_s: float, log_c: float) -> tuple[list[float], list[list[float]]]:
    """The summary of all turns, and each one's up-shares, from the probabilities of the options."""
    p = probabilities(spreads, math.exp(log_s), math.exp(log_c))
    ups, first, lost, log_p = [], 0.0, 0.0, 0.0
    for a, b, played in zip(spreads.offsets[:-1], spreads.offsets[1:], spreads.played, strict=True):
        own = p[a:b]
        ups.append([up_share(q, own[:played].sum(), own[played]) for q in PERCENTILES])
        first += own[0]
        lost += float(own @ spreads.delta[a:b])
        log_p += math.log(own[played]) if own[played] > 0 else -math.inf
    return [*np.sum(ups, axis=0), first, lost, log_p], ups


@pytest.mark.parametrize("spreads", [HARD, agent_spreads(200, 0.1, 0.5, seed=1)], ids=["hard", "made"])
def test_every_node_is_as_the_transparent_version_has_it(spreads: Spreads) -> None:
    grid = ChoiceGrid()
    found = Summaries(spreads).on_grid(grid.log_s, grid.log_c, np.zeros(len(spreads), np.int64), 1)[0]
    assert np.isfinite(found).all()
    for i, log_s in enumerate(grid.log_s):
        for j, log_c in enumerate(grid.log_c):
            expected, _ = slow(spreads, log_s, log_c)
            # A probability that is below what a number can hold has a logarithm only the fast way.
            rows = slice(None) if math.isfinite(expected[-1]) else slice(-1)
            assert found[rows, i, j] == pytest.approx(expected[rows], rel=1e-8, abs=1e-8), (i, j)


def test_products_of_hard_turns() -> None:
    nodes = np.log([[0.05, 0.5], [0.4, 0.5], [0.4, 1.2]])
    found = up_products(Summaries(HARD), nodes, np.zeros(len(HARD), np.int64), 1)[0]
    for node, point in zip(found, nodes, strict=True):
        ups = np.column_stack((slow(HARD, *point)[1], np.ones(len(HARD))))
        assert node == pytest.approx((ups.T @ ups)[np.tril_indices(ups.shape[1])], rel=1e-8, abs=1e-8)
