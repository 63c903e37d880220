"""Many players tested at once: false discoveries, the strictest bound, how many honest ones look alike.

`field` is how many were tested in all, where only some of the tests are given: those whom a first look named,
and who are tested again, were still picked out of everyone.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from assay.decisions.arrays import Floats, Mask


def two_sided(departure: Floats) -> Floats:
    """Probability that an honest player departs so far, either way."""
    return np.asarray(2 * ndtr(-np.abs(departure)))


def bounds(share: float) -> float:
    """How far from zero a departure is that a share of honest players exceeds, either way."""
    return float(-ndtri(share / 2))


def false_discovery(p: Floats, field: int | None = None) -> Floats:
    """Q by Benjamini and Hochberg (1995): naming all with q <= x, a share x of the named is honest at most.

    On average, and if tests are independent or rise and fall together, as those of one field do. Tests that
    are not given count as the largest.
    """
    n = len(p)
    order = np.argsort(p)
    stepped = p[order] * (field or n) / np.arange(1, n + 1)
    q = np.empty(n)
    q[order] = np.minimum.accumulate(stepped[::-1])[::-1]
    return np.minimum(q, 1.0)


def bonferroni(p: Floats, field: int | None = None) -> Floats:
    """P times how many are tested: the chance that any honest player of the field departs so far, at most."""
    return np.minimum(p * (field or len(p)), 1.0)


def expected_alike(departure: Floats, field: int | None = None) -> Floats:
    """How many honest players of a field of this size depart as far, to the same side, by chance."""
    return np.asarray((field or len(departure)) * ndtr(-np.abs(departure)))


def named_by_evidence(evidence: Floats, level: float, field: int | None = None) -> Mask:
    """Which of some tests are named by their e-values (Wang and Ramdas 2022): any dependence is allowed.

    The k largest are named where the k-th is at least n / (k level), for the largest such k.
    """
    n = len(evidence)
    order = np.argsort(-evidence)
    enough = evidence[order] >= (field or n) / (np.arange(1, n + 1) * level)
    named = np.zeros(n, dtype=bool)
    if enough.any():
        named[order[: np.flatnonzero(enough)[-1] + 1]] = True
    return named
