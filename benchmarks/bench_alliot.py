"""Head-to-heads of everyone against everyone, Markov and covariance (Alliot 2017)."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.models.covariance import ResultVector, convolved_expectations
from assay.models.markov import all_pairs, mirrored
from assay.models.markov_prior import shares
from benchmarks.measure import best_seconds, row

MARKOV_PLAYERS = 548
COVARIANCE_PLAYERS = 425


def run() -> list[dict[str, Any]]:
    return [*_markov(), *_covariance()]


def _markov() -> list[dict[str, Any]]:
    generator = np.random.default_rng(1)
    counts = np.tril(generator.gamma(0.3, size=(MARKOV_PLAYERS, 19, 19))) + 5 * np.eye(19)
    matrices = shares(counts)
    all_pairs(matrices[:2], matrices[:2])  # compiled once, kept on disk
    seconds = best_seconds(lambda: all_pairs(matrices, matrices), runs=5)
    pairs = MARKOV_PLAYERS**2
    few = 300
    plain = best_seconds(lambda: [_by_eigenvectors(matrices[i], matrices[i + 1]) for i in range(few)])
    ratio = (plain / few) / (seconds / pairs)
    return [
        row(f"{pairs:,} Markov head-to-heads, 19 classes", seconds, "s", "under 2 s", seconds < 2),
        row("the same, times faster than numpy's eigenvectors", ratio, "x", "above 1", ratio > 1),
    ]


def _by_eigenvectors(white: np.ndarray, black: np.ndarray) -> float:
    values, vectors = np.linalg.eig((white @ mirrored(black)).T)
    vector = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    return float(vector[-1] / vector.sum())


def _covariance() -> list[dict[str, Any]]:
    generator = np.random.default_rng(2)
    players = generator.dirichlet(1 / np.arange(1, 42), size=COVARIANCE_PLAYERS)
    seconds = best_seconds(lambda: convolved_expectations(players, players, 32, 0.1, ResultVector()), runs=5)
    pairs = COVARIANCE_PLAYERS**2
    return [row(f"{pairs:,} covariance head-to-heads, n0 = 32", seconds, "s", "under 2 s", seconds < 2)]
