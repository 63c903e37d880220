"""Groups of appearances, and their ratings."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.groups import Rater, groups_of, leave_out_covariance, leave_out_weights


def test_leaving_out_one_game_gives_the_variance_of_a_mean() -> None:
    values = np.random.default_rng(8).normal(size=(12, 2))
    weights = leave_out_weights(12)
    means = weights @ values / weights.sum(axis=1, keepdims=True)
    assert leave_out_covariance(means[1:]) == pytest.approx(np.cov(values.T) / 12)
    assert leave_out_weights(1).tolist() == [[1.0]]
    assert leave_out_weights(1000).shape == (41, 1000)


def test_groups_by_year_event_and_game(appearances: Appearances) -> None:
    by_year = groups_of(appearances, "year")
    assert {group.label for group in by_year} == {"2000", "2001", "2002"}
    assert sum(len(group.rows) for group in by_year) == len(appearances)
    assert {group.label for group in groups_of(appearances, "event")} == {"event0", "event1"}
    assert len(groups_of(appearances, "game")) == len(appearances)
    with pytest.raises(InputError, match="not by 'moon'"):
        groups_of(appearances, "moon")


def test_batches_do_not_change_ratings(appearances: Appearances, calibration: Calibration) -> None:
    rater = Rater(appearances, calibration)
    groups = [group.rows for group in groups_of(appearances)]
    together = [ratings["combined"].elo for ratings in rater.rate(groups)]
    apart = [next(rater.rate([rows]))["combined"].elo for rows in groups]
    assert together == pytest.approx(apart)


def test_only_some_methods(appearances: Appearances, calibration: Calibration) -> None:
    [ratings] = Rater(appearances, calibration, methods=["gain"]).rate([np.arange(6)])
    assert set(ratings) == {"gain", "combined"}
    assert ratings["gain"].elo == ratings["combined"].elo
    with pytest.raises(InputError, match="no method 'magic'"):
        Rater(appearances, calibration, methods=["magic"])
