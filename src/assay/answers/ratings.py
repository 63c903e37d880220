"""Ratings: estimates in a paper's own terms, ratings on the Elo scale, forecasts, ratings of many players."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from statistics import NormalDist, median, median_high
from typing import TYPE_CHECKING, Any, Literal

from assay.answers.answer import (
    Answer,
    Row,
    Words,
    counted,
    drawn,
    level_in_words,
    number,
    pick,
    points,
    tens,
)
from assay.decisions.exclusions import BY_CHOICE, MEANINGS

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
    end: float = math.nan
    """That end: people see nothing beyond it."""

    def to_dict(self) -> dict[str, Any]:
        return pick(self, "elo low high bound", 1)

    def bounded(self, lowest: float, highest: float) -> Rating:
        """The same on a scale with these ends: a bound where the estimate is beyond one."""
        below, above = self.elo < lowest, self.elo > highest
        bound: Literal["below", "above"] | None = "below" if below else "above" if above else None
        return replace(self, bound=bound, end=lowest if below else highest)

    @property
    def shown(self) -> str:
        """The rating as people see it: rounded to ten, of a single game to a hundred; beyond the scale."""
        if self.bound:
            nearer = max if self.bound == "below" else min
            return f"{self.bound} {tens(nearer(self.elo, self.end))}"  # a NaN in second place has no effect
        return f"~{_hundreds(self.elo)}" if self.games == 1 else tens(self.elo)

    @property
    def range(self) -> str:
        """The interval as people see it, rounded to ten; cut where the scale ends."""
        if not math.isfinite(self.high - self.low):
            return ""
        if self.bound == "below":
            return f"below {tens(max(self.high, self.end))}"
        if self.bound:
            high = min(self.high, self.end)
            return f"{tens(self.low)}-{tens(high)}+" if self.low < high else f"{tens(high)}+"
        return f"{tens(self.low)}-{tens(self.high)}"

    @property
    def deviation(self) -> float:
        """Standard deviation, from the interval."""
        return (self.high - self.low) / (2 * NormalDist().inv_cdf((1 + self.level) / 2))

    def __str__(self) -> str:
        """The rating with its interval, short enough for three methods side by side in 80 columns."""
        return f"{self.shown} ({self.range or 'no interval'})"


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
    """Ends of its interval, from a bootstrap over games; NaN where there are too few games for one."""
    rises: bool = True
    """Whether more of it is better play."""

    def to_dict(self) -> dict[str, Any]:
        return pick(self, "value low high name")

    @property
    def shown(self) -> str:
        """The value as people see it."""
        return f"{self.value:.3g}"

    @property
    def range(self) -> str:
        """The interval as people see it; empty where there is none."""
        return f"{self.low:.3g} to {self.high:.3g}" if math.isfinite(self.low) else ""

    def __str__(self) -> str:
        return f"{self.shown} ({self.range})" if self.range else self.shown


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
    """Mean published rating in these games, NaN where none is known."""
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
    opponents: float = math.nan
    """Mean published rating of the opponents, NaN where none is known."""
    event: str = ""
    """The event whose players show its level, where the prior is by event."""
    shared_error: float = 0.0
    """Standard deviation of what the ratings of that event have in common."""
    prior: Any = field(default=None, repr=False, compare=False)
    """The prior (assay.rating.priors) that the rating has: parts of the games are rated with the same."""
    with_more: float = math.nan
    """Half width of the interval if there were four times as many games like these."""

    @property
    def score(self) -> str:
        """Points of games, as chess players write them: 5½/7."""
        scored = points(self.record.points)
        of = self.record.wins + self.record.draws + self.record.losses
        return f"{scored}{'' if scored.endswith('½') else ' '}/{of}"

    @property
    def title(self) -> str:
        """The player, and the group where there is one."""
        return ", ".join(part for part in (self.player, self.about or self.group) if part)

    def to_dict(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "part": self.group,
            **pick(self, "about games decisions reference opponents", 1),
            **pick(self.record, "wins draws losses"),
            **pick(self, "ratings combined papers moves_only measures"),
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
        return {"better_than": number(self.share, 3), "of": self.players, "who": self.words}

    @property
    def in_words(self) -> str:
        """The share alone."""
        if self.share >= HIGHEST_SHARE:
            return f"{HIGHEST_SHARE:.0%} or more"
        return f"{LOWEST_SHARE:.0%} or fewer" if self.share <= LOWEST_SHARE else f"{self.share:.0%}"


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

    def lines(self) -> list[str]:
        """The measures among players of the same rating, the weakest marked as the place to start."""
        if not self.measures:
            return []
        weakest = min(self.measures, key=lambda part: part.percentile.share)
        lines = [f"   Compared with {self.among}"]
        wide, figures = (
            max(len(getattr(part, name)) for part in self.measures) for name in ("words", "shown")
        )
        for part in self.measures:
            mark = " <- start here" if part is weakest and part.percentile.share < 0.5 else ""
            measured = f"{part.words:<{wide}}  {part.shown:>{figures}}"
            lines.append(f"    {measured}  better than {part.in_words}{mark}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        rating = {} if self.rating is None else {"value": number(self.elo, 1), **self.rating.to_dict()}
        return {
            **({"rating": rating} if rating else {}),
            **{
                part.measure: {
                    "value": number(part.value),
                    **part.percentile.to_dict(),
                    **pick(part, "low high", 3),
                }
                for part in self.measures
            },
        }


def standings_in_words(standings: Sequence[Standings]) -> Words:
    """Each measure with the share of others that it is better than."""
    rows: list[list[object]] = []
    for player in standings:
        cells = [[part.words, part.shown, part.in_words] for part in player.measures]
        if player.rating is not None:
            cells.insert(0, ["rating", tens(player.elo), player.rating.in_words])
        rows += [[player.player if place == 0 else "", *row] for place, row in enumerate(cells)]
    notes = [
        *dict.fromkeys(
            f"Rating: among {player.rating.players:,} {player.rating.words}."
            for player in standings
            if player.rating
        ),
        *(f"{player.player}, other measures: among {player.among}." for player in standings if player.among),
    ]
    return Words("Among others", ["player", "measure", "", "better than (95%)"], rows, "\n".join(notes))


# All players --------------------------------------------------------------------------------------------

FEW_GAMES = 4
"""Players with fewer games come after the others: so few show little."""

_SHOWN = 20
"""Players of a long table that are shown to people who do not ask for all; programs get all."""

_MORE = "More: --details  --report FILE"

_SETTLED, _LIKELY = 0.95, 0.75
"""Probabilities from which one player is said to have played better for sure, and probably."""

_CLEAR = 0.9
"""The level of ranges outside of which somebody is clearly above or below a published rating."""


@dataclass(frozen=True)
class Occasion:
    """Which games were rated."""

    name: str = ""
    """The event with its year, or the file."""
    games: int = 0
    dates: str = ""
    source: str = ""
    """How a command names them."""
    published_by: str = ""
    """The server whose ratings the games have; empty for FIDE's, or where it is not known."""


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
    """How the calibration was made: native or carried over, and from how much; None without one."""
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
    occasion: Occasion = Occasion()
    others: tuple[Ratings, ...] = ()
    """The same players on other scales: of another time class of a server."""
    everyone: bool = False
    """Whether people see all players of a long table, and those with few games."""
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

    @property
    def comparable(self) -> bool:
        """Whether published ratings are on the scale of the ratings: a server's are not on FIDE's."""
        from assay.decisions.evaluation import is_on_scale  # numpy: the first page does not wait for it

        return is_on_scale(self.occasion.published_by, self.scale)

    def __len__(self) -> int:
        return len(self.players)

    def __getitem__(self, title: str) -> PlayerRating:
        for player in self.players:
            if title in (player.title, player.player):
                return player
        raise KeyError(title)

    def to_dict(self) -> dict[str, Any]:
        among = {player.player: player.to_dict() for player in self.standings}
        return {
            **pick(self, "engine recipe recipe_id by calibrated scale calibration prior order"),
            "summary": self.sentences(),
            "players": [
                {**player.to_dict(), "percentiles": among.get(player.player)} for player in self.players
            ],
            "too_few_decisions": dict(self.too_few),
            **pick(self, "left_out notes"),
            **({"others": [other.to_dict() for other in self.others]} if self.others else {}),
        }

    def rows(self) -> list[Row]:
        """One row for each player and method: with a rating on a scale, with a measure without one."""
        if self.others:
            each = (replace(self, others=()), *self.others)
            return [{**row, "scale": ratings.scale} for ratings in each for row in ratings.rows()]
        rows: list[Row] = []
        prior = self.prior.split()[0].rstrip(":") if self.prior else None
        for player in self.players:
            cells = player.to_dict()
            ratings, measures = cells.pop("ratings"), cells.pop("measures")
            together = {name: cells.pop(name) for name in ("combined", "papers", "moves_only")}
            ratings |= {name: rating for name, rating in together.items() if rating is not None}
            rows += [{**cells, "method": name, **rating, "prior": prior} for name, rating in ratings.items()]
            for name, measure in measures.items():
                rows.append({**cells, "method": name, "measure": measure.pop("name"), **measure})
        return rows

    # For people: the answer, how sure it is, what it rests on.

    def words(self) -> Iterable[Words]:
        """One line for each player, and what follows from it; of one player, the answer in sentences."""
        player = self._only()
        if not self.calibrated:
            yield self._order()
        elif player is not None:
            yield self._one_player(player)
        else:
            yield self._table()
        for other in self.others:
            if player is None or other._only() is None:
                yield from other.words()

    def details(self) -> Iterable[Words]:
        """Each method by itself, what columns mean, who is not rated, and every note."""
        ratings = [
            {name: rating for name in _HEADINGS if (rating := getattr(player, name)) is not None}
            | dict(player.ratings)
            for player in self.players
        ]
        columns = [name for name in _HEADINGS if any(name in rated for rated in ratings)] + [*self.methods]
        if columns and self.calibrated:
            rows = [
                [player.title, player.decisions, *(str(rated.get(name) or "-") for name in columns)]
                for player, rated in zip(self.players, ratings, strict=True)
            ]
            headings = [_HEADINGS.get(name, name) for name in columns]
            yield Words("By method", ["player", "decisions", *headings], rows)
        if len(self.standings) > 1:
            yield standings_in_words(self.standings)
        notes = [note for note in self.notes if note not in self._other_times]
        yield Words("\n".join(["", "How to read it", *self._legend(), *notes]))

    def sentences(self) -> list[str]:
        """Who probably played best, and who was clearly above or below the published rating."""
        if not self.calibrated:
            return []
        if (player := self._only()) is not None:
            published = self._against_published(player) if self.comparable else ""
            return [_played_like(player, self.level, self.unit), *([published] if published else [])]
        sure = [
            player
            for player in self._with_games
            if player.combined and math.isfinite(player.combined.deviation)
        ]
        ahead = [] if self.by != "player" or len(sure) < 2 else [best_in_words(sure)]
        return [*ahead, *self._beside_published()]

    @property
    def _enough(self) -> int:
        """Games from which on players come first: four, or as many as anybody has; of parts all count."""
        most = max((player.games for player in self.players), default=0)
        return min(FEW_GAMES, most) if self.by == "player" else 0

    @cached_property
    def _with_games(self) -> list[PlayerRating]:
        """The players who come first."""
        return [player for player in self.players if player.games >= self._enough]

    @property
    def _heading(self) -> str:
        """The heading of ratings: the method that they are by alone, unless it is the rating by moves."""
        (*others, first) = self.methods or ("moves",)
        alone = not others and all(
            player.combined is not None
            and first in player.ratings
            and player.combined.elo == player.ratings[first].elo
            for player in self.players
        )
        return first if alone and first != "traits" else "moves"  # carried-over scales have traits alone

    def _only(self) -> PlayerRating | None:
        """The player whom ratings are of, where it is one: asked for alone, or alone with enough games."""
        several = [player for player in self.players if player.games >= FEW_GAMES]
        alone = self.players if len(self.players) == 1 else several
        if self.by != "player" or len(alone) != 1 or self.everyone or alone[0].combined is None:
            return None
        return alone[0]

    def _table(self) -> Words:
        several = self._with_games
        few = [player for player in self.players if player.games < self._enough]
        hidden = ""
        if not self.everyone and len(self.players) > _SHOWN:
            more = max(len(several) - _SHOWN, 0)
            parts = [f"{more:,} more"] * bool(more) + [f"{len(few):,} with {self._few_games}"] * bool(few)
            several, few, hidden = several[:_SHOWN], [], f"Also rated: {' and '.join(parts)} (--all-players)."
        shown = [*several, *few]
        games = self.occasion.games
        title = self.occasion.name or self.recipe_id
        title += f" · {counted(games, 'game')}" if games else ""
        names, heading = [player.title for player in shown], "player"
        if self.by != "player" and len({player.player for player in shown}) == 1:
            title = f"{shown[0].player} · {title}"
            heading = self.by
            names = [_without(player.about or player.group, self.occasion.name) for player in shown]
        note = [hidden, " ".join([*self.sentences(), *self._other_times]), self._how_sure()]
        if not shown:
            note = [self._not_rated]
        table = rated_table(
            title,
            {
                "": range(1, len(shown) + 1),
                heading: names,
                "score": [player.score for player in shown],
                self._published: [_whole(player.reference) for player in shown],
            },
            [player.combined for player in shown],
            [player.reference if self.comparable else math.nan for player in shown],
            heading=self._heading,
            note="\n".join(filter(None, note)),
            beside=self.scale or "",
            grey=self._grey,
            level=self.level,
        )
        rule: list[list[object]] = [[]] if few else []
        rows = list(table.rows)
        return replace(table, rows=[*rows[: len(several)], *rule, *rows[len(several) :]])

    @property
    def _few_games(self) -> str:
        least = ("no", "one", "two", "three", "four")[min(self._enough, FEW_GAMES)]
        return "a single game" if self._enough == 2 else f"fewer than {least} games"

    @property
    def _not_rated(self) -> str:
        """Who has too few decisions, where that is everybody."""
        names = _listed([f"{title} ({n:,})" for title, n in self.too_few.items()])
        return f"Nobody is rated: too few moves after move 8 ({names}). Fewer do with --min-decisions N."

    @property
    def _published(self) -> str:
        """The heading of published ratings: a server's name where they are a server's."""
        return self.occasion.published_by or "publ."

    @property
    def _other_times(self) -> list[str]:
        """That games of other time classes are rated on this scale: part of the answer, not a detail."""
        return [note for note in self.notes if note.startswith("Games of other time classes")]

    @property
    def _grey(self) -> str:
        """Where the numbers come from."""
        values = "evaluations from" if self.recipe == "evaluations" else f"{self.recipe} with"
        carried = (self.calibration or "").startswith("carried over")
        parts = [
            f"{values} {self.engine}",
            f"scale {self.calibration}" if carried else "",
            f"prior: {self.prior.partition(':')[0]}" if self.prior else "",
        ]
        if self.too_few:
            parts.append(f"{counted(len(self.too_few), 'player')} not rated (too few moves)")
        return "; ".join(filter(None, parts))

    def _how_sure(self) -> str:
        """How wide the ranges are, and what more games would give: of the players who come first."""
        halves = [(r.high - r.low) / 2 for player in self._with_games if (r := player.combined) is not None]
        halves = [half for half in halves if math.isfinite(half)]
        if not halves:
            return _MORE
        games = sorted(player.games for player in self._with_games)
        about = tens(median_high(halves))
        each = f"{games[0]}" if games[0] == games[-1] else f"{games[0]} to {games[-1]}"
        noun = "game" if games[-1] == 1 else "games"
        more = [player.with_more for player in self._with_games if math.isfinite(player.with_more)]
        then = f" Four times as many: ±{tens(median(more))}, by the model." if more else ""
        limit = " One game cannot show more." if games[-1] == 1 else ""
        return f"{each} {noun} each: about ±{about}.{limit}{then}\n{_MORE}"

    def _beside_published(self) -> list[str]:
        """How ratings by moves compare with the published ones: the mean, and who is clearly off."""
        compared = [
            (player, player.combined)
            for player in self.players
            if player.combined is not None and math.isfinite(player.reference)
        ]
        if not compared:
            return []
        if not self.comparable:
            return [f"The games have {self.occasion.published_by} ratings, which are not on this scale."]
        outside = [(player, r) for player, r in compared if not r.low <= player.reference <= r.high]
        moves = sum(rating.elo for _, rating in compared) / len(compared)
        mean = sum(player.reference for player, _ in compared) / len(compared)
        sentences = []
        if len(compared) > 1:
            sentences.append(f"Mean by {self._heading} {tens(moves)}, published {tens(mean)}.")
        if not outside:
            sentences.append("All published ratings are inside the ranges: nobody clearly above or below.")
        elif len(compared) > _SHOWN or self.by != "player" or self.level < _CLEAR:
            due = round((1 - self.level) * len(compared))
            are = "is" if len(outside) == 1 else "are"
            sentences.append(
                f"{len(outside)} of {len(compared):,} published ratings {are} outside the ranges; by chance "
                f"about {due} would be."
            )
        else:
            for side, players in (
                ("above", [p for p, r in outside if p.reference < r.low]),
                ("below", [p for p, r in outside if p.reference > r.high]),
            ):
                if players:
                    names = _listed([player.title for player in players])
                    sentences.append(f"Clearly {side} the published rating: {names}.")
        return sentences

    def _one_player(self, player: PlayerRating) -> Words:
        rating = player.combined
        assert rating is not None
        lines = [f"   {sentence}" for sentence in [*self.sentences(), *self._other_times]]
        if not self.comparable and math.isfinite(player.reference):
            server = self.occasion.published_by
            lines.append(f"   {server} rating {_whole(player.reference)}, which is not on this scale.")
        opponents = (
            f", opponents rated {_whole(player.opponents)} on average"
            if math.isfinite(player.opponents)
            else ""
        )
        lines.append(f"   Score {player.score.replace(' ', '')} ({player.record}){opponents}")
        for standing in self.standings:
            if standing.player == player.player:
                lines += standing.lines()
        for other in self.others:
            if (same := other._only()) is not None:
                also = " ".join(other.sentences())
                lines.append(f"   {(other.scale or '').capitalize()}, {counted(same.games, 'game')}: {also}")
        others = len(self.players) - 1
        if others:
            lines.append(f"   {counted(others, 'other')} with {self._few_games}: --all-players")
        file = self.occasion.source
        if file:
            name = f" -p '{player.player}'" if " " in player.player else f" -p {player.player}"
            by_engine = " --evaluations engine" if self.recipe == "evaluations" else ""
            lines += [f"Next: assay lesson {file}{name}{by_engine}", f"      assay progress {file}{name}"]
        lines.append(_MORE)
        extent = ", ".join(filter(None, (counted(player.games, "game"), self.occasion.dates)))
        title = f"{player.player} · {extent}"
        return Words("\n".join([title, *lines]), grey=self._grey, beside=self.scale or "")

    def _against_published(self, player: PlayerRating) -> str:
        rating = player.combined
        if rating is None or not math.isfinite(player.reference):
            return ""
        name = f"{self.occasion.published_by} rating" if self.occasion.published_by else "published rating"
        side = (
            "inside the range, no clear difference"
            if rating.low <= player.reference <= rating.high
            else "below the range, clearly better than rated"
            if player.reference < rating.low
            else "above the range, clearly worse than rated"
        )
        return f"{name[0].upper()}{name[1:]} {_whole(player.reference)}: {side}."

    def _order(self) -> Words:
        """Without a scale there is an order, and what each method measures."""
        rows = [
            [
                *(place, player.title, player.score),
                *(str(player.measures.get(name) or "-") for name in self.methods),
            ]
            for place, player in enumerate(self.players, 1)
        ]
        no_elo = next((note for note in self.notes if note.startswith("No Elo")), "")
        note = "\n".join(filter(None, [f"Order: by {self.order}. No ratings.", no_elo, "More: --details"]))
        title = f"{self.occasion.name or self.recipe_id}: order by the moves played"
        return Words(
            title, ["", "player", "score", *self.methods], rows, note, beside="no Elo", grey=self._grey
        )

    def _legend(self) -> list[str]:
        """What is printed."""
        level = level_in_words(self.level)
        if not self.calibrated:
            measures = {found.method: found for player in self.players for found in player.measures.values()}
            units = [
                f"{method}: {found.name} ({'more' if found.rises else 'less'} is better)"
                for method, found in sorted(measures.items())
            ]
            return ["; ".join(units) + f". In brackets {level} intervals, from games left out in turn."]
        by = "moves and the results" if "results" in self.methods else "moves"
        by += "" if self._heading == "moves" else f", by the method {self._heading} alone"
        lines = [
            f"{self._heading}: the rating by the {by} of these games; prior: {self.prior}.",
            f"{level} range: with the scales that ship it contained the published rating of about 95% of "
            "held-out players, on average; of very weak ones fewer."
            if self.level == 0.95
            else f"{level} range: the interval at that level.",
            f"● rating by moves, ◇ published rating; {self._published}: its mean in these games.",
            "decisions: moves after move 8 that could be used.",
        ]
        if any(player.papers is not None for player in self.players):
            lines.append("By the papers' methods: the same games rated by the published methods together.")
        if self.too_few:
            shown = [f"{title} ({n})" for title, n in list(self.too_few.items())[:5]]
            more = f" and {len(self.too_few) - 5:,} more" if len(self.too_few) > 5 else ""
            lines.append(f"Not rated, too few decisions (--min-decisions): {', '.join(shown)}{more}.")
        others = [
            f"{n:,} {MEANINGS.get(why, why)}" for why, n in self.left_out.items() if why not in BY_CHOICE
        ]
        if others:  # what another choice would include is said before the answer
            lines.append(f"Games that cannot be rated: {'; '.join(others)}.")
        return lines


