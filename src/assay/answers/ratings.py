"""Ratings: estimates in a paper's own terms, ratings on the Elo scale, forecasts, ratings of many players."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from assay.answers.answer import Answer, Row, Words, level_in_words, number
from assay.decisions.exclusions import MEANINGS

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
    bound: Literal["below", "above"] | None = None
    """Set where the estimate is beyond an end of the scale: the rating is below or above that end."""

    def to_dict(self) -> dict[str, Any]:
        """The rating and its interval, to a tenth of a point, and whether it is a bound."""
        return {name: number(getattr(self, name), 1) for name in ("elo", "low", "high")} | {
            "bound": self.bound
        }

    def __str__(self) -> str:
        """The rating with its interval, short enough for three methods side by side in 80 columns."""
        if not all(map(math.isfinite, (self.low, self.high))):
            return f"{_whole(self.elo)} (no interval)"
        return f"{_whole(self.elo)} ({_whole(self.low)}-{_whole(self.high)})"


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

    def to_dict(self) -> dict[str, Any]:
        """The measure with its interval and its name."""
        return {**{end: number(getattr(self, end)) for end in ("value", "low", "high")}, "name": self.name}

    def __str__(self) -> str:
        ends = f" ({self.low:.3g} to {self.high:.3g})" if math.isfinite(self.low) else ""
        return f"{self.value:.3g}{ends}"


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
    """The rating by moves, learned; None without an Elo scale."""
    papers: Rating | None = None
    """By the papers' methods alone, where a calibration has them."""
    moves_only: Rating | None = None
    """As `combined`, with the flat prior."""
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

    def to_dict(self) -> dict[str, Any]:
        """What one player has in `assay rate --json`."""
        return {
            "player": self.player,
            "part": self.group,
            "about": self.about,
            "games": self.games,
            "decisions": self.decisions,
            "wins": self.record.wins,
            "draws": self.record.draws,
            "losses": self.record.losses,
            "reference": number(self.reference, 1),
            "ratings": {method: rating.to_dict() for method, rating in self.ratings.items()},
            **{
                name: None if rating is None else rating.to_dict()
                for name, rating in (
                    ("combined", self.combined),
                    ("papers", self.papers),
                    ("moves_only", self.moves_only),
                )
            },
            "measures": {method: measure.to_dict() for method, measure in self.measures.items()},
        }


def with_combined(player: PlayerRating) -> dict[str, Rating]:
    """The ratings of a player by method, that of all together last, where there is one."""
    return {**player.ratings} if player.combined is None else {**player.ratings, "combined": player.combined}


# A player among others ----------------------------------------------------------------------------------

LOWEST_SHARE, HIGHEST_SHARE = 0.01, 0.99
"""A percentile is known no nearer to nothing or to all."""


@dataclass(frozen=True)
class Percentile:
    """A share of a population that a number is better than."""

    share: float
    """From 0 to 1, and no nearer to either than the quantiles show."""
    players: int
    words: str
    measure: str

    def to_dict(self) -> dict[str, Any]:
        """The share, and the population."""
        return {"better_than": number(self.share, 3), "of": self.players, "who": self.words}

    @property
    def in_words(self) -> str:
        """The share alone."""
        if self.share >= HIGHEST_SHARE:
            return f"{HIGHEST_SHARE:.0%} or more"
        return f"{LOWEST_SHARE:.0%} or fewer" if self.share <= LOWEST_SHARE else f"{self.share:.0%}"

    def __str__(self) -> str:
        if self.share <= LOWEST_SHARE:
            than = f"better than at most {LOWEST_SHARE:.0%}"
        elif self.share >= HIGHEST_SHARE:
            than = f"better than at least {HIGHEST_SHARE:.0%}"
        else:
            than = f"better than {self.share:.0%}"
        return f"{than} of {self.players:,} {self.words}"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One measure of a player among others."""

    measure: str
    words: str
    value: float
    """Over all of the player's decisions."""
    shown: str
    """The value as it is written."""
    percentile: Percentile
    """How many of them it is better than."""
    low: float = math.nan
    high: float = math.nan
    """Ends of the share's 95% interval, from how the player's games vary; NaN of fewer than four games."""

    @property
    def in_words(self) -> str:
        """The share with its interval."""
        ends = "" if math.isnan(self.low) else f" ({100 * self.low:.0f} to {100 * self.high:.0f})"
        return self.percentile.in_words + ends


