"""What the page of traits says, from appearances whose truth is known."""

import numpy as np
import pytest

from assay.models.mileposts import Mileposts
from research.evidence.traits import drawn_to_opponent


def reference(opponent_shift: float) -> Mileposts:
    elo = np.repeat(np.arange(1600.0, 2700.0, 100.0), 40)
    shift = np.tile(np.repeat((0.0, opponent_shift, -opponent_shift, 0.0), 10), 11)
    n = len(elo)
    return Mileposts(
        rows=np.arange(n),
        elo=elo,
        opponent=elo + shift,
        size=np.full(n, 30.0),
        game=np.arange(n),
        player=np.arange(n),
        milepost=np.repeat(np.arange(11), 40),
        centuries=tuple(range(1600, 2700, 100)),
    )


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_how_far_the_opponent_shows(share: float) -> None:
    games = reference(400.0)
    noise = np.random.default_rng(0).normal(0, 60, len(games.rows))
    found = (games.elo + share * (games.opponent - games.elo) + noise - 2100) / 350
    slope, error = drawn_to_opponent(found, games)
    assert slope == pytest.approx(100 * share, abs=3 * error)
    assert 0.5 < error < 3


def test_among_equals_nothing_can_be_said() -> None:
    games = reference(0.0)
    slope, _ = drawn_to_opponent(games.elo / 350, games)
    assert np.isnan(slope)
