"""How results follow moves: found again where it is known."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.results.outcomes import outcome_probabilities
from assay.validation.results_by_moves import games_of, measure
from examples.milepost_games import milepost_games


def test_a_known_b_is_found_again() -> None:
    rng = np.random.default_rng(2)
    ahead = rng.normal(0, 100, 800)
    said = ahead + rng.normal(0, 600, 800)
    win, drawn, _ = outcome_probabilities(0.75 * ahead + 0.25 * said + 40, 1.5)
    chance = rng.random(800)
    result = np.where(chance < win, 1.0, np.where(chance < win + drawn, 0.5, 0.0))
    found = measure(ahead, said, result, resamples=30)
    assert found.low < 0.25 < found.high
    assert found.high - found.low < 0.15
    assert found.error == pytest.approx(600 / np.sqrt(2), rel=0.1)
    assert found.draws == pytest.approx(1.5, rel=0.3)
    assert str(found).startswith("800 games: b 0.2")


def test_games_without_a_scale_say_nothing(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(tmp_path))
    with pytest.raises(InputError, match="no calibration"):
        games_of(Appearances.of(milepost_games([2000], games=1)))