@dataclass(frozen=True, kw_only=True)
class Standings:
    """One player among others."""

    player: str
    elo: float
    """The rating of those compared with."""
    rating: Percentile | None
    """The rating itself, among all players of its list or server; None where no such list is known."""
    measures: tuple[Standing, ...]
    among: str
    """Who the measures are compared with, and how many; empty where nobody is."""

    def to_dict(self) -> dict[str, Any]:
        """Every measure by name: its value, and the share of others that it is better than."""
        rating = {} if self.rating is None else {"value": number(self.elo, 1), **self.rating.to_dict()}
        measures = {
            part.measure: {
                "value": number(part.value),
                **part.percentile.to_dict(),
                "low": number(part.low, 3),
                "high": number(part.high, 3),
            }
            for part in self.measures
        }
        return {**({"rating": rating} if rating else {}), **measures}


def standings_in_words(standings: Sequence[Standings]) -> Words:
    """Each measure with the share of others that it is better than."""
    rows: list[list[object]] = []
    for player in standings:
        cells: list[list[object]] = []
        if player.rating is not None:
            cells.append(["rating", _whole(player.elo), player.rating.in_words])
        cells += [[part.words, part.shown, part.in_words] for part in player.measures]
        rows += [[player.player if place == 0 else "", *row] for place, row in enumerate(cells)]
    notes = [
        *dict.fromkeys(
            f"Rating: among {player.rating.players:,} {player.rating.words}."
            for player in standings
            if player.rating
        ),
        *(f"{player.player}, other measures: among {player.among}." for player in standings if player.among),
    ]
    if any(math.isfinite(part.low) for player in standings for part in player.measures):
        notes.append(
            "Each game is ranked among those games, and the mean of the ranks is shown: 50% is what such "
            "players have."
        )
    return Words("Among others", ["player", "measure", "", "better than (95%)"], rows, "\n".join(notes))


# All players --------------------------------------------------------------------------------------------

_MOST_STANDINGS = 3
"""Of more players their ratings alone are shown to people; programs get all."""

_SHOWN = 30
"""Players of each source of a stream that are shown to people; programs get all."""


