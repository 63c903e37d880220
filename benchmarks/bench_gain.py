"""Speed of the distribution of gain: all pairs of 600 player-years, and one pair."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.models.gain import distribution
from benchmarks.measure import best_seconds, row

LIMIT = 3900
PLAYER_YEARS = 600
MOVES = 1_500


def player_years(n: int = PLAYER_YEARS, moves: int = MOVES, seed: int = 0) -> sparse.csr_array:
    """Histograms with the shape of real ones: a peak near zero, a long tail of losses, some mates."""
    generator = np.random.default_rng(seed)
    skill = np.repeat(generator.uniform(0.7, 1.4, n), moves)
    gains = generator.laplace(-15, 25, n * moves) * skill
    blunders = generator.random(n * moves) < 0.05 * skill
    gains[blunders] -= generator.exponential(250, blunders.sum())
    clipped = np.clip(gains, -2 * LIMIT, 2 * LIMIT)
    return distribution.histograms(clipped, np.repeat(np.arange(n), moves), n, LIMIT)


def by_correlation(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float:
    """Eq. 1 and 2 as the paper writes them: the whole cross-correlation (fast), then the sum of a half."""
    correlation = distribution.cross_correlation(x, y)
    middle = len(y) - 1
    return float(0.5 * correlation[middle] + correlation[middle + 1 :].sum())


def run() -> list[dict[str, Any]]:
    rows = player_years()
    pairs = PLAYER_YEARS * (PLAYER_YEARS - 1) // 2
    whole = best_seconds(lambda: distribution.expectations(rows), 5)
    dense = rows[:2].toarray()
    ratio = pairs * best_seconds(lambda: by_correlation(dense[0], dense[1]), 20) / whole
    return [
        row(f"gain: all {pairs:,} pairs of {PLAYER_YEARS} player-years", whole, "s", "under 1 s", whole < 1),
        row("gain: all pairs, against FFT correlation of each", ratio, "times", "over 100", ratio > 100),
    ]
