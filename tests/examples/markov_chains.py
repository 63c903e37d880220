"""Matrices of transitions for tests of `markov`."""

import numpy as np

from assay.models.markov import mirrored
from assay.models.markov_prior import shares
from assay.reproduce import facts


def triangular(generator: np.random.Generator, size: int, count: int = 1, rare: float = 0.3) -> np.ndarray:
    """Matrices of moves that only fall, mostly staying."""
    counts = np.tril(generator.gamma(rare, size=(count, size, size))) + 5 * np.eye(size)
    return shares(counts)


def printed_rows() -> np.ndarray:
    """The mean of the two matrices that the paper prints."""
    printed = facts("alliot2017")
    names = ("fischer_1971_white_matrix", "spassky_1971_black_matrix")
    white, black = (np.array(printed[name]) for name in names)
    return shares(white + mirrored(black))
