import numpy as np
import pytest
from scipy import stats

from assay.answers.screening import DECIDING
from assay.models.appearances import Appearances
from assay.rating.group_ratings import Rater
from assay.screening.norms import Norms, Tail
from assay.screening.statistics import NAMES, Evidence, Turns, expected_of
from assay.screening.z_scores import (
    combined_z,
    holm,
    judge,
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
        turns, np.arange(n) // each, np.full(players, ELO), agents, PLAIN_TURNS.curves, np.full(players, 1e-6)
    ).evidence()
    groups = [np.array([row]) for row in range(players)]
    z = z_by_turns(evidence, groups, PLAIN, np.full(players, ELO), np.full(players, 1e-6))
    assert np.abs(z.mean(axis=0)).max() < 4 / np.sqrt(players)
    assert z.std(axis=0) == pytest.approx(np.ones(len(NAMES)), abs=0.3)


def test_a_wrong_rating_widens_what_is_honest() -> None:
    turns = Turns.of(played_by(positions(200), [2600.0] * 200))
    agents = calibration().agents
    assert agents is not None
    evidence = expected_of(
        turns, np.zeros(200, np.int64), np.array([ELO]), agents, PLAIN_TURNS.curves, np.array([60.0])
    ).evidence()
    sure, unsure = (
        z_by_turns(evidence, [np.array([0])], PLAIN, np.array([ELO]), np.array([error]))[0, 0]
        for error in (0.0, 300.0)
    )
    assert sure > unsure > 0


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


def test_variance_of_games_of_one_player_and_of_many() -> None:
    """Four games with V 2 and D 0.01 each: 8 from the turns, and what an error of 100 adds."""
    zeros, n = np.zeros((4, len(NAMES))), len(NAMES)
    sums = Evidence(zeros + 1.0, zeros + 2.0, zeros + 0.01, zeros, np.full(4, 30))

    def z(error: float, *, alone: bool) -> float:
        z = z_by_turns(sums, [np.arange(4)], PLAIN, np.array([ELO]), np.array([error]), alone=alone)
        return float(z[0, 0])

    for error, alone, variance in ((0.0, True, 8.0), (100.0, True, 8.0 + 16.0), (100.0, False, 8.0 + 4.0)):
        assert z(error, alone=alone) == pytest.approx(4 / np.sqrt(variance), rel=1e-3)
    assert z_by_turns(sums, [np.arange(4)], PLAIN, np.array([ELO]), np.zeros(1)).shape == (1, n)


def test_q_is_of_holm_and_those_tested_again_were_picked_out_of_everyone() -> None:
    p = np.array([0.02, 0.001, np.nan, 0.9, 0.03])
    q = holm(p, 4)
    assert q[[1, 0, 4, 3]] == pytest.approx([0.004, 0.06, 0.06, 0.9])
    assert np.isnan(q[2])
    assert holm(p[:2], 4) == pytest.approx(q[:2])


def test_nobody_is_unusual_on_a_tail_that_was_not_measured() -> None:
    """Of 120 players with z 0 one has 9: with 1,268 honest groups p is 1 in 1,269, and q above 5%."""
    honest = np.random.default_rng(0).normal(size=4200)
    z = np.zeros(120)
    z[7] = 9.0
    for groups, unusual in ((1268, False), (4200, True)):
        norms = Norms(source="made", tails=(Tail.of(1, honest[:groups]),), opens={"naming": 2})
        judged = judge(z, np.full(120, 9.0), norms)
        assert judged.p[7] == pytest.approx(1 / (groups + 1))
        assert judged.q[7] == pytest.approx(120 / (groups + 1))
        assert judged.unusual.tolist() == [unusual and place == 7 for place in range(120)]
        assert not judge(z, np.ones(120), norms).unusual.any(), "nobody is named by one game"
        assert not judge(z + 3, np.full(120, 9.0), norms).unusual.any(), "the scale is shifted"
