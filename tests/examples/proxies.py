"""Probability proxies of `choice`, slow and transparent: what the compiled inverses are tested against."""

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats


def proxies(curve: str, delta: npt.ArrayLike, s: float, c: float) -> Floats:
    """Probability proxies y of scaled differences, as Regan and Haworth 2011 write them."""
    ratio = np.asarray(delta, dtype=np.float64) / s
    z = ratio**c
    with np.errstate(over="ignore"):
        written: dict[str, Any] = {
            "inverse-exponential": lambda: np.exp(-z),
            "ipa": lambda: 1 / (1 + z),
            "ipb": lambda: 1 / (1 + ratio) ** c,
            "secha": lambda: 2 / (np.exp(z) + np.exp(-z)),
            "sechb": lambda: 4 / (np.exp(z) + 2 + np.exp(-z)),
        }
        return np.asarray(written[curve](), dtype=np.float64)
