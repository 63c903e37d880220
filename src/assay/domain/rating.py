"""What models answer: estimates in a paper's own terms, ratings on the Elo scale, forecasts."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


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
    low: float
    high: float
    decisions: float
    games: float
    level: float = 0.95
    note: str = ""


@dataclass(frozen=True)
class Forecast:
    """Expectation of White in 0..1; win, draw and loss where the method gives them."""

    method: str
    expectation: float
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


@dataclass(frozen=True)
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
    """By method; a method that cannot rate so few decisions is not there."""
    combined: Rating
    history: tuple[tuple[str, Rating], ...] = ()
    """Combined rating of each year, month or day; only where it was asked for."""
    about: str = ""
    """The group in words, where its name is none: a game by opponent, event and year."""

    @property
    def title(self) -> str:
        """The player, and the group where there is one."""
        return ", ".join(part for part in (self.player, self.about or self.group) if part)


@dataclass(frozen=True)
class Ratings:
    """All players of a study, strongest first, and what their ratings rest on."""

    engine: str
    recipe: str
    recipe_id: str
    by: str
    """What was rated apart: player, year, event or game."""
    calibrated: bool
    """Whether ratings are on the Elo scale through mileposts; else they are relative to this pool."""
    players: tuple[PlayerRating, ...]
    too_few: Mapping[str, int]
    """Decisions of those who made too few of them to be rated, by title."""
    notes: tuple[str, ...] = ()
    anchored: bool = True
    """Whether ratings have a zero: a calibration, or the reference ratings of anyone who was rated."""
    scale: tuple[float, float] = (math.nan, math.nan)
    """Lowest and highest milepost of the calibration."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that rated anyone, sorted."""
        return tuple(sorted({method for player in self.players for method in player.ratings}))

    def __len__(self) -> int:
        return len(self.players)

    def __getitem__(self, title: str) -> PlayerRating:
        for player in self.players:
            if title in (player.title, player.player):
                return player
        raise KeyError(title)
