"""What the tests of the agent share: the calibration that ships, and a small recipe for scripted engines."""

import dataclasses

import pytest

from assay.engine.recipe import NAMED, Recipe
from assay.rating.calibration import Calibration, shipped

STANDARD = "672593ce2551e878"


@pytest.fixture(scope="session")
def standard() -> Calibration:
    """The calibration of Stockfish 15.1 with `standard`."""
    found = shipped(STANDARD)
    assert found is not None
    return found


@pytest.fixture
def recipe() -> Recipe:
    """Three lines are enough to be told apart."""
    return dataclasses.replace(NAMED["standard"], lines=3)
