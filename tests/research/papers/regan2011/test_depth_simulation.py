import numpy as np
import pytest

from assay.models.depth.agents import DepthAgent
from research.papers.regan2011.depth_positions import AllMoves
from research.papers.regan2011.depth_simulation import Simulation

AGENT = DepthAgent(3.1, 0.15, 1.1)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    kept, first = AllMoves.kept(), 100
    values = np.concatenate([one.ravel() for one in kept.values[:first]])
    return Simulation(AllMoves(kept.counts[:first], kept.depths[:first], values))


def test_chances_of_all_legal_moves_sum_to_one(simulation: Simulation) -> None:
    chances = simulation.chances(AGENT)
    assert np.bincount(simulation.rows, chances) == pytest.approx(np.ones(100))
    # The best move at the last depth is likelier than the worst.
    values = simulation.moves.values[0][-1]
    assert chances[np.argmax(values)] > chances[np.argmin(values)]


def test_draws_follow_the_chances(simulation: Simulation) -> None:
    drawn = simulation.draw(AGENT, 2000, 20, seed=1)
    expected = simulation.chances(AGENT)[simulation.rows == 0]
    share = np.bincount(drawn[simulation.rows[drawn] == 0], minlength=len(expected))[: len(expected)]
    assert share / share.sum() == pytest.approx(expected, abs=0.12)


def test_known_weights_are_found_again_and_covered(simulation: Simulation) -> None:
    """Among all legal moves, read as ten lines; docs/depth.md has five hundred players."""
    found = simulation.recover(AGENT, 400, 60, seed=2)
    assert np.abs(found.mean - found.truth) == pytest.approx(np.zeros(3), abs=0.4)
    assert found.mean[0] == pytest.approx(3.1, abs=0.12)
    assert (found.covered >= 0.85).all()


def test_another_agent_is_told_apart(simulation: Simulation) -> None:
    weak = simulation.recover(DepthAgent(2.5, 0.3, 0.5), 400, 10, seed=3)
    strong = simulation.recover(DepthAgent(4.0, 0.05, 2.0), 400, 10, seed=3)
    assert strong.mean[0] > weak.mean[0] + 1
    assert strong.mean[1] < weak.mean[1] - 1
    assert strong.mean[2] > weak.mean[2]
