import numpy as np
import pytest

from assay.decisions.arrays import Floats
from assay.decisions.measures import loss
from assay.decisions.slices import FIXED
from assay.models.appearances import Appearances, Mileposts
from assay.models.depth.expected import Expected
from assay.rating.calibration import find_calibration
from assay.rating.references import (
    CENTRE,
    FEWEST,
    LEARNED,
    UNIT,
    ExpectedLosses,
    SliceReference,
    SliceSums,
    against_rest,
    fit_expected_losses,
    fit_reference,
    fit_references,
    independent,
    lost_expectation,
    sums_by_slice,
)
from assay.testing import make_decisions, with_trace
from examples.milepost_games import milepost_games
from examples.slice_players import agents


def test_sums_leave_out_what_has_no_slice() -> None:
    slope, information = np.array([1.0, 2, 3, 4]), np.array([10.0, 20, 30, 40])
    found = sums_by_slice(slope, information, np.array([0, 0, 1, 1]), 2, np.array([1, 0, -1, 1]), 2)
    assert found.slope.tolist() == [[2, 1], [0, 4]]
    assert found.information.tolist() == [[20, 10], [0, 40]]
    assert found.decisions.tolist() == [[1, 1], [0, 1]]


def made(bias: tuple[float, float], games: int, seed: int, spread: float = 1.0) -> tuple[SliceSums, Floats]:
    """Games of players of many Elos with a known bias in two slices, the second rising with Elo."""
    rng = np.random.default_rng(seed)
    elo = rng.uniform(1500, 2800, games)
    information = rng.uniform(2e-6, 6e-6, (games, 2))
    truth = np.stack((np.full(games, bias[0]), bias[1] + 40 * (elo - CENTRE) / UNIT), axis=1)
    slope = information * truth + spread * np.sqrt(information) * rng.normal(size=(games, 2))
    return SliceSums(slope, information, np.full((games, 2), 15.0)), elo


def test_a_known_bias_is_found_within_its_error() -> None:
    z = []
    for seed in range(60):
        found = fit_reference(*made((300.0, -80.0), 400, seed))
        error = np.sqrt(np.diag(found.bias_covariance(2300.0)))
        z.append((found.bias(2300.0) - np.array([300.0, -60.0])) / error)
    assert np.mean(z) == pytest.approx(0, abs=0.3)
    assert np.std(z) == pytest.approx(1, abs=0.2)
    assert fit_reference(*made((300.0, -80.0), 20_000, 1)).stretch == pytest.approx([1, 1 / 1.1], abs=0.05)


def test_games_that_vary_more_than_independent_moves_have_a_dispersion() -> None:
    found = fit_reference(*made((0.0, 0.0), 4000, 2, spread=1.5))
    assert found.dispersion == pytest.approx([2.25, 2.25], rel=0.1)


def test_slice_and_rest_of_one_game_vary_together_and_that_counts() -> None:
    rng = np.random.default_rng(3)
    common = rng.normal(size=(500, 1))
    information = np.ones((500, 2))
    assert against_rest(np.repeat(common, 2, axis=1), information) == pytest.approx([0, 0])
    opposed = np.concatenate((common, -common), axis=1)
    assert against_rest(opposed, information) == pytest.approx([2, 2], rel=0.2)
    assert independent(information, np.ones(2)) == pytest.approx([2 / 500] * 2)


def test_with_too_few_decisions_a_slice_is_not_learned() -> None:
    sums, elo = made((0.0, 0.0), 30, 4)
    few = SliceSums(sums.slope, sums.information, np.stack((np.full(30, 15.0), np.full(30, 1.0)), axis=1))
    found = fit_reference(few, elo)
    assert found.learned.tolist() == [True, False]
    assert found.lines[1].tolist() == [0, 0]
    assert 30 * 15 >= FEWEST > 30


def test_without_agents_nothing_is_learned() -> None:
    appearances = Appearances.of(make_decisions(games=8))
    assert fit_references(appearances, Mileposts.of(appearances), None) == {}


def test_the_shipped_calibration_knows_that_openings_look_strong() -> None:
    shipped = find_calibration("672593ce2551e878")
    assert shipped is not None
    assert set(shipped.slices) == {by.value for by in LEARNED}
    phases = shipped.slices["phase"]
    assert isinstance(phases, SliceReference)
    opening, middlegame, _ = phases.bias(2000.0)
    assert opening > 200 > 0 > middlegame
    for by in LEARNED:
        assert shipped.slices[by.value].learned.all()
        assert len(shipped.slices[by.value].lines) == len(FIXED[by])


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
