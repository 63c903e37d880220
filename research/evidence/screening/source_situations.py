"""Honest players of whom more is known than the rating: juniors, seniors, and whose ratings have moved since.

A screening does not know any of this, its user may. So it is measured how often such players are beyond a
threshold with the usual error of the rating, and with the error that `--unsure` takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.screening.situations import MOVED

THRESHOLDS = (1.645, 2.326)

AGES = ((0, 13), (14, 17), (65, 120))


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known of every appearance besides its moves and its rating; NaN where it is not."""

    age: Floats
    earlier: Floats
    """The player's rating less that of the last year before in which these games have one."""
    later: Floats
    """The player's rating in the next year in which these games have one, less this one."""

    def kinds(self) -> dict[str, Mask]:
        """Which appearances are of which kind of player, by its name."""
        found = {_years(low, high): (self.age >= low) & (self.age <= high) for low, high in AGES}
        return {
            **found,
            f"rated {MOVED:.0f} or more higher in a later year": self.later >= MOVED,
            f"rated {MOVED:.0f} or more lower in a later year": self.later <= -MOVED,
            "a rating that had not moved by a point for a year or more": self.earlier == 0,
        }


def _years(low: int, high: int) -> str:
    return (
        f"up to {high} years"
        if not low
        else f"{low} years or more"
        if high >= 120
        else f"{low} to {high} years"
    )


def moved(player: Ints, year: Floats, elo: Floats) -> tuple[Floats, Floats]:
    """How far each appearance's rating is from the player's in the year before, and in the next, of these.

    The rating of a year is that of its first appearance, in the order of the rows.
    """
    earlier, later = np.full(len(player), np.nan), np.full(len(player), np.nan)
    known: dict[int, dict[float, float]] = {}
    for who, when, rating in zip(player.tolist(), year.tolist(), elo.tolist(), strict=True):
        known.setdefault(who, {}).setdefault(when, rating)
    for row, (who, when) in enumerate(zip(player.tolist(), year.tolist(), strict=True)):
        before = [one for one in known[who] if one < when]
        after = [one for one in known[who] if one > when]
        if before:
            earlier[row] = elo[row] - known[who][max(before)]
        if after:
            later[row] = known[who][min(after)] - elo[row]
    return earlier, later


def kinds_of(facts: Facts, groups: Sequence[Ints]) -> dict[str, Mask]:
    """Which groups are of which kind: by their first game."""
    first = np.array([rows[0] for rows in groups])
    return {name: mask[first] for name, mask in facts.kinds().items()}


def situation_rates(
    kinds: Mapping[str, Mask], games: Floats, by_error: Mapping[float, Floats], independent: float
) -> Iterator[dict[str, Any]]:
    """Shares of groups of each kind beyond thresholds, for each error of the rating."""
    for n in np.unique(games):
        for name, mask in kinds.items():
            own = mask & (games == n)
            for error, z in by_error.items():
                some = z[own & np.isfinite(z)]
                for threshold in THRESHOLDS:
                    if len(some):
                        yield {
                            "kind": name,
                            "games": int(n),
                            "error": error,
                            "threshold": threshold,
                            "above": round(float((some > threshold).mean()), 6),
                            "below": round(float((some < -threshold).mean()), 6),
                            "groups": round(len(some) / independent),
                        }
