"""Unlisted legal moves in the partition sum, against a slow and transparent version."""

import math

import numpy as np
import pytest

from assay.models.bayes.tail import BEND, POINTS, log_unlisted, unlisted_losses, weighed_options


def losses_by_hand(best: float, last: float) -> list[float]:
    """From the last line's loss towards a lost game, even steps of a bent scale in the logarithm."""
    lost = min(max(best, -1000), 1000) + 1000
    begin, end = math.log1p(last / 10), math.log1p(lost / 10)
    steps = [((place + 0.5) / POINTS) ** BEND for place in range(POINTS)]
    return [10 * math.expm1(begin + max(end - begin, 0) * step) for step in steps]


@pytest.mark.parametrize(("best", "last"), [(0, 50), (120, 0), (-1500, 10), (900, 400)])
def test_losses_of_unlisted_moves(best: float, last: float) -> None:
    found = unlisted_losses(best, last)
    assert found == pytest.approx(losses_by_hand(best, last))
    assert (np.diff(found) >= 0).all()
    assert found[0] >= last - 1e-9


def options(played: int):
    """Two decisions: 3 lines of 10 legal moves with the played move alone behind them, and 2 lines of 2."""
    values = np.array([30, 10, -20, -300, 5, 0])
    return weighed_options(
        values,
        starts=np.array([0, 4, 6]),
        lines=np.array([3, 2]),
        legal=np.array([10, 2]),
        played=np.array([played, 0]),
        offset=0.1,
        limit=1000,
    )


def test_the_list_of_options_does_not_depend_on_the_choice() -> None:
    one, other = options(0), options(3)
    assert np.array_equal(one.exponent, other.exponent)
    assert np.array_equal(one.weight, other.weight)
    assert one.outside.tolist() == [False, False]
    assert other.outside.tolist() == [True, False]
    assert other.played[0] == pytest.approx(-math.log1p(330 / 10))


def test_weights_count_the_legal_moves() -> None:
    found = options(0)
    sizes = np.add.reduceat(found.weight, found.starts[:-1])
    assert sizes == pytest.approx([10, 2])
    assert found.unlisted.sum() == POINTS
    assert found.weight[found.unlisted] == pytest.approx(np.full(POINTS, 7 / POINTS))


def test_the_chance_of_some_unlisted_move() -> None:
    found = options(3)
    grid = np.array([0.5, 1.0, 1.5])
    by_hand = [
        math.log(sum(7 / POINTS * (1 + loss / 10) ** -c for loss in losses_by_hand(30, 50))) for c in grid
    ]
    assert np.ravel(log_unlisted(found, np.array([0]), grid)) == pytest.approx(by_hand)
