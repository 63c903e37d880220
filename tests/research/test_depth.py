import numpy as np
import pytest

from assay.decisions.depths import values_by_depth
from assay.models.depth.agents import SEEN_BENDS, UNSEEN_BEND, DepthAgent
from assay.models.depth.likelihood import Positions
from examples.depth_games import milepost_games
from research.evidence.depth import (
    METHODS,
    MilepostDecisions,
    Recovery,
    best_moves,
    held_out,
    late_and_early,
    on_weights,
    ratio,
    recovered,
    resampled_games,
    shared,
    slopes,
    ties,
    weights_by_milepost,
)
from research.evidence.depth_positions import AllMoves, Simulation, below, ratios


def test_kept_positions_have_all_moves_at_all_depths() -> None:
    kept = AllMoves.read()
    assert len(kept.values) == 400
    for count, depth, values in zip(kept.counts, kept.depths, kept.values, strict=True):
        assert values.shape == (depth, count)
    assert kept.counts.mean() > 25
    assert np.median(kept.depths) >= 5


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
    kept = AllMoves.read()
    shown = kept.with_lines(np.array([3]), np.array([0]), 300)
    assert len(shown.options(0)) == kept.counts[3]
    assert [value for _, value in shown.options(0)] == sorted(kept.values[3][-1].tolist(), reverse=True)
    assert shown.numbers("n_legal") == pytest.approx([kept.counts[3]])


AGENT = DepthAgent(3.1, 0.15, 1.1)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    kept, first = AllMoves.read(), 100
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


def test_moves_below_lie_between_the_last_line_and_a_lost_position() -> None:
    losses = below(100.0, 40.0, 2.0)
    assert (np.diff(losses) > 0).all()
    assert losses[0] > 60
    assert losses[-1] < 1100


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


def test_the_method_of_the_agents_describes_their_games_best() -> None:
    decisions = milepost_games()
    kept = shared(decisions)
    assert 200 < len(kept) < len(decisions)  # positions beyond three pawns are left out
    centuries, sums, counts = held_out(decisions, folds=2)
    assert centuries == (1600, 2600)
    assert sums.shape == (2, 24, len(METHODS))
    assert counts.sum() == len(kept)
    mean = sums.sum(axis=1) / counts.sum(axis=1)[:, None]
    assert np.argmax(mean[0]) == METHODS.index("depth")
    assert ((mean > -4) & (mean < -0.5)).all()


@pytest.fixture(scope="module")
def made() -> MilepostDecisions:
    return MilepostDecisions(milepost_games())


def test_weights_by_milepost_and_their_slopes(made: MilepostDecisions) -> None:
    assert made.mileposts.centuries == (1600, 2600)
    weights = resampled_games(made.n_games, 8)
    found = weights_by_milepost(made.evidence_by_game(), weights, 12)
    assert found.shape == (9, 2, 4)
    c, sight, _, depth = slopes(made.mileposts.elos, found)
    assert c.low > 0
    assert sight.high < 0
    assert depth.low > 0
    assert c.low <= c.value <= c.high


def test_the_agent_of_the_last_depth(made: MilepostDecisions) -> None:
    weak, strong = made.last_depth_agents()
    assert weak.c < strong.c
    assert weak.weights()[-1] == pytest.approx(1)


def test_late_and_early_moves_beside_what_agents_project(made: MilepostDecisions) -> None:
    options = len(made.decisions.values)
    projected = np.full(options, 1.0), np.full(options, 0.25)
    weights = resampled_games(made.n_games, 20)
    late, early = best_moves(made, {"weak": [1600]}, projected, weights)
    assert (late.name, early.name) == ("weak, late", "weak, early")
    assert late.played.value < early.played.value
    for one in (late, early):
        assert one.last_depth.value == pytest.approx(one.played.value - 1)
        assert one.all_depths.value == pytest.approx(one.played.value - 0.25)
        assert one.played.low <= one.played.value <= one.played.high
    expected = [mask[made.milepost == 0].sum() for mask in late_and_early(made.decisions, made.positions)]
    assert [late.decisions, early.decisions] == expected


def test_late_is_behind_at_depth_five_or_not_listed() -> None:
    values = np.array([[10, 0, 0]] * 4 + [[0, 60, 0], [90, 10, 0]], np.int16)
    later = AllMoves(np.array([3]), np.array([6]), values.flatten())
    values[4] = [20, 0, 0]
    early = AllMoves(np.array([3]), np.array([6]), values.flatten())
    for moves, expected in ((later, (True, False)), (early, (False, True))):
        shown = moves.with_lines(np.array([0]), np.array([0]), 3)
        found = late_and_early(shown, Positions.of(shown))
        assert tuple(bool(one[0]) for one in found) == expected


def test_ties_are_counted_with_what_depths_say() -> None:
    made = MilepostDecisions.__new__(MilepostDecisions)
    values = np.array([[40, 0, -50], [20, 20, -60]], np.int16)
    moves = AllMoves(np.array([3]), np.array([2]), values.flatten())
    made.decisions = moves.with_lines(np.zeros(3, np.int64), np.array([0, 0, 1]), 3)
    made.game = np.array([0, 1, 1])
    flat = np.array([0.6, 0.2, 0.2] * 3)
    found = ties(made, flat, resampled_games(2, 5))
    assert found.decisions == 3
    assert found.first.value == pytest.approx(2 / 3)
    assert found.projected.value == pytest.approx(0.75)
    assert found.off.value == pytest.approx(2 / 3 - 0.75)


def test_ratios_weigh_games() -> None:
    weights = np.array([[1.0, 1.0], [2.0, 0.0], [2.0, 0.0]])
    found = ratio(np.array([1.0, 0.0, 0.0]), np.ones(3), np.array([0, 1, 1]), weights)
    assert found.value == pytest.approx(1 / 3)
    assert (found.low, found.high) == pytest.approx((1.0, 1.0))
    assert str(found) == "0.333 (1.000 to 1.000)"


def test_a_row_for_each_milepost_and_each_kind_of_move() -> None:
    made = MilepostDecisions(milepost_games())
    found = dict(on_weights(made, resampled_games(made.n_games, 3)))
    lines = found["Weights by milepost"].splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["1600", "2600"]
    assert found["Moves whose value appears late"].count("late") == 3
    assert "mean depth" in found["Change per 1000 points of Elo"]


def test_a_recovery_becomes_a_row() -> None:
    one = Recovery(
        agent=DepthAgent(3.0, 0.5, 1.0),
        players=10,
        decisions=300,
        mean=np.array([3.01, -0.1, 1.2]),
        spread=np.array([0.1, 0.2, 0.3]),
        covered=np.array([0.95, 0.9, 1.0]),
    )
    row = "| 300 | 3.00 | 3.01 ± 0.10 | 95.0% | 0.00 | -0.10 ± 0.20 | 90.0% | 1.00 | 1.20 ± 0.30 | 100.0% |"
    assert recovered([one]).splitlines()[-1] == row
