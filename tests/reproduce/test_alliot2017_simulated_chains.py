"""Decisions simulated from known matrices: what is drawn follows them, and forecasts find them again."""

import numpy as np
import pytest

from assay.models.markov import MarkovModel, ValueClasses
from assay.models.markov_prior import shares
from assay.reproduce.alliot2017 import as_decisions, recovery, simulate_players
from examples.markov_chains import printed_rows

CLASSES = ValueClasses.uniform()


def test_values_fall_into_the_classes_they_were_made_for() -> None:
    before, after = np.array([3, 3, 9, 5]), np.array([3, 1, 0, 5])
    decisions = as_decisions(CLASSES, after, before, np.array([0, 1, 0, 1]))
    assert decisions.text("player") == ["player 0", "player 1", "player 0", "player 1"]
    assert CLASSES.of(decisions.best_value).tolist() == before.tolist()
    assert CLASSES.of(decisions.played_value).tolist() == after.tolist()


def test_counts_of_many_moves_are_the_drawn_matrices() -> None:
    decisions, matrices = simulate_players(printed_rows(), 500.0, CLASSES, players=2, moves=40_000, seed=1)
    model = MarkovModel(CLASSES, prior="none")
    for player, matrix in enumerate(matrices):
        counts = model.profile(decisions.select(player=f"player {player}")).evidence
        seen = counts.sum(axis=1) > 2000
        assert seen.sum() >= 3
        assert shares(counts)[seen] == pytest.approx(matrix[seen], abs=0.03)


def test_known_expectations_are_found_again() -> None:
    found = recovery(printed_rows(), CLASSES, pairs=40, moves=1500, seed=3)
    assert found.pairs == 40
    assert 0.85 <= found.coverage <= 1.0
    assert found.error < found.raw_error
    assert 150 < found.strength < 1500
