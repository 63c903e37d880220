"""Simulated players whose strength is known: every prior errs and covers as it should."""

from collections.abc import Mapping

import numpy as np
import pytest

from assay.rating.posterior import Range
from examples.spreads import known
from research.evidence.simulated_priors import (
    Event,
    Tally,
    plain_spread,
    populations,
    tally_priors,
    tally_results,
)

SPAN = Range(1500, 2800)


@pytest.fixture(scope="module")
def found() -> Mapping[str, Tally]:
    rng = np.random.default_rng(4)
    return tally_priors(populations(1750, 150, 25, 24, rng), 2.0, known(), SPAN, rng)


@pytest.mark.parametrize("name", ["pool", "rating"])
def test_intervals_hold_the_truth_as_often_as_they_say(name: str, found: Mapping[str, Tally]) -> None:
    assert len(found[name].held) == 600
    assert 0.93 <= found[name].coverage <= 0.97


def test_what_is_known_makes_the_error_smaller(found: Mapping[str, Tally]) -> None:
    assert found["rating"].error < 0.6 * found["pool"].error
    assert found["pool"].error < 0.85 * found["flat"].error
    assert abs(found["pool"].bias) < 30 < 70 < found["flat"].bias


def test_moves_and_results_together_err_least_and_cover() -> None:
    """Results hang on the moves of their games: to multiply both as if they did not is too sure."""
    rng = np.random.default_rng(8)
    events = (Event(rng.uniform(1500, 2800, 20), 5) for _ in range(50))
    found = tally_results(events, plain_spread(), SPAN, rng)
    assert found["both"].error < 0.95 * min(found["moves"].error, found["results"].error)
    for name in ("moves", "results", "both"):
        assert 0.93 <= found[name].coverage <= 0.97
    assert found["both, as if independent"].coverage < found["both"].coverage
