"""Matrices of transitions for tests of `markov`, and players simulated from known ones."""

from typing import NamedTuple

import numpy as np

from assay.decisions.profile import Profile
from assay.models.markov import (
    MarkovModel,
    draw_each,
    mirrored,
    outcomes,
    shares,
    stationary,
    tilted,
)
from assay.reproduce.alliot2017 import printed_matrices


def triangular(generator: np.random.Generator, size: int, count: int = 1, rare: float = 0.3) -> np.ndarray:
    """Matrices of moves that only fall, mostly staying."""
    counts = np.tril(generator.gamma(rare, size=(count, size, size))) + 5 * np.eye(size)
    return shares(counts)


def printed_rows() -> np.ndarray:
    """The mean of the two matrices that the paper prints."""
    white, black = printed_matrices()
    return shares(white + mirrored(black))


class Recovery(NamedTuple):
    """How a forecast found known expectations again."""

    coverage: float
    error: float
    raw_error: float
    strength: float


def recovery(*, pairs: int, moves: int = 1500, strength: float = 500.0, seed: int = 1, spread: float = 0.3):
    """Forecast pairs of players drawn about the printed rows at levels of this spread, the prior learned."""
    generator, rows, players = np.random.default_rng(seed), printed_rows(), 2 * pairs
    truth = draw_each(strength * tilted(rows, spread * generator.normal(size=players)), generator)
    visits = stationary(rows @ mirrored(rows))
    counts = np.zeros((players, *rows.shape))
    for player, matrix in enumerate(truth):
        in_class = generator.multinomial(moves, visits / visits.sum())
        counts[player] = [generator.multinomial(n, row) for n, row in zip(in_class, matrix, strict=True)]
    model = MarkovModel("uniform")
    profiles = [Profile(model.identity, matrix, moves, 50) for matrix in counts]
    model.learn(profiles)
    first, second = np.arange(0, players, 2), np.arange(1, players, 2)
    known, raw = (outcomes(each, each, first, second) @ [1, 0.5, 0] for each in (truth, shares(counts)))
    forecasts = [model.forecast(profiles[i], profiles[j]) for i, j in zip(first, second, strict=True)]
    inside = [each.low <= true <= each.high for each, true in zip(forecasts, known, strict=True)]
    errors = np.abs([each.expectation for each in forecasts] - known)
    assert model.prior_ is not None
    return Recovery(
        float(np.mean(inside)), errors.mean(), np.nanmean(np.abs(raw - known)), model.prior_.strength
    )
