"""Agents on reference positions: what is drawn and prepared."""

import numpy as np
import pytest

from assay.models.choice.model import ChoiceModel
from assay.models.choice.probabilities import probabilities
from research.papers.regan2011 import simulation


def test_whole_games_are_drawn_until_there_are_turns_enough() -> None:
    units = [np.arange(0, 7), np.arange(7, 20)]
    rows, game = simulation.drawn(units, 40, np.random.default_rng(1))
    assert len(rows) == len(game) == 40
    starts = np.flatnonzero(np.diff(game, prepend=-1))
    assert set(rows[starts].tolist()) <= {0, 7}


def test_what_is_prepared_is_what_the_model_finds() -> None:
    """`check` compares both; it must notice other probabilities."""
    model = ChoiceModel()
    turns = model.reference
    agent = probabilities(turns, 0.2, 0.5)
    rows = np.arange(len(turns))
    played = simulation.drawn_moves(turns, agent, rows, np.random.default_rng(2))
    spreads = turns.replayed(played)
    prepared = simulation.Prepared(model, spreads)
    simulation.check(model, spreads, prepared)
    prepared.before += 0.05
    with pytest.raises(AssertionError):
        simulation.check(model, spreads, prepared)
