"""One event for all tests of the page."""

import pytest

from assay.decisions.decisions import Decisions
from examples.gain_examples import round_robin


@pytest.fixture(scope="session")
def tournament() -> Decisions:
    """Four players, everybody against everybody, six games each."""
    return round_robin(games=6)
