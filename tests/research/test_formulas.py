"""Elo formulas of other programs, worked out by hand for a few moves."""

import numpy as np
import pytest

from research.evidence.formulas import FORMULAS, refit

BEST = np.array([30.0, 50.0, 1500.0, 0.0])
PLAYED = np.array([30.0, 30.0, 900.0, -300.0])
"""Losses 0, 20, 100 (values are cut at 1000) and 300: 105 on average."""


@pytest.mark.parametrize(
    ("program", "elo"),
    [
        ("Chesskit", 3100 * np.exp(-1.05)),
        # A quarter of the losses above 200, a quarter from 100 to 200: raw = 2800 - 892.5 - 40 (12.5 + 5).
        ("CARA 2.8", (2800 - 892.5 - 700) / 1.995 + 233),
    ],
)
def test_formulas_as_printed(program: str, elo: float) -> None:
    rated = FORMULAS[program](BEST, PLAYED, np.full(4, 30), np.arange(20, 28, 2))
    assert rated == pytest.approx(elo)


def test_lucas_takes_moves_that_were_a_choice() -> None:
    formula = FORMULAS["Lucas Chess R6"]
    alone = formula(BEST[:1], PLAYED[:1], np.array([30]), np.array([20]))
    with_forced = formula(BEST[[0, 3]], PLAYED[[0, 3]], np.array([30, 1]), np.array([20, 22]))
    assert alone == with_forced == 3300


def test_a_line_from_other_games_removes_scale_and_shift() -> None:
    elo = np.linspace(1500, 2800, 100)
    assert refit(elo / 2 + 700, elo, np.arange(100) // 2) == pytest.approx(elo)
