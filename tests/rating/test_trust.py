"""Calibrations that rest on too little."""

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.groups import Rater
from assay.rating.trust import STRAYS, check_usable, one_game, provisional_note, shortcomings
from examples.milepost_games import milepost_games


def _poor(calibration: Calibration) -> Calibration:
    """The same, as if it were from few games: and far too sure of itself."""
    spread = calibration.spread
    sure = replace(spread, unit=spread.unit / 100, form=1.0, milepost_games=5.0)
    return replace(calibration, spread=sure)


def test_enough_games_are_enough(calibration: Calibration) -> None:
    assert shortcomings(calibration) == ()
    assert provisional_note(calibration) == ""


def test_few_games_are_provisional(calibration: Calibration) -> None:
    poor = _poor(calibration)
    assert "50 players in games" in provisional_note(poor)
    slope = calibration.spread.slope.copy()
    slope[:, 0] = 1e-6
    mute = replace(calibration, spread=replace(calibration.spread, slope=slope))
    name = calibration.spread.methods[0]
    assert one_game(mute)[name] > STRAYS
    assert f"{name} says nothing" in provisional_note(mute)
    check_usable(mute)  # the others speak
    known = replace(mute, spread=replace(mute.spread, milepost_games=1000.0))
    assert provisional_note(known) == ""  # of thousands, it is no chance
    silent = replace(calibration, spread=replace(calibration.spread, slope=np.full_like(slope, 1e-6)))
    with pytest.raises(InputError, match="make no calibration"):
        check_usable(silent)


def test_a_provisional_one_is_never_narrower(calibration: Calibration) -> None:
    new = Appearances.of(milepost_games([2100], seed=31, games=2, games_each=2))
    rows = [np.arange(len(new))[new.player == new.player[0]]]
    (honest,) = Rater(new, calibration).rate(rows)
    (poor,) = Rater(new, _poor(calibration)).rate(rows)
    # What 2 games let say by the shipped kind: hundreds of points either way, for each method.
    assert all(one.high - one.low > 400 for one in poor.values())
    assert all(one.low < one.elo < one.high for one in poor.values())
    assert set(poor) == set(honest)
