import numpy as np
import pytest

from assay.screening.multiplicity import (
    bonferroni,
    bounds,
    expected_alike,
    false_discovery,
    named_by_evidence,
    two_sided,
)


def test_both_tails_count() -> None:
    assert two_sided(np.array([1.959964, -1.959964, 0.0])) == pytest.approx([0.05, 0.05, 1.0])
    assert bounds(0.05) == pytest.approx(1.959964)


def test_false_discovery_as_written_in_1995() -> None:
    p = np.array([0.01, 0.04, 0.03, 0.5])
    slow = [min(other * 4 / (sorted(p).index(other) + 1) for other in p if other >= one) for one in p]
    assert false_discovery(p) == pytest.approx(slow)
    assert false_discovery(np.array([0.2])) == pytest.approx([0.2])


def test_few_of_the_named_are_honest() -> None:
    """A field of 90 honest players and 10 others: of those with q <= 0.1, a tenth is honest at most."""
    generator = np.random.default_rng(0)
    shares = []
    for _ in range(300):
        z = generator.normal(size=100)
        z[:10] += 4
        named = false_discovery(two_sided(z)) <= 0.1
        shares.append(named[10:].sum() / max(named.sum(), 1))
    assert np.mean(shares) <= 0.105


def test_bonferroni_and_how_many_are_alike() -> None:
    assert bonferroni(np.array([0.001, 0.6])) == pytest.approx([0.002, 1.0])
    assert expected_alike(np.array([1.6448536] * 20)) == pytest.approx(np.ones(20), rel=1e-5)


def test_e_values_name_under_any_dependence() -> None:
    assert named_by_evidence(np.array([100.0, 3.0, 0.5]), 0.05).tolist() == [True, False, False]
    assert named_by_evidence(np.array([59.0, 3.0, 0.5]), 0.05).tolist() == [False, False, False]
    assert named_by_evidence(np.array([31.0, 35.0, 0.5]), 0.05).tolist() == [True, True, False]


def test_those_tested_again_were_picked_out_of_everyone() -> None:
    p = np.array([0.001, 0.02, 0.5, 0.9])
    q = false_discovery(p)
    assert false_discovery(p[:2], 4) == pytest.approx(q[:2])
    assert bonferroni(p[:2], 4) == pytest.approx(bonferroni(p)[:2])
    z = np.array([3.0, 2.0, 0.1])
    assert expected_alike(z[:1], 3) == pytest.approx(expected_alike(z)[:1])
    assert named_by_evidence(np.array([59.0]), 0.05, 3).tolist() == [False]
    assert named_by_evidence(np.array([61.0]), 0.05, 3).tolist() == [True]
