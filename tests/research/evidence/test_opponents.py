"""What the opponent's moves tell, on simulated games of known levels and errors."""

import numpy as np
import pytest

from research.evidence.opponents import measure_opponents


def games(levels: float, errors: float, n: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Elos of deviation 250, and what moves say, which strays by 450, of both sides."""
    rng = np.random.default_rng(1)

    def pairs(deviation: float, correlation: float) -> np.ndarray:
        matrix = deviation**2 * np.array([[1, correlation], [correlation, 1]])
        return rng.multivariate_normal([0, 0], matrix, n)

    elo = 2200 + pairs(250, levels)
    return elo, elo + pairs(450, errors)


def test_what_is_there_is_found() -> None:
    found = measure_opponents(*games(0.6, 0.3))
    assert found.levels == pytest.approx(0.6, abs=0.02)
    assert found.errors == pytest.approx(0.3, abs=0.02)
    # The error of the best line: the square root of what it leaves of the variance.
    own = np.sqrt(1 - 250**2 / (250**2 + 450**2))
    assert found.own == pytest.approx(own, abs=0.01)


def test_alike_opponents_tell_where_errors_are_apart() -> None:
    found = measure_opponents(*games(0.6, 0.0))
    assert found.both < found.own - 0.02


def test_opponents_tell_nothing_where_errors_go_together_as_levels_do() -> None:
    found = measure_opponents(*games(0.6, 0.6))
    assert found.both == pytest.approx(found.own, abs=0.002)