_HEADINGS = {"papers": "by the papers' methods", "moves_only": "flat prior"}
"""Ratings beside the one by moves that `--details` shows."""

_NO_RATING = Rating("", math.nan, low=math.nan, high=math.nan, decisions=0, games=0)


def rated_table(
    title: str,
    before: Mapping[str, Sequence[object]],
    ratings: Sequence[Rating | None],
    marks: Sequence[float] = (),
    *,
    after: Mapping[str, Sequence[object]] | None = None,
    level: float = 0.95,
    heading: str = "moves",
    **words: str,
) -> Words:
    """A table of ratings by moves with their ranges, drawn on one axis with marks; without empty columns.

    Columns are given by their headings: those before the ratings, and those after.
    """
    known = [rating or _NO_RATING for rating in ratings]
    drawings = drawn(
        (rating.elo, rating.low, rating.high, mark)
        for rating, mark in zip(known, marks or [math.nan] * len(known), strict=True)
    )
    columns = {
        **before,
        heading: [rating.shown for rating in known],
        f"{level_in_words(level)} range": [rating.range for rating in known],
        **(after or {}),
    }
    filled = {name: cells for name, cells in columns.items() if any(cell not in ("", None) for cell in cells)}
    rows = [[*cells, drawing] for *cells, drawing in zip(*filled.values(), drawings, strict=True)]
    return Words(title, (*filled, "") if rows else (), rows, **words)  # type: ignore[arg-type]


