"""Ratings of groups of games: posteriors, bounds at the ends of the scale, one method or several."""

import numpy as np
import pytest

from assay.models.appearances import Appearances
from assay.rating.calibration import PAPERS, Calibration
from assay.rating.evidence import groups_of
from assay.rating.group_ratings import COMBINED, Rater, channels_by_moves, rate_raw, reading
from assay.rating.posterior import GRID, Normal, Range, summaries
from assay.rating.spread import hats


def normal(peak: float, deviation: float) -> np.ndarray:
    return -0.5 * ((GRID - peak) / deviation) ** 2


def test_summaries_are_those_of_a_normal() -> None:
    mean, low, high = summaries(np.stack([[normal(2000, 100)], [normal(1500, 100)]]), 0.95)
    assert mean.shape == (2, 1)
    assert mean[:, 0] == pytest.approx([2000, 1500], abs=0.01)
    assert (high - low)[:, 0] == pytest.approx([392, 392], abs=1)


def test_players_beyond_the_range_take_evidence() -> None:
    logs = Range(1500, 2800).posterior(np.stack([normal(3100, 400), normal(3100, 30)]))
    one_game, many = summaries(logs, 0.95)[0]
    assert one_game < 2700 < 2850 < many < 3100


def test_ratings_are_prior_times_likelihood(appearances: Appearances, calibration: Calibration) -> None:
    """Against one player after another, by plain sums over the grid."""
    rater = Rater(appearances, calibration)
    groups = [group.rows for group in groups_of(appearances)][:12]
    prior = Normal(2100.0, 200.0)
    rated = rater.rate(groups, level=0.8, prior=prior)
    raw = rater.raw(groups)
    spread = calibration.spread
    for place, ratings in enumerate(rated):
        for name in (*calibration.mappings, PAPERS):
            channel = spread.channels.index(name)
            row = raw.only(np.array([place]))
            curve, _ = spread.at(spread.usual_games(row.size, row.squares), channel)
            expected = hats(GRID, spread.knots) @ curve[0]
            slope = (hats(GRID + 40, spread.knots) - hats(GRID - 40, spread.knots)) @ curve[0] / 80
            width = spread.deviations(row, channel, GRID)[0] * slope
            density = np.exp(-0.5 * ((row.values[0, channel] - expected) / width) ** 2) / width
            density *= np.exp(-0.5 * ((GRID - 2100) / 200) ** 2)
            density /= density.sum()
            mean = float(density @ GRID)
            assert ratings[name].elo == pytest.approx(mean, abs=0.5)
            inside = density[(ratings[name].low <= GRID) & (ratings[name].high >= GRID)].sum()
            assert inside == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(("peak", "bound"), [(3400.0, "above"), (2100.0, None), (700.0, "below")])
def test_ends_of_the_scale_are_bounds(
    peak: float, bound: str | None, appearances: Appearances, calibration: Calibration
) -> None:
    rater = Rater(appearances, calibration)
    raw = rater.raw([np.arange(len(appearances))])
    spread = calibration.spread
    for channel in range(len(spread.channels)):
        curve, _ = spread.at(spread.usual_games(raw.size, raw.squares), channel)
        raw.values[:, channel] = hats(np.array([peak]), spread.knots) @ curve[0]
    [ratings] = rate_raw(calibration, raw, [calibration.range], rater.methods)
    assert ratings[COMBINED].bound == bound
    assert ratings[COMBINED].to_dict()["bound"] == bound
    assert reading(calibration, raw, channels_by_moves(calibration, rater.methods))[0] == pytest.approx(peak)
