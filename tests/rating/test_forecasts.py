"""Forecasts: every interval has its estimate in it, and holds the truth as often as it says."""

import numpy as np
import pytest
from scipy.stats import binom

from assay.answers.ratings import Rating
from assay.decisions.elo import expectation
from assay.decisions.names import Who
from assay.models.registry import make_model
from assay.rating.calibration import Calibration
from assay.rating.careers import Careers
from assay.rating.forecasts import forecast_between, rated_forecasts
from examples.milepost_games import milepost_games


def _rating(elo: float, reach: float) -> Rating:
    return Rating("combined", elo, low=elo - reach, high=elo + reach, decisions=100, games=4)


def test_a_forecast_between_ratings_holds_its_estimate() -> None:
    exact = forecast_between(_rating(2200, 1e-6), _rating(2000, 1e-6))
    assert exact.expectation == pytest.approx(float(expectation(200)))
    unsure = forecast_between(_rating(2200, 600), _rating(2000, 600))
    assert unsure.low < unsure.expectation < unsure.high
    assert 0.5 < unsure.expectation < exact.expectation  # drawn to one half by what is not known
    back = forecast_between(_rating(2000, 600), _rating(2200, 600))
    assert back.expectation == pytest.approx(1 - unsure.expectation)
    assert back.low == pytest.approx(1 - unsure.high)


@pytest.mark.parametrize("method", ["gain", "conformance"])
def test_intervals_of_few_games_hold_the_truth(method: str) -> None:
    large = Careers(make_model(method), milepost_games([2000, 2250], games=60, games_each=60, seed=5))
    white = [name for name in large.players if name.startswith("white")]
    truth = large.forecast(Who(white[0]), Who(white[1]), resamples=2).expectation
    few = Careers(make_model(method), milepost_games([2000, 2250], games=50, games_each=5, seed=6))
    pairs = zip(*([name for name in few.players if elo in name] for elo in (" 2000 ", " 2250 ")), strict=True)
    found = [few.forecast(Who(one), Who(other), resamples=60) for one, other in pairs]
    assert len(found) == 20
    assert all(one.low <= one.expectation <= one.high for one in found)
    # So many at least, but for one run in a thousand.
    assert sum(one.low <= truth <= one.high for one in found) >= binom.ppf(0.001, len(found), 0.95)


def test_too_few_games_have_no_interval_and_say_so() -> None:
    few = Careers(make_model("gain"), milepost_games([2000, 2250], games=3, games_each=3))
    one, other = few.players[:2]
    found = few.forecast(Who(one), Who(other))
    assert np.isnan(found.low)
    assert any("fewer than 4 games" in note for note in found.notes)


def test_ratings_forecast_as_rate_has_them(calibration: Calibration) -> None:
    new = milepost_games([1800, 2400], seed=21, games=4, games_each=4)
    weak, strong = (Who(name) for name in sorted(new.players) if name.startswith("white"))
    found = rated_forecasts(new, strong, weak, calibration)
    assert found["combined"].expectation > 0.8
    assert all(one.low <= one.expectation <= one.high for one in found.values())
    assert rated_forecasts(new, strong, weak, None) == {}