def deviation_apart(first: PlayerRating, second: PlayerRating) -> float:
    """Standard deviation of the difference of two ratings, near normal.

    What the ratings of one event have in common cancels: its level, learned from all players, and its error.
    """
    assert first.combined is not None
    assert second.combined is not None
    variance = first.combined.deviation**2 + second.combined.deviation**2
    if first.event and first.event == second.event:
        variance -= min(2 * first.shared_error * second.shared_error, 0.9 * variance)
    return math.sqrt(variance)


def probability_ahead(first: PlayerRating, second: PlayerRating) -> float:
    """Probability that the first is stronger."""
    assert first.combined is not None
    assert second.combined is not None
    deviation = deviation_apart(first, second)
    return NormalDist(0, deviation).cdf(first.combined.elo - second.combined.elo) if deviation else 0.5


def best_in_words(players: Sequence[PlayerRating]) -> str:
    """Who played best, and how sure that is beside the second and the last."""
    first, second, last = players[0], players[1], players[-1]
    assert first.combined is not None
    assert second.combined is not None
    if first.combined.bound and first.combined.bound == second.combined.bound:
        top = [player.player for player in players if player.combined and player.combined.bound == "above"]
        return f"Beyond the end of the scale, in no order: {_listed(top)}."
    ahead = probability_ahead(first, second)
    behind = _percent(probability_ahead(first, last))
    others = "" if last is second or len(players) > _SHOWN else f", of {last.player} with {behind}"
    sure = f"ahead of {second.player} with {_percent(ahead)}{others}"
    if ahead < _LIKELY:
        return f"Too close to call who played best: {first.player} is {sure}."
    return f"{first.player} {'clearly' if ahead >= _SETTLED else 'probably'} played best: {sure}."