@dataclass(frozen=True, kw_only=True)
class Ratings(Answer):
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
    level: float = 0.95
    """The level of all intervals."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many games were not rated, by reason."""
    standings: tuple[Standings, ...] = ()
    """The players among others, where that was asked for."""
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
        return tuple(
            sorted({name for player in self.players for name in (*player.ratings, *player.measures)})
        )

    def __len__(self) -> int:
        return len(self.players)

    def __getitem__(self, title: str) -> PlayerRating:
        for player in self.players:
            if title in (player.title, player.player):
                return player
        raise KeyError(title)

    def to_dict(self) -> dict[str, Any]:
        """What `assay rate --json` prints."""
        among = {player.player: player.to_dict() for player in self.standings}
        return {
            "engine": self.engine,
            "recipe": self.recipe,
            "recipe_id": self.recipe_id,
            "by": self.by,
            "calibrated": self.calibrated,
            "scale": self.scale,
            "calibration": self.calibration,
            "prior": self.prior,
            "order": self.order,
            "players": [
                {**player.to_dict(), "percentiles": among.get(player.player)} for player in self.players
            ],
            "too_few_decisions": dict(self.too_few),
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
        }

    def rows(self) -> list[Row]:
        """One row for each player and method: with a rating on a scale, with a measure without one."""
        rows: list[Row] = []
        prior = self.prior.split()[0].rstrip(":") if self.prior else None
        for player in self.players:
            cells = player.to_dict()
            ratings, measures = cells.pop("ratings"), cells.pop("measures")
            together = {name: cells.pop(name) for name in ("combined", "papers", "moves_only")}
            ratings |= {name: rating for name, rating in together.items() if rating is not None}
            rows += [{**cells, "method": name, **rating, "prior": prior} for name, rating in ratings.items()]
            rows += [
                {**cells, "method": name, "measure": measure.pop("name"), **measure}
                for name, measure in measures.items()
            ]
        return rows

    def words(self) -> Iterable[Words]:
        """On a scale all methods together, then each by itself; without one the order and the measures."""
        by = f"{self.recipe} with {self.engine}"
        published = "Elo" if self.unit == "Elo" else "published"  # a server's ratings are not Elo
        referenced = any(math.isfinite(player.reference) for player in self.players)
        columns = ["player", "games", "decisions", "result", *([published] if referenced else [])]
        heads: list[list[object]] = [
            [
                *(player.title, player.games, player.decisions, str(player.record)),
                *([_whole(player.reference)] if referenced else []),
            ]
            for player in self.players
        ]
        note = self._note(published if referenced else "")
        by_method = Words(
            "By method",
            ["player", *self.methods],
            [
                [
                    player.title,
                    *(
                        str(player.ratings.get(name) or player.measures.get(name) or "-")
                        for name in self.methods
                    ),
                ]
                for player in self.players
            ],
            note,
        )
        if not self.calibrated:
            places = [[place, *head] for place, head in enumerate(heads, 1)]
            yield Words(f"Order by the moves played, no ratings: {by}", ["", *columns], places)
            yield replace(by_method, title="What each method measures, in its own unit")
            return
        alone = len(self.methods) < 2
        rows = [
            [*head, "" if player.combined is None else str(player.combined)]
            for head, player in zip(heads, self.players, strict=True)
        ]
        heading = f"rating ({level_in_words(self.level)})"
        yield Words(f"Ratings, {self.scale}: {by}", [*columns, heading], rows, note if alone else "")
        if not alone:
            yield by_method
        if 0 < len(self.standings) <= _MOST_STANDINGS:
            yield standings_in_words(self.standings)

    def _note(self, published: str) -> str:
        lines = [self._legend(published)]
        if self.too_few:
            shown = [f"{title} ({n})" for title, n in list(self.too_few.items())[:5]]
            more = f" and {len(self.too_few) - 5:,} more" if len(self.too_few) > 5 else ""
            lines.append(f"Not rated, too few decisions (--min-decisions): {', '.join(shown)}{more}.")
        if self.left_out:
            reasons = [f"{n:,} {MEANINGS.get(why, why)} ({why})" for why, n in self.left_out.items()]
            lines.append(f"Games left out: {'; '.join(reasons)}.")
        return "\n".join([*lines, *self.notes])

    def _legend(self, published: str) -> str:
        """What the columns are that are printed."""
        parts = ["decisions: moves after turn 8 that could be used"]
        if published:
            parts.insert(0, f"{published}: the published rating, on average over these games")
        if self.calibrated:
            methods = "all methods together" if len(self.methods) > 1 else ", ".join(self.methods)
            by = "moves and the results" if "results" in self.methods else "moves"
            interval = f"with its {level_in_words(self.level)} interval; prior: {self.prior}"
            return "; ".join([f"rating: by the {by} ({methods}), {interval}", *parts]) + "."
        measures = {found.method: found for player in self.players for found in player.measures.values()}
        units = [
            f"{method}: {found.name} ({'more' if found.rises else 'less'} is better)"
            for method, found in sorted(measures.items())
        ]
        level = level_in_words(self.level)
        return f"Order: by {self.order}; {level} intervals from games left out in turn. " + (
            "; ".join([*units, *parts]) + "."
        )


@dataclass(frozen=True)
class StreamedRatings(Answer):
    """Ratings of streamed games: by source of the values, each on its own scale."""

    sources: Sequence[Ratings]
    games: int
    damage: Sequence[str] = ()
    """Files that were cut off or damaged: what came before is rated."""

    @property
    def exit_code(self) -> int:
        """2 where a file was cut off or damaged."""
        return 2 if self.damage else 0

    def to_dict(self) -> dict[str, Any]:
        """One document for each source; where there is only one, its keys too, as `assay rate` has them."""
        sources = [{"source": source.recipe_id, **source.to_dict()} for source in self.sources]
        return {
            **(sources[0] if len(sources) == 1 else {}),
            "streamed": True,
            "games": self.games,
            "damage": list(self.damage),
            "sources": sources,
        }

    def rows(self) -> list[Row]:
        """One row for each source, player and method."""
        return [{"source": source.recipe_id, **row} for source in self.sources for row in source.rows()]

    def words(self) -> Iterable[Words]:
        """The first players of each source, and how many there are."""
        for ratings in self.sources:
            more = len(ratings.players) > _SHOWN
            cut = [f"The first {_SHOWN} of {len(ratings.players):,}: --csv and --json have all."] * more
            first = replace(ratings, players=ratings.players[:_SHOWN], notes=(*cut, *ratings.notes))
            for table in first.words():
                yield replace(table, title=f"{table.title} ({ratings.recipe_id})")


def unit_of(scale: str | None) -> str:
    """What a number on a scale is called: Elo on FIDE's, or on a user's own; a server's rating is no Elo."""
    return "Elo" if scale is None or "Elo" in scale else "rating"


def _whole(value: float) -> str:
    return f"{value:z.0f}" if math.isfinite(value) else ""
