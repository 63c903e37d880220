import numpy as np
import pytest

from assay.models.depth.likelihood import Positions
from examples.depth_games import milepost_games
from research.papers.regan2011.depth_positions import AllMoves
from research.papers.regan2011.depth_predictions import (
    MilepostDecisions,
    best_moves,
    late_and_early,
    ratio,
    resampled_games,
    slopes,
    ties,
    weights_by_milepost,
)


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
