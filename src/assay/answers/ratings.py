"""What models answer: estimates in a paper's own terms, ratings on the Elo scale, forecasts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.decisions.decisions import Decisions


@dataclass(frozen=True)
class Quantity:
    """A number with its uncertainty: standard deviation and interval, as far as they are known."""

    value: float
    deviation: float = math.nan
    low: float = math.nan
    high: float = math.nan

    def __str__(self) -> str:
        if math.isnan(self.low):
            return f"{self.value:.3g}"
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"


@dataclass(frozen=True)
class Estimate:
    """A paper's own numbers by name, with what they rest on."""

    method: str
    quantities: Mapping[str, Quantity]
    decisions: float
    games: float
    note: str = ""
    recipe_id: str = ""
    """The recipe of the decisions, for the Elo mapping to check."""

    def __getitem__(self, name: str) -> Quantity:
        return self.quantities[name]


@dataclass(frozen=True)
class Rating:
    """A rating on the Elo scale with its interval."""

    method: str
    elo: float
    _: KW_ONLY
    low: float
    high: float
    decisions: float
    games: float
    level: float = 0.95
    note: str = ""


@dataclass(frozen=True)
class Measure:
    """What one method measures of a player, in its own unit: no Elo, and no mapping behind it."""

    method: str
    name: str
    """The quantity and its unit, in words."""
    value: float
    _: KW_ONLY
    low: float = math.nan
    high: float = math.nan
    """Ends of its interval, from games drawn anew; NaN where there are too few games for one."""
    rises: bool = True
    """Whether more of it is better play."""


@dataclass(frozen=True)
class Forecast:
    """Expectation of White in 0..1; win, draw and loss where the method gives them."""

    method: str
    expectation: float
    _: KW_ONLY
    win: float = math.nan
    draw: float = math.nan
    loss: float = math.nan
    low: float = math.nan
    high: float = math.nan
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Record:
    """Results of some games from one player's side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def points(self) -> float:
        """Wins and half the draws."""
        return self.wins + self.draws / 2

    def __str__(self) -> str:
        return f"+{self.wins} ={self.draws} -{self.losses}"


@dataclass(frozen=True, kw_only=True)
class PlayerRating:
    """One player (or one player in one year, event or game), rated by every method."""

    player: str
    group: str
    """The year, event or game; empty where all of a player's games count together."""
    games: int
    decisions: int
    record: Record
    reference: float
    """Mean reference rating in these games, NaN where none is known."""
    ratings: Mapping[str, Rating]
    """By method; a method that cannot rate so few decisions is not there. Empty without an Elo scale."""
    combined: Rating | None
    """All methods together; None without an Elo scale."""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    """By method, what it measures in its own unit; only where there is no Elo scale."""
    history: tuple[tuple[str, Rating], ...] = ()
    """Combined rating of each year, month or day; only where it was asked for."""
    about: str = ""
    """The group in words, where its name is none: a game by opponent, event and year."""

    @property
    def title(self) -> str:
        """The player, and the group where there is one."""
        return ", ".join(part for part in (self.player, self.about or self.group) if part)


def with_combined(one: PlayerRating) -> dict[str, Rating]:
    """The ratings of a player by method, that of all together last, where there is one."""
    return {**one.ratings} if one.combined is None else {**one.ratings, "combined": one.combined}


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """All players of a study, strongest first, and what their ratings rest on."""

    engine: str
    recipe: str
    recipe_id: str
    by: str
    """What was rated apart: player, year, event or game."""
    players: tuple[PlayerRating, ...]
    too_few: Mapping[str, int]
    """Decisions of those who made too few of them to be rated, by title."""
    notes: tuple[str, ...] = ()
    scale: str | None = None
    """What an Elo means here; None where the recipe has no calibration, and nothing is an Elo."""
    calibration: str | None = None
    """How the calibration was made: native or a bridge, and from how many games; None without one."""
    prior: str | None = None
    """What is taken to be known of a player before any move; None without a scale."""
    order: str = "combined rating"
    """What players are sorted by."""
    span: tuple[float, float] = (math.nan, math.nan)
    """Lowest and highest milepost of the calibration."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many games were not rated, by reason."""
    read: Callable[[], Decisions] | None = field(default=None, repr=False, compare=False)
    """Reads the decisions that the ratings are from: they may be too many to be kept."""

    @cached_property
    def decisions(self) -> Decisions | None:
        """What the ratings are from, read when first asked for."""
        return None if self.read is None else self.read()

    @property
    def calibrated(self) -> bool:
        """Whether ratings are on the Elo scale through mileposts; else there are only measures."""
        return self.scale is not None

    @property
    def unit(self) -> str:
        """What a number on the scale is called."""
        return unit_of(self.scale)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that rated anyone, or measured where nobody could be rated, sorted."""
        return tuple(sorted({name for one in self.players for name in (*one.ratings, *one.measures)}))

    def __len__(self) -> int:
        return len(self.players)

    def __getitem__(self, title: str) -> PlayerRating:
        for player in self.players:
            if title in (player.title, player.player):
                return player
        raise KeyError(title)


def unit_of(scale: str | None) -> str:
    """What a number on a scale is called: Elo on FIDE's, or on a user's own; a server's rating is no Elo."""
    return "Elo" if scale is None or "Elo" in scale else "rating"
