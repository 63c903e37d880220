"""Two players compared."""

import math

import pytest

from assay.decisions.decisions import Decisions
from assay.models import GainModel
from assay.models.gain.comparison import compare
from assay.testing import make_decisions
from examples.gain_examples import printed_decisions


@pytest.fixture(scope="module")
def game() -> Decisions:
    return printed_decisions()


def test_a_comparison_has_an_interval_from_games_where_there_are_enough() -> None:
    decisions = make_decisions(games=10)
    ann, bob = (decisions.select(player=name) for name in ("Ann", "Bob"))
    model = GainModel()
    found = compare(ann, bob, model)
    assert found.resampled
    assert found.low < found.expectation < found.high
    assert found.expectation == model.forecast(model.profile(ann), model.profile(bob)).expectation
    back = compare(bob, ann, model)
    assert back.expectation == pytest.approx(1 - found.expectation)
    assert back.low == pytest.approx(1 - found.high, abs=0.02)
    few = compare(ann.select(game="game0"), bob, model)
    assert not few.resampled
    assert few.high - few.low > found.high - found.low


def test_one_move_each_is_compared_without_certainty(game: Decisions) -> None:
    worse, better = (game.select(ply=ply) for ply in (20, 21))
    found = compare(worse, better, GainModel())
    assert found.expectation == 0
    assert found.differences[0] == -math.inf
    assert found.high > 0.5
