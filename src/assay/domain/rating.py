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
