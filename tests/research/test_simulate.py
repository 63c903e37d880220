"""Agents on real decisions: what is drawn follows the probabilities, and nothing else changes."""

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.testing import make_decisions
from research.simulate import simulate


def test_moves_are_drawn_in_proportion() -> None:
    decisions = make_decisions(games=200, options=4)
    probabilities = np.tile([0.5, 0.3, 0.2, 0.0], len(decisions))
    found = simulate(decisions, probabilities, seed=7)
    shares = np.bincount(found.played_index, minlength=4) / len(found)
    assert shares == pytest.approx([0.5, 0.3, 0.2, 0.0], abs=4 * np.sqrt(0.25 / len(found)))
    assert shares[3] == 0


def test_only_the_played_move_and_what_follows_change() -> None:
    decisions = make_decisions()
    found = simulate(decisions, np.ones(len(decisions.values)), seed=1)
    for row in (0, 17, len(found) - 1):
        assert found.text("played")[row] == found.options(row)[found.played_index[row]][0]
    assert np.isnan(found.numbers("after")).all()
    assert np.array_equal(found.values, decisions.values)
    assert found.text("player") == decisions.text("player")
    assert Decisions.from_table(found.to_table()) == found


def test_the_same_seed_gives_the_same_moves() -> None:
    decisions = make_decisions()
    even = np.ones(len(decisions.values))
    assert simulate(decisions, even, seed=3) == simulate(decisions, even, seed=3)
    assert simulate(decisions, even, seed=3) != simulate(decisions, even, seed=4)


def test_wrong_probabilities_are_refused() -> None:
    decisions = make_decisions()
    with pytest.raises(InputError, match="every option"):
        simulate(decisions, np.ones(3), seed=0)
    with pytest.raises(InputError, match="not all zero"):
        simulate(decisions, np.zeros(len(decisions.values)), seed=0)
    empty = Decisions.from_table(
        pa.table(
            {
                "player": ["Ann"],
                "moves": pa.array([[]], pa.list_(pa.string())),
                "cp": pa.array([[]], pa.list_(pa.int32())),
                "played": ["a"],
            }
        )
    )
    with pytest.raises(InputError, match="without options"):
        simulate(empty, np.zeros(0), seed=0)


def test_an_option_that_is_not_there_cannot_have_been_played() -> None:
    decisions = make_decisions()
    with pytest.raises(InputError, match="one of the options"):
        decisions.with_played(np.full(len(decisions), 99))
