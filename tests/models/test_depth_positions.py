import numpy as np
import pytest

from assay.decisions.depths import values_by_depth
from assay.models.depth.agents import SEEN_BENDS, UNSEEN_BEND, DepthAgent
from examples.depth_positions import AllMoves, Simulation, ratios


def test_stored_positions_have_all_moves_at_all_depths() -> None:
    positions = AllMoves.read()
    assert len(positions.values) == 400
    for count, depth, values in zip(positions.counts, positions.depths, positions.values, strict=True):
        assert values.shape == (depth, count)
    assert positions.counts.mean() > 25
    assert np.median(positions.depths) >= 5


def test_ten_lines_of_each_depth_and_the_played_move_alone() -> None:
    values = np.array([[0, 10, 20, 30, 40], [50, 45, 0, -10, -90]], np.int16)
    moves = AllMoves(np.array([5]), np.array([2]), values.ravel())
    shown = moves.with_lines(np.array([0, 0]), np.array([4, 1]), 3)
    assert shown.options(0) == [("m0", 50), ("m1", 45), ("m2", 0), ("m4", -90)]
    assert shown.options(1) == [("m0", 50), ("m1", 45), ("m2", 0)]
    assert shown.played_index.tolist() == [3, 1]
    assert shown.numbers("n_lines").tolist() == [3, 3]
    by_depth = values_by_depth(shown, 2)
    # m0 is the worst of all at depth 1, so it is not listed there; m4 is the best.
    assert by_depth.values[:4, 0].tolist() == [20, 20, 20, 40]
    assert by_depth.censored[:4, 0].tolist() == [True, True, False, False]


def test_more_lines_than_moves_are_all_moves() -> None:
    positions = AllMoves.read()
    shown = positions.with_lines(np.array([3]), np.array([0]), 300)
    assert len(shown.options(0)) == positions.counts[3]
    assert [value for _, value in shown.options(0)] == sorted(positions.values[3][-1].tolist(), reverse=True)
    assert shown.numbers("n_legal") == pytest.approx([positions.counts[3]])


AGENT = DepthAgent(3.1, 0.15, 1.1)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    positions, first = AllMoves.read(), 100
    values = np.concatenate([depths.ravel() for depths in positions.values[:first]])
    return Simulation(AllMoves(positions.counts[:first], positions.depths[:first], values))


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
    """Among all legal moves, read as ten lines."""
    means, covered = simulation.recover(AGENT, 400, 60, seed=2)
    assert np.abs(means.mean(axis=0) - AGENT.parameters) == pytest.approx(np.zeros(3), abs=0.4)
    assert means[:, 0].mean() == pytest.approx(3.1, abs=0.12)
    assert (covered.mean(axis=0) >= 0.85).all()


def test_another_agent_is_told_apart(simulation: Simulation) -> None:
    agents = DepthAgent(2.5, 0.3, 0.5), DepthAgent(4.0, 0.05, 2.0)
    weak, strong = (simulation.recover(agent, 400, 10, seed=3)[0].mean(axis=0) for agent in agents)
    assert strong[0] > weak[0] + 1
    assert strong[1] < weak[1] - 1
    assert strong[2] > weak[2]


def test_what_the_method_assumes_is_what_was_measured() -> None:
    moves = AllMoves.read()
    for depths, bend in (
        (range(1, 2), SEEN_BENDS[0]),
        (range(2, 5), SEEN_BENDS[1]),
        (range(5, 9), SEEN_BENDS[-1]),
    ):
        seen, never = ratios(moves, 3.0, depths, bends=(bend, UNSEEN_BEND))
        assert 0.9 < seen[0] < 1.1
        assert 0.9 < never[1] < 1.2
