"""How far raw ratings stray."""

import numpy as np
import pytest

from assay.rating.spread import Spread, deal
from examples.spreads import TRUE_FORM, TRUE_UNIT, fitted


@pytest.fixture(scope="module")
def spread() -> Spread:
    return fitted(np.random.default_rng(3))


def test_spread_recovers_the_truth(spread: Spread) -> None:
    assert spread.games.tolist() == [1, 2, 4, 8, 16, 32]
    assert spread.slope == pytest.approx(np.ones((6, 2)), abs=0.06)
    assert spread.unit[0] == pytest.approx(TRUE_UNIT, rel=0.08)
    assert np.linalg.eigvalsh(spread.unit).min() > 0
    assert spread.form == pytest.approx(TRUE_FORM, rel=0.15)
    assert np.abs(spread.tilt * 1000).max() < 0.15
    assert spread.milepost_games == 300


def test_without_players_seen_twice_form_is_the_least() -> None:
    assert fitted(np.random.default_rng(4), players=280, games=1).form == 50.0


def test_dealt_groups_are_of_one_milepost_each() -> None:
    milepost = np.repeat([0, 1, 2], [7, 8, 9])
    weights = deal(milepost, 3, 2, np.random.default_rng(0))
    assert (weights.sum(axis=1) == 3).all()
    assert len(weights) == 2 * (2 + 2 + 3)
    for row in weights:
        assert len(set(milepost[row > 0])) == 1
