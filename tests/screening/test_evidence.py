import numpy as np
import pytest

from assay.screening.evidence import evidence_of, expected_of
from assay.screening.turns import STATISTICS, Turns
from examples.screened_games import PLAIN, calibration, played_by, positions

ELO = 2000.0


def made(n: int = 400, strength: float = ELO, seed: int = 0) -> tuple[Turns, np.ndarray]:
    decisions = played_by(positions(n, seed), [strength] * n, seed + 1)
    return Turns.of(decisions), np.arange(n) // (n // 2)


def test_sums_by_appearance() -> None:
    turns, place = made(40)
    agents = calibration().agents
    assert agents is not None
    found = evidence_of(turns, place, np.array([ELO, ELO]), agents, PLAIN.curves)
    assert found.turns.tolist() == [20, 20]
    assert found.observed[0, 0] == turns.observed()[:20, 0].sum()
    half = found.only(np.array([1]))
    assert half.apart == pytest.approx(found.apart[1:])


def test_more_is_expected_of_a_higher_rating() -> None:
    turns, place = made(200)
    agents = calibration().agents
    assert agents is not None
    low, high = (evidence_of(turns, place, np.full(2, elo), agents, PLAIN.curves) for elo in (1700.0, 2500.0))
    assert (low.apart > high.apart).all()
    assert (low.slope > 0).all()
    # The slope is what a point of Elo changes: over 800 points, not quite a straight line.
    assert (low.apart - high.apart) / 800 == pytest.approx((low.slope + high.slope) / 2, rel=0.5)


def test_a_spread_rating_expects_what_the_spread_agents_do_on_average() -> None:
    turns, place = made(60)
    agents = calibration().agents
    assert agents is not None
    wide = evidence_of(turns, place, np.full(2, ELO), agents, PLAIN.curves, error=200.0)
    slow = np.zeros(2)
    for share, side in ((1 / 6, -1), (2 / 3, 0), (1 / 6, 1)):
        elo = ELO + side * np.sqrt(3) * 200.0
        p = turns.project(agents, np.full(60, elo)).expected[:, 0]
        slow += share * np.bincount(place, p)
    assert wide.observed[:, 0] - wide.apart[:, 0] == pytest.approx(slow)


def test_other_moves_than_those_played() -> None:
    turns, place = made(20)
    agents = calibration().agents
    assert agents is not None
    expected = expected_of(turns, place, np.full(2, ELO), agents, PLAIN.curves)
    best = expected.evidence(np.zeros(20, np.int64))
    assert best.observed[:, 0].tolist() == [10, 10]
    assert best.observed[:, STATISTICS.index("error")].tolist() == [0, 0]
