"""Strength after every move (Ferreira 2012, Figure 6), against the model on the moves so far."""

import math

import numpy as np
import pytest

from assay.decisions.evaluation import MATE
from assay.models import GainModel
from assay.models.gain.running import gains_from_values, running_strength
from assay.reproduce.ferreira2012 import game_gains
from assay.testing import make_decisions
from examples.gain_examples import GAME


def test_figure_6() -> None:
    """Six moves of Byrne at minus infinity, then up to -185; Fischer begins at 0, ends at -43."""
    byrne, fischer = (running_strength(gains, GainModel()) for gains in game_gains(GAME))
    assert np.isneginf(byrne.strength[:6]).all()
    assert np.isfinite(byrne.strength[6:]).all()
    assert fischer.strength[0] == 0
    assert (np.diff(fischer.strength[:5]) < 0).all()
    assert [round(byrne.strength[-1]), round(fischer.strength[-1])] == [-185, -43]


@pytest.mark.parametrize("engine_profile", ["peak", "measured"])
def test_after_each_move_it_is_the_model_on_the_moves_so_far(engine_profile: str) -> None:
    decisions = make_decisions(games=12)
    model = GainModel(engine_profile=engine_profile, engine_strength=2900)
    if engine_profile == "measured":
        model.measure_engine(decisions)
    one = decisions.select(game="game0", player="Ann")
    gains = one.numbers("after") - one.numbers("before")
    running = running_strength(gains, model)
    for moves in (1, 5, len(one)):
        estimate = model.estimate(model.profile(one.take(np.arange(moves))))
        assert running.expectation[moves - 1] == pytest.approx(estimate["expectation"].value)
        assert running.strength[moves - 1] == pytest.approx(estimate["strength"].value)
        assert running.strength_low[moves - 1] == pytest.approx(estimate["strength"].low)
        assert running.strength_high[moves - 1] == pytest.approx(estimate["strength"].high)


def test_the_interval_narrows_and_holds_the_value() -> None:
    generator = np.random.default_rng(1)
    running = running_strength(generator.integers(-40, 10, 80), GainModel())
    assert (running.low <= running.expectation).all()
    assert (running.expectation <= running.high).all()
    width = running.high - running.low
    assert width[4] > width[19] > width[79]


def test_unknown_gains_do_not_count() -> None:
    known = running_strength([-5.0, 0.0, 3.0], GainModel())
    holes = running_strength([math.nan, -5.0, math.nan, 0.0, 3.0], GainModel())
    assert math.isnan(holes.expectation[0])
    assert holes.expectation[1:].tolist() == known.expectation[[0, 0, 1, 2]].tolist()


def test_gains_of_both_sides_from_values_of_the_movers() -> None:
    white, black = gains_from_values([13, -12, 10, MATE], GainModel())
    assert white.tolist() == [-1, -3910]
    assert black.tolist() == [2]
    first, second = gains_from_values([13, -12, 10], GainModel(), white_starts=False)
    assert (first.tolist(), second.tolist()) == ([2], [-1])
