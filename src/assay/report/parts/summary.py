"""What the ratings come to, before any figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from assay.answers.ratings import Measure, PlayerRating, Ratings


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
    """The summary of ratings, strongest first; without an Elo scale, of their order alone."""
    known = [
        (rated, rated.combined)
        for rated in ratings.players
        if rated.combined is not None and math.isfinite(rated.combined.elo)
    ]
    halves = [(rating.high - rating.low) / 2 for _, rating in known]
    halves = [half for half in halves if math.isfinite(half)] or [math.nan]
    lead: float = math.nan
    overlap: bool | None = None
    if len(known) > 1:
        (_, one), (_, other) = known[:2]
        lead = one.elo - other.elo
        ends = other.high, one.low
        overlap = ends[0] >= ends[1] if all(map(math.isfinite, ends)) else None
    in_order = [rated for rated, _ in known] if ratings.calibrated else list(ratings.players)
    first, second = (in_order[place] if len(in_order) > place else None for place in (0, 1))
    return Summary(
        first=first,
        second=second,
        lead=lead,
        overlap=overlap,
        narrowest=min(halves),
        usual=median(halves),
        widest=max(halves),
    )


def units(ratings: Ratings) -> list[Measure]:
    """One measure of each method, for what it is and which way is better; none on an Elo scale."""
    found = {one.method: one for player in ratings.players for one in player.measures.values()}
    return [found[name] for name in sorted(found)]
