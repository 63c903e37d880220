"""Agents that choose among all legal moves, seen through some lines: found, covered, and alike."""

import numpy as np
import pytest

from research.papers.difatta2009 import unlisted


def test_agents_that_choose_among_all_legal_moves_are_found_and_covered() -> None:
    """Seen through 10 lines and a search of the played move alone, by the default."""
    ((mean, covered),) = unlisted.coverage("tail", 10, (1.2,), 400)
    assert mean == pytest.approx(1.2, abs=0.02)
    assert 0.93 <= covered <= 0.97
    ((biased, hardly),) = unlisted.coverage("value", 10, (1.2,), 20)
    assert biased < 1.0
    assert hardly < 0.2


def test_c_does_not_depend_on_the_number_of_lines() -> None:
    every = unlisted.all_moves()
    whole = np.arange(len(every))[None]
    found = [
        unlisted.posteriors(unlisted.evidence("tail", every, lines), whole)[0].mean
        for lines in (500, *unlisted.LINES)
    ]
    assert max(found) - min(found) < 0.05