def _percent(share: float) -> str:
    """A probability, and never a certainty."""
    return f"{min(max(round(100 * share), 1), 99)}%"


def _played_like(player: PlayerRating, level: float, unit: str) -> str:
    """The answer for one player; of a single game no four digits that look precise."""
    rating = player.combined
    assert rating is not None
    if player.games == 1:
        low, high = 100 * math.floor(rating.low / 100), 100 * math.ceil(rating.high / 100)
        words = next(words for below, words in _LEVELS if rating.elo < below)
        likely = words if unit == "Elo" else f"about {_hundreds(rating.elo)}"
        return f"One game: somewhere between {low} and {high}; most likely {likely}."
    ends = f", {level_in_words(level)} range {rating.range}" if rating.range else ""
    return f"Played {'' if rating.bound else 'like '}{rating.shown}{ends}."


_LEVELS = (
    (1400, "a beginner"),
    (2000, "a club player"),
    (2300, "a strong club player"),
    (2500, "a master"),
    (9999, "a grandmaster"),
)
"""Below these ratings, in words."""


def _without(text: str, title: str) -> str:
    """A text without those of its parts that stand in the title already."""
    words = f" {title.replace(', ', ' ')} "
    return ", ".join(part for part in text.split(", ") if f" {part} " not in words)


