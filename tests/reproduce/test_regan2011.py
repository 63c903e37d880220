"""The published numbers of Regan and Haworth 2011."""

import numpy as np
import pytest

from assay.reproduce import regan2011


def test_fits_find_the_printed_agents_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(regan2011._fits())
    assert [row.ok for row in rows] == [True] * 9
    original = regan2011.chosen_evenly
    monkeypatch.setattr(regan2011, "chosen_evenly", lambda spreads, s, c: original(spreads, 1.02 * s, c))
    monkeypatch.setattr(regan2011, "FITTED", (2700,))
    wrong = {row.item.split()[0]: row.ok for row in regan2011._fits()}
    assert wrong == {"s": False, "c": True, "s_fit": False}


def test_choices_are_spread_evenly_over_the_probabilities() -> None:
    positions = regan2011.ChoiceModel().reference.take(np.arange(3))
    chosen = regan2011.chosen_evenly(positions, 0.1, 0.5)
    p = regan2011.probabilities(positions, 0.1, 0.5)
    for turn, (first, last) in enumerate(zip(positions.offsets[:-1], positions.offsets[1:], strict=True)):
        played = chosen.played[turn * regan2011.CHOICES : (turn + 1) * regan2011.CHOICES]
        shares = np.bincount(played, minlength=last - first) / regan2011.CHOICES
        assert shares == pytest.approx(p[first:last], abs=1 / regan2011.CHOICES)
