"""Gains of milepost games."""

import numpy as np
import pytest

from assay.models.gain import distribution
from assay.models.gain.model import LIMIT
from research.papers.ferreira2012 import mileposts


def test_moves_of_one_game_that_go_together_are_noticed() -> None:
    generator = np.random.default_rng(3)
    game = np.arange(2000) // 20
    group = np.zeros(2000)
    alone = generator.normal(size=2000)
    together = alone + generator.normal(size=100)[game]
    assert abs(mileposts.correlation(alone, game, group)) < 0.03
    assert mileposts.correlation(together, game, group) == pytest.approx(0.5, abs=0.1)


def test_the_bin_of_a_gain_is_that_of_its_histogram() -> None:
    gains = np.array([-7800.0, -3.4, 0.0, 12.0, np.nan])
    histogram = distribution.histogram(gains[:4], LIMIT)
    assert np.array_equal(np.flatnonzero(histogram), mileposts.bins(gains[:4]))
    assert mileposts.bins(gains)[4] == mileposts.bins(np.zeros(1))[0]
