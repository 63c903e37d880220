"""Classes of values: the states of a game in the Markov interpretation (Alliot 2017, sections 3.4 and 4.4.1).

The outermost classes are open: a game beyond the bounds counts as won or lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats, Ints
from assay.errors import InputError


@dataclass(frozen=True)
class ValueClasses:
    """Classes between edges in centipawns, in rising order, symmetric about zero.

    `edges` are those above zero; class boundaries lie at them and at their negatives. With `zero` the value 0
    is a class of its own, otherwise 0 is a boundary and belongs to the class above it.
    """

    edges: tuple[float, ...]
    zero: bool
    name: str

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in zip((0.0, *self.edges), self.edges, strict=False))
        if not self.edges or not rising:
            raise InputError("classes of values need rising bounds above zero")

    def __len__(self) -> int:
        return 2 * len(self.edges) + (3 if self.zero else 2)

    @classmethod
    def uniform(cls, width: float = 40.0, bound: float = 200.0, scale: float = 1.0) -> ValueClasses:
        """Classes of one width (the paper's grain g) between plus and minus `bound`: its Tables 2 and 3.

        The outermost classes begin one width within the bound: the paper's class -1.8 is all below -1.6.
        """
        inner = round(bound / width) - 1
        if inner < 1 or abs(bound / width - inner - 1) > 1e-9:
            raise InputError(f"the bound {bound:g} must be two or more times the class width {width:g}")
        edges = tuple(float(scale * width * step) for step in range(1, inner + 1))
        return cls(edges, False, f"uniform {width:g} to {bound:g}" + _scaled(scale))

    @classmethod
    def growing(cls, count: int = 19, bound: float = 200.0, scale: float = 1.0) -> ValueClasses:
        """Zero its own class, open classes beyond the bound, widths growing between (section 4.4.1).

        The boundaries are evenly spaced in the paper's factor f = (e^(-v/100) - e^(-bound/100)) /
        (1 - e^(-bound/100)): with 19 classes they are 11 to 59 cp wide (the paper says 10 and 50).
        """
        if count < 5 or count % 2 == 0:
            raise InputError(f"classes with zero apart must be an odd number from 5 on, not {count}")
        inner = (count - 3) // 2
        fall = 1.0 - np.exp(-bound / 100.0)
        edges = -100.0 * np.log1p(-fall * np.arange(1, inner + 1) / inner)
        edges[-1] = bound
        return cls(tuple((scale * edges).tolist()), True, f"growing {count} to {bound:g}" + _scaled(scale))

    def of(self, values: npt.ArrayLike) -> Ints:
        """Class of each value in centipawns, 0 for the lost class; mirrored for negative values."""
        value = np.asarray(values, dtype=np.float64)
        if np.isnan(value).any():
            raise InputError("a value that is not known has no class")
        edges = np.asarray(self.edges)
        size = len(edges)
        # Distance from the middle: a boundary belongs to the inner class, on both sides.
        step = np.searchsorted(edges, np.abs(value), side="left")
        if self.zero:
            return np.where(value == 0, size + 1, np.where(value > 0, size + 2 + step, size - step))
        return np.where(value >= 0, size + 1 + step, size - step)

    def middles(self) -> Floats:
        """A value in each class, for people to look at: middles, the outermost by the width beside them."""
        edges = np.asarray(self.edges)
        outer = edges[-1] + (edges[-1] - (edges[-2] if len(edges) > 1 else 0.0)) / 2
        upper = np.append((np.append(0.0, edges[:-1]) + edges) / 2, outer)
        return np.concatenate((-upper[::-1], [0.0] if self.zero else [], upper))


def _scaled(scale: float) -> str:
    if not scale > 0:
        raise InputError("the scale of the classes must be above zero")
    return "" if scale == 1.0 else f" times {scale:g}"