def _hundreds(value: float) -> str:
    return f"{100 * round(value / 100)}"


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = len(names) - most
    return "; ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


@dataclass(frozen=True)
class StreamedRatings(Answer):
    """Ratings of streamed games: by source of the values, each on its own scale."""

    sources: Sequence[Ratings]
    games: int
    damage: Sequence[str] = ()
    """Files that were cut off or damaged: what came before is rated."""

    @property
    def exit_code(self) -> int:
        return 2 if self.damage else 0

    def to_dict(self) -> dict[str, Any]:
        sources = [{"source": source.recipe_id, **source.to_dict()} for source in self.sources]
        return {
            **(sources[0] if len(sources) == 1 else {}),
            "streamed": True,
            "games": self.games,
            "damage": list(self.damage),
            "sources": sources,
        }

    def rows(self) -> list[Row]:
        return [{"source": source.recipe_id, **row} for source in self.sources for row in source.rows()]

    def words(self) -> Iterable[Words]:
        return [words for source in self.sources for words in source.words()]

    def details(self) -> Iterable[Words]:
        return [words for source in self.sources for words in source.details()]


def unit_of(scale: str | None) -> str:
    """What a number on a scale is called: Elo on FIDE's, or on a user's own; a server's rating is no Elo."""
    return "Elo" if scale is None or "Elo" in scale else "rating"


def _whole(value: float) -> str:
    return f"{value:z.0f}" if math.isfinite(value) else ""
