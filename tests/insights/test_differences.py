"""A slice against the rest: simulated players of known strength, and a slow version of the arithmetic."""

import numpy as np
import pytest
from scipy.special import ndtr

from assay.insights.differences import GROWTH, differences
from assay.insights.discoveries import RATE, q_values
from assay.rating.references import SliceReference, SliceSums
from examples.slice_players import ELO, player


def test_honest_players_are_within_their_intervals_and_weak_ones_are_found_as_often_as_expected() -> None:
    honest = [differences(player(seed), ELO, None, 1.0)[1] for seed in range(300)]
    false = np.mean([one is not None and one.p <= 0.05 for one in honest])
    assert 0.02 <= false <= 0.09  # of 300, 0.05 has a deviation of 0.013
    weak = [one for seed in range(200) if (one := differences(player(seed, weak=1700), ELO, None, 1.0)[1])]
    deviation = np.array([abs(one.deviation * one.against_rest / one.elo) for one in weak])
    found = np.mean([one.p <= 0.05 and one.elo < 0 for one in weak])
    # By the deviation of the difference, and the truth: how often it is beyond 1.96 of them.
    assert found == pytest.approx(np.mean(ndtr(300 / deviation - 1.96)), abs=0.1)
    apart = np.array([one.against_rest for one in weak])
    assert apart.mean() == pytest.approx(-300, abs=60)
    assert np.mean(np.abs(apart + 300) < 1.96 * deviation) > 0.9


def test_of_all_that_stands_out_no_more_is_chance_than_said() -> None:
    shares = []
    for group in range(30):  # ten players at a time, three of them weak
        truth = [one < 3 for one in range(10)]
        p = []
        for one, is_weak in enumerate(truth):
            found = differences(player(1000 * group + one, weak=1300.0 if is_weak else ELO), ELO, None, 1.0)[
                1
            ]
            assert found is not None
            p.append(found.p)
        out = q_values(p) <= RATE
        shares.append((out & ~np.array(truth)).sum() / max(out.sum(), 1))
    assert np.mean(shares) <= RATE + 0.04


def test_slice_and_whole_as_written_out() -> None:
    rng = np.random.default_rng(0)
    sums = SliceSums(rng.normal(size=(5, 2)), rng.uniform(1, 2, (5, 2)), np.full((5, 2), 20.0))
    first, second = differences(sums, 2000.0, None, 1.7)
    assert first is not None
    assert second is not None
    slope, own = sums.slope.sum(axis=0), sums.information.sum(axis=0)
    apart = slope[0] / own[0] - slope[1] / own[1]
    assert first.against_rest == pytest.approx(apart)
    whole = slope.sum() / own.sum()
    assert first.elo == pytest.approx(slope[0] / own[0] - whole)
    assert second.elo == pytest.approx(slope[1] / own[1] - whole)
    assert first.p == pytest.approx(second.p)
    assert first.high - first.elo == pytest.approx(1.959964 * first.deviation, rel=0.01)


def test_the_interval_holds_every_difference_that_is_not_refused() -> None:
    sums = SliceSums(np.array([[-3.0, 1.0]] * 6), np.array([[0.01, 0.02]] * 6), np.full((6, 2), 30.0))
    found = differences(sums, 2000.0, None, 1.0)[0]
    assert found is not None
    share = found.elo / found.against_rest
    own = sums.information.sum(axis=0)
    of_slice = (1 / own[0]) / (1 / own[0] + 1 / own[1])
    deviation = found.deviation / share
    for end in (found.low / share, found.high / share):
        # Weaker by so much, the slice would vary by more.
        there = deviation * np.sqrt(1 + of_slice * np.expm1(GROWTH * max(-end, 0)))
        assert abs(found.against_rest - end) == pytest.approx(1.959964 * there)
    assert found.elo - found.low > found.high - found.elo
    assert (found.p < 0.05) == (found.high < 0)


def test_what_others_show_is_taken_off_and_its_error_added() -> None:
    sums = SliceSums(np.array([[3.0, 1.0]] * 4), np.array([[0.01, 0.02]] * 4), np.full((4, 2), 30.0))
    bare = differences(sums, 2100.0, None, 1.0)[0]
    known = SliceReference(
        lines=np.array([[100.0, 0.0], [-20.0, 0.0]]),
        covariance=np.diag([900.0, 0.0, 400.0, 0.0]),
        dispersion=np.ones(2),
        decisions=np.full(2, 1000.0),
    )
    beside = differences(sums, 2100.0, known, 1.0)[0]
    assert bare is not None
    assert beside is not None
    assert beside.against_rest == pytest.approx(bare.against_rest - 120)
    share = beside.elo / beside.against_rest
    assert beside.deviation**2 == pytest.approx(bare.deviation**2 + share**2 * 1300, rel=1e-6)


def test_where_there_is_no_rest_there_is_no_difference() -> None:
    only = SliceSums(np.array([[1.0, 0.0]]), np.array([[2.0, 0.0]]), np.array([[20.0, 0.0]]))
    assert differences(only, 2000.0, None, 1.0) == [None, None]


def test_own_games_that_vary_more_widen_the_interval() -> None:
    calm = SliceSums(np.tile([[0.1, -0.1], [-0.1, 0.1]], (30, 1)), np.ones((60, 2)), np.full((60, 2), 9.0))
    wild = SliceSums(calm.slope * 50, calm.information, calm.decisions)
    found = [differences(one, 2000.0, None, 1.5)[0] for one in (calm, wild)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[1].deviation > 2 * found[0].deviation
