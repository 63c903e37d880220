"""What the ratings come to, before any figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from assay.domain.rating import PlayerRating, Ratings


@dataclass(frozen=True)
class Summary:
    """The first two players, and how wide the intervals are."""

    first: PlayerRating | None
    second: PlayerRating | None
    lead: float
    """Points between the first two; NaN where there are not two."""
    overlap: bool | None
    """Whether the intervals of the first two overlap; None where they have none."""
    narrowest: float
    usual: float
    widest: float
    """Half widths of the intervals, in points."""


def summarise(ratings: Ratings) -> Summary:
    """The summary of ratings, strongest first."""
    known = [rated for rated in ratings.players if math.isfinite(rated.combined.elo)]
    halves = [(rated.combined.high - rated.combined.low) / 2 for rated in known]
    halves = [half for half in halves if math.isfinite(half)] or [math.nan]
    first, second = (known[place] if len(known) > place else None for place in (0, 1))
    lead: float = math.nan
    overlap: bool | None = None
    if first is not None and second is not None:
        lead = first.combined.elo - second.combined.elo
        ends = second.combined.high, first.combined.low
        overlap = ends[0] >= ends[1] if all(map(math.isfinite, ends)) else None
    return Summary(first, second, lead, overlap, min(halves), median(halves), max(halves))
