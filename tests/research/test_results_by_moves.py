"""How results follow moves: found again where it is known."""

from types import SimpleNamespace

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.with_results import Follows, Meetings, given_moves
from assay.results.metrics import outcome_probabilities
from examples.milepost_games import milepost_games
from research.calibration import results_by_moves as module
from research.calibration.results_by_moves import FEWEST_GAMES, follows_of, games_of, measure


def simulated(b: float, n: int = 800) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Games whose results follow the moves as ratings take them to, White ahead by 40, nu 1.5."""
    rng = np.random.default_rng(2)
    ahead = rng.normal(0, 100, n)
    said = ahead + rng.normal(0, 600, n)
    plain = Meetings(
        np.zeros(n, np.int64), np.ones(n, np.int64), np.full(n, 40.0), np.zeros(n), 1.5, np.ones((n, 2))
    )
    sides = np.stack((2000 + said, np.full(n, 2000.0)), axis=1)
    read = given_moves(plain, sides, Follows(b, 600 / np.sqrt(2)))
    win, drawn, _ = outcome_probabilities(read.shares[:, 0] * ahead + read.ahead, 1.5)
    chance = rng.random(n)
    return ahead, said, np.where(chance < win, 1.0, np.where(chance < win + drawn, 0.5, 0.0))


@pytest.mark.parametrize("b", [0.25, 0.9])
def test_a_known_b_is_found_again(b: float) -> None:
    found = measure(*simulated(b), resamples=30)
    assert found.low < b < found.high
    assert found.high - found.low < 0.15 + 0.2 * b
    assert found.error == pytest.approx(600 / np.sqrt(2), rel=0.1)
    assert found.draws == pytest.approx(1.5, rel=0.4)
    assert str(found).startswith(f"800 games: b {found.b:.2f} (")


def test_what_a_calibration_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    appearances = Appearances.of(milepost_games([2000], games=3, games_each=3))
    rater = SimpleNamespace(appearances=appearances)
    rows = np.arange(len(appearances))
    monkeypatch.setattr(module, "leads_of", lambda rater, rows: simulated(0.9))
    told = follows_of(rater, rows)  # type: ignore[arg-type]
    assert told is not None
    assert (told["b"], told["error"], told["games"]) == (
        pytest.approx(0.9, abs=0.1),
        pytest.approx(600 / np.sqrt(2), rel=0.1),
        800,
    )
    monkeypatch.setattr(module, "leads_of", lambda rater, rows: simulated(0.9, FEWEST_GAMES - 1))
    assert follows_of(rater, rows) is None  # type: ignore[arg-type]


def test_games_without_a_scale_say_nothing(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(tmp_path))
    with pytest.raises(InputError, match="no calibration"):
        games_of(Appearances.of(milepost_games([2000], games=1)))
