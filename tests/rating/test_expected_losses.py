import numpy as np
import pytest

from assay.decisions.measures import loss
from assay.models.appearances import Appearances
from assay.models.depth.expected import Expected
from assay.models.mileposts import Mileposts
from assay.rating.expected_losses import ExpectedLosses, fit_expected_losses, lost_expectation
from assay.rating.files import find_calibration
from assay.testing import make_decisions, with_trace
from examples.milepost_games import milepost_games
from examples.slice_players import agents


def test_what_players_lost_is_met_on_average() -> None:
    decisions = with_trace(milepost_games(elos=(1700, 2000, 2300), games=10, plies=50), depths=3)
    appearances = Appearances.of(decisions)
    mileposts = Mileposts.of(appearances)
    found = fit_expected_losses(appearances, mileposts, agents())
    assert found is not None
    from assay.models.depth.expected import expected
    from assay.models.depth.model import DepthModel

    kept = decisions.filter(*DepthModel().rules())
    means = []
    for elo in (1700, 2000, 2300):
        own = kept.select(player_elo=elo)
        drawn = found.drawn(expected(own, agents(), elo), elo)
        means.append(drawn.loss.mean() - loss(own, 1000).mean())
    assert np.abs(means).max() < 6  # two lines through three mileposts: not each of them exactly
    assert np.mean(means) == pytest.approx(0, abs=1)


def test_lines_as_written_out() -> None:
    lines = ExpectedLosses(np.array([[1.0, 2.0, 0.5, 0.1], [-1.0, 0.0, 1.0, 0.0]]))
    x = np.array([10.0, 20.0])
    found = lines.drawn(Expected(x, x / 100, x, x, x, x), 2500.0)
    assert found.loss == pytest.approx(3 + 0.6 * x)
    assert found.lost.tolist() == [0, 0]  # never below zero
    assert found.best is x


def test_without_agents_there_are_none_and_the_shipped_calibration_has_them() -> None:
    appearances = Appearances.of(make_decisions(games=8))
    assert fit_expected_losses(appearances, Mileposts.of(appearances), None) is None
    shipped = find_calibration("672593ce2551e878")
    assert shipped is not None
    assert shipped.losses is not None
    assert (shipped.losses.lines[:, 2] < 1).all()  # agents blunder more than players do


def test_lost_expectation_is_not_negative() -> None:
    lost = lost_expectation(make_decisions(games=2))
    assert lost.min() >= 0
    assert lost.max() <= 1
