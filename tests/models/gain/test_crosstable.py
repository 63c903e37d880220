import math

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.models import GainModel
from assay.models.gain.crosstable import results_between
from assay.models.gain.tournament import cross_tables
from examples.gain_examples import place, round_robin, with_column


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return round_robin()


def test_totals_and_order(decisions: Decisions) -> None:
    [table] = cross_tables(decisions, GainModel(), resamples=0)
    assert table.total_results.sum() == pytest.approx(24)
    assert table.total_expectations.sum() == pytest.approx(24)
    assert (np.diff(table.total_results) <= 0).all()
    assert table.perceived.ratings.mean() == pytest.approx(table.elos.mean())
    assert table.changes.sum() == pytest.approx(0)
    np.testing.assert_allclose(*table.engine_strength())  # section 6: both averages are exactly the same


def test_the_order_of_players_goes_through_the_whole_table(decisions: Decisions) -> None:
    """Each player's row, found by name, is the same whatever their results were."""
    turned = with_column(decisions, "result", (1 - decisions.numbers("result")).tolist())
    [first], [second] = (cross_tables(d, GainModel(), resamples=10) for d in (decisions, turned))
    assert first.players != second.players
    for name in "ABCD":
        i, j = place(first, name), place(second, name)
        assert first.perceived.ratings[i] == pytest.approx(second.perceived.ratings[j])
        assert first.low[i] == pytest.approx(second.low[j])
        assert first.against_engine[i] == pytest.approx(second.against_engine[j])
        assert first.elos[i] == second.elos[j]


def test_results_of_one_side_and_unknown_ones() -> None:
    game, result = np.array([0, 0, 1, 2]), np.array([1.0, 1.0, 0.5, math.nan])
    player, opponent = np.array([0, 0, 1, 0]), np.array([1, 1, 0, 2])
    games, results = results_between(player, opponent, game, result, 3)
    assert games.tolist() == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    assert results[0, 1] == 1.5
    assert results[1, 0] == 0.5
    assert math.isnan(results[0, 2])
    assert math.isnan(results[1, 2])
