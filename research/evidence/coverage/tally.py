"""How often intervals hold the truth, and within what the number of trials lets one tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from assay.models.intervals import share_interval


@dataclass(frozen=True)
class Tally:
    """Of so many intervals, how many hold the truth."""

    intervals: int
    inside: int
    width: float
    """Mean width."""
    bias: float
    """Mean of estimate minus truth."""

    @classmethod
    def of(cls, found: Sequence[tuple[float, float, float]], truth: Sequence[float]) -> Tally:
        """From low end, estimate and high end of each, and its truth; those without ends are left out."""
        rows = np.asarray(found, dtype=np.float64).reshape(-1, 3)
        true = np.asarray(truth, dtype=np.float64)
        known = np.isfinite(rows).all(axis=1)
        (low, value, high), true = rows[known].T, true[known]
        inside = int(((low <= true) & (true <= high)).sum())
        return cls(len(true), inside, float((high - low).mean()), float((value - true).mean()))

    @property
    def share(self) -> float:
        """Share of intervals that hold the truth."""
        return self.inside / self.intervals

    @property
    def span(self) -> tuple[float, float]:
        """95% interval of that share, by Clopper and Pearson (1934)."""
        return share_interval(self.share, self.intervals)

    def __str__(self) -> str:
        low, high = self.span
        return f"{self.share:.0%} ({low:.0%} to {high:.0%})"


def as_row(tally: Tally) -> dict[str, float]:
    """A tally as it is kept."""
    return {name: float(f"{value:.4g}") for name, value in asdict(tally).items()}
