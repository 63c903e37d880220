"""The Elo curve: known points, fairness, and what a logit is worth."""

import numpy as np
import pytest

from assay.decisions.elo import POINTS_PER_LOGIT, expectation


@pytest.mark.parametrize(
    ("difference", "expected"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (800, 100 / 101)]
)
def test_four_hundred_points_are_odds_of_ten(difference: float, expected: float) -> None:
    assert expectation(difference) == pytest.approx(expected)


def test_both_sides_share_the_point() -> None:
    differences = np.linspace(-900, 900, 19)
    assert expectation(differences) + expectation(-differences) == pytest.approx(np.ones(19))
    assert (np.diff(expectation(differences)) > 0).all()


def test_points_of_a_logit() -> None:
    share = expectation(POINTS_PER_LOGIT)
    assert np.log(share / (1 - share)) == pytest.approx(1)
