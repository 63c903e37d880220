import numpy as np
import pytest
from scipy import stats

from assay.answers.screening import DECIDING
from assay.models.appearances import Appearances
from assay.rating.group_ratings import Rater
from assay.screening.statistics import NAMES, Turns, expected_of
from assay.screening.z_scores import (
    bounds,
    combined_z,
    normalised,
    q_under_dependence,
    two_sided,
    with_light_tails,
    z_by_elo,
    z_by_turns,
)
from examples.screened_games import PLAIN, PLAIN_TURNS, calibration, field, played_by, positions

ELO = 2000.0


def test_honest_agents_depart_by_a_standard_normal() -> None:
    """60 agents of 40 turns each, of exactly their rating: mean 0, deviation 1, by every statistic."""
    n, each = 2400, 40
    turns = Turns.of(played_by(positions(n, seed=5), [ELO] * n, seed=2))
    agents = calibration().agents
    assert agents is not None
    players = n // each
    evidence = expected_of(
        turns, np.arange(n) // each, np.full(players, ELO), agents, PLAIN_TURNS.curves, 1e-6
    ).evidence()
    groups = [np.array([row]) for row in range(players)]
    z = z_by_turns(evidence, groups, PLAIN, np.full(players, ELO), [1e-6] * players)
    assert np.abs(z.mean(axis=0)).max() < 4 / np.sqrt(players)
    assert z.std(axis=0) == pytest.approx(np.ones(len(NAMES)), abs=0.3)


def test_a_wrong_rating_widens_what_is_honest() -> None:
    turns = Turns.of(played_by(positions(200), [2600.0] * 200))
    agents = calibration().agents
    assert agents is not None
    evidence = expected_of(
        turns, np.zeros(200, np.int64), np.array([ELO]), agents, PLAIN_TURNS.curves, 60.0
    ).evidence()
    sure, unsure = (
        z_by_turns(evidence, [np.array([0])], PLAIN, np.array([ELO]), [error])[0, 0] for error in (0.0, 300.0)
    )
    assert sure > unsure > 0


def test_skewed_sums_become_normal() -> None:
    generator = np.random.default_rng(0)
    drawn = generator.gamma(9.0, size=200_000)
    z = (drawn - 9) / 3
    skewness = np.full(len(z), 2 / 3)
    for side in (1, -1):
        found = normalised(side * z, side * skewness)
        assert (side * found > 2.326).mean() == pytest.approx(0.01, rel=0.1)
        assert (side * found < -2.326).mean() == pytest.approx(0.01, rel=0.1)
    assert (z > 2.326).mean() > 0.015, "or the test could not fail"
    assert normalised(np.array([1.5]), np.array([0.0])) == pytest.approx([1.5])


def test_heavy_tails_become_light() -> None:
    t = stats.t(10)
    z = np.array([3.0, -2.0, 0.0])
    bent = with_light_tails(z, np.full(3, 1.0))  # excess 1: ten degrees of freedom
    assert bent == pytest.approx(stats.norm.isf(t.sf(z * np.sqrt(10 / 8))))
    assert with_light_tails(z, np.zeros(3)) == pytest.approx(z, abs=0.01)


def test_combined_z_is_the_smallest_by_its_share() -> None:
    z = np.zeros((5, len(NAMES)))
    hard, critical, error, first = (NAMES.index(name) for name in ("hard", "critical", "error", "first"))
    z[0, hard] = 3.0
    z[1, error] = -4.0
    z[2, [hard, critical]] = 2.0, 3.0
    z[3, hard] = 40.0
    z[4, first] = 6.0
    found = combined_z(z)
    assert stats.norm.sf(found[0]) == pytest.approx(stats.norm.sf(3.0) / 0.5)
    assert stats.norm.cdf(found[1]) == pytest.approx(stats.norm.cdf(-4.0) / 0.25)
    assert stats.norm.sf(found[2]) == pytest.approx(stats.norm.sf(3.0) / 0.25), "the critical ones decide"
    assert found[3] > 30
    assert found[4] == 0.0, "agreement with the engine alone names nobody"
    assert sum(DECIDING.values()) == pytest.approx(1.0)


def test_combined_z_is_not_named_too_often() -> None:
    """With the correlations that honest games have, on either side."""
    generator = np.random.default_rng(1)
    z = np.zeros((100_000, len(NAMES)))
    matrix = [[1, 0.73, 0.81], [0.73, 1, 0.81], [0.81, 0.81, 1]]
    columns = [NAMES.index(name) for name in DECIDING]
    z[:, columns] = generator.multivariate_normal(np.zeros(3), matrix, len(z))
    found = combined_z(z)
    for side in (1, -1):
        assert 0.004 < (side * found > 2.326).mean() <= 0.0105


def test_play_of_another_elo_departs_by_elo() -> None:
    table = field(("Ann", "Bob"), games=3, strength={"Ann": 2700.0})
    appearances = Appearances.of(table)
    rater = Rater(appearances, calibration())
    groups = [np.flatnonzero(np.array(appearances.players()) == name) for name in ("Ann", "Bob")]
    found = z_by_elo(rater, groups, np.array([2000.0, 2000.0]))
    assert found[0] > found[1]
    unsure = z_by_elo(rater, groups, np.array([2000.0, 2000.0]), more=300.0)
    assert abs(unsure[0]) < abs(found[0])
    unknown = z_by_elo(rater, groups, np.array([np.nan, 2000.0]))
    assert np.isnan(unknown[0])


def test_both_tails_count() -> None:
    assert two_sided(np.array([1.959964, -1.959964, 0.0])) == pytest.approx([0.05, 0.05, 1.0])
    assert bounds(0.05) == pytest.approx(1.959964)


def test_those_tested_again_were_picked_out_of_everyone() -> None:
    p = np.array([0.001, 0.02, 0.5, 0.9])
    q = q_under_dependence(p, 4)
    assert q_under_dependence(p[:2], 4) == pytest.approx(q[:2])
    assert q == pytest.approx(stats.false_discovery_control(p, method="by"))
