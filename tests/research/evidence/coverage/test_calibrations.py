"""Raw ratings drawn as the shipped calibration has them, and what is learned from few of them."""

import numpy as np

from assay.rating.calibration import all_shipped
from research.evidence.coverage.calibrations import drawn, learned


def test_what_is_drawn_has_the_line_and_the_covariance() -> None:
    spread = all_shipped()[0].spread
    elo = np.full(20_000, spread.centre)
    raw = drawn(spread, elo, np.arange(len(elo)), np.random.default_rng(1))
    _, offset, slope, unit = spread.at(spread.game_size)
    assert np.allclose(raw.mean(axis=0), offset + slope * spread.centre, atol=20)
    assert np.allclose(np.cov(raw.T), unit, rtol=0.15, atol=0.1 * np.diag(unit).max())


def test_a_spread_is_learned_from_few() -> None:
    truth = all_shipped()[0].spread
    found, prior = learned(truth, 5, 16, np.random.default_rng(2))
    assert found.methods == truth.methods
    assert found.milepost_games == 16
    assert (prior.lowest, prior.highest) == (1600, 2600)
    assert found.unit[0, 0, 0] > 0
