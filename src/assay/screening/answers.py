"""What a screening answers: everyone by how unusual the play is for the rating, most unusual first."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.models.intervals import share_interval

LEVEL = 0.05
"""Whoever has a false-discovery rate of so much or less is named."""

ABOVE, BELOW, SEQUENCE = "above", "below", "sequence"
"""Why somebody is named: play above or below the rating over all turns, or the test in sequence."""

SIDES = (ABOVE, BELOW)

SHARES: Mapping[str, Mapping[str, float]] = {
    ABOVE: {"hard": 2 / 3, "critical": 1 / 3},
    BELOW: {"hard": 0.4, "critical": 0.2, "error": 0.4},
}
"""Which statistics decide on each side, and how much of its error is given to each
(assay.screening.departures)."""


def interval_of(rate: Mapping[str, Any], side: str) -> tuple[float, float]:
    """Within what an error rate is known, as if groups were independent."""
    return share_interval(rate[side], rate["groups"])


@dataclass(frozen=True, kw_only=True)
class ScreenedGame:
    """One game of somebody who is named."""

    game: str
    about: str
    turns: int
    z: float
    """The statistics that decide as one, in this game alone."""
    evidence: float
    """What a bet on this game alone makes of 1: its e-value."""
    named: bool
    """Whether the game stands out among the player's, with at most LEVEL of such games named wrongly."""
    first_turn: tuple[int, int, int] | None
    """Of a game that stands out: earliest, likeliest and latest turn from which on, with 90%."""


@dataclass(frozen=True, kw_only=True)
class Screened:
    """One player, or one player at one event or in one game."""

    player: str
    group: str
    about: str
    games: int
    decisions: int
    """Turns that were screened."""
    reference: float
    """Mean reference rating in these games."""
    rating_error: float
    """How far the strength may stray from it, as a standard deviation."""
    z: Mapping[str, float]
    """By statistic, NaN where there is none; `all` is those that decide as one."""
    observed: Mapping[str, float]
    expected: Mapping[str, float]
    """Means over turns, of shares and of pawns lost."""
    p: float
    """Probability that an honest player of this rating departs so far, either way."""
    q: float
    bonferroni: float
    alike: float
    """How many honest players of a field of this size depart as far to this side by chance."""
    evidence: float
    """The largest e-value that the test in sequence reached, at any turn."""
    flag: str | None
    each_game: tuple[ScreenedGame, ...] = ()

    @property
    def title(self) -> str:
        """The player, and the group where there is one."""
        return ", ".join(part for part in (self.player, self.about or self.group) if part)


@dataclass(frozen=True, kw_only=True)
class Screening:
    """All players of some games that could be screened, most unusual first."""

    engine: str
    recipe: str
    recipe_id: str
    by: str
    players: tuple[Screened, ...]
    field: int
    """How many were screened, and so how many tests there are; `players` may be some of them."""
    left_out: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Why somebody could not be screened, by title."""
    rates: tuple[Mapping[str, Any], ...] = ()
    """How often honest players were named, measured; empty where it was not with this recipe."""
    sequence: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    full: Screening | None = None
    """Those that are named, tested again with more search."""

    @property
    def named(self) -> tuple[Screened, ...]:
        """Whose play is unusual for the rating."""
        return tuple(one for one in self.players if one.flag is not None)

    def rates_of_all(self) -> list[Mapping[str, Any]]:
        """Rates over all ratings; none where not one group is due: nobody has measured such a share."""
        return [one for one in self.rates if one["band"] == "all" and one["groups"] * one["nominal"] >= 1]

    def __len__(self) -> int:
        return len(self.players)
