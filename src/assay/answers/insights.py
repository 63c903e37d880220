"""Answers about one player's play: slices of a rating, positions of a lesson, progress over time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.answers.answer import (
    Answer,
    Row,
    Words,
    counted,
    jsonable,
    level_in_words,
    number,
    pick,
    sparkline,
)
from assay.answers.ratings import Rating, Ratings, Standings, rated_table, standings_in_words

# Slices -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """A slice less the whole, in points of Elo."""

    elo: float
    low: float
    high: float
    against_rest: float
    """A slice less the rest."""
    p: float
    """Probability of a difference at least so large, either way, where there is none."""
    deviation: float
    """Of `elo`."""

    def to_dict(self) -> dict[str, float | None]:
        return {**pick(self, "elo low high against_rest", 1), "p": number(self.p, 5)}


@dataclass(frozen=True, kw_only=True)
class Slice:
    """One slice of one player's decisions."""

    name: str
    games: int
    decisions: int
    rating: Rating | None
    """The whole's rating and the difference; None where nothing is left to compare with."""
    difference: Difference | None
    """To the whole, beside what players of the same rating show there."""
    q: float = math.nan
    """The least false-discovery rate at which it stands out, among all slices shown."""
    stands_out: bool = False


@dataclass(frozen=True, kw_only=True)
class PlayerSlices:
    """One player: the whole, and its slices."""

    player: str
    whole: Rating
    reference: float
    """Mean published rating, NaN where none is known."""
    slices: tuple[Slice, ...]
    too_few: Mapping[str, int]
    """Decisions of slices that are not shown for want of them."""
    unknown: int
    """Decisions whose slice is not known: games without a date, a clock, ..."""
    sentence: str = ""

    def parts(self) -> list[dict[str, Any]]:
        """The whole, then the slices, as `assay rate --by phase --json` has them."""
        whole = Slice(
            name="",
            games=int(self.whole.games),
            decisions=int(self.whole.decisions),
            rating=self.whole,
            difference=None,
        )
        return [
            {
                "player": self.player,
                "part": cut.name,
                "games": cut.games,
                "decisions": cut.decisions,
                "reference": number(self.reference, 1),
                "ratings": {},
                "combined": jsonable(cut.rating),
                "difference": jsonable(cut.difference),
                "q": None if cut.difference is None else number(cut.q, 5),
                "stands_out": cut.difference is not None and cut.stands_out,
            }
            for cut in (whole, *self.slices)
        ]


@dataclass(frozen=True, kw_only=True)
class Slices(Answer):
    """The slices of all players."""

    by: str
    players: tuple[PlayerSlices, ...]
    ratings: Ratings = field(repr=False)
    """The whole ratings that they belong to."""
    rate: float
    """Share of what stands out that may be chance."""
    compared: bool
    """Whether slices are compared with what players of known Elo show there, or taken to be alike."""
    notes: tuple[str, ...] = ()

    @property
    def remarks(self) -> Sequence[str]:
        return self.notes

    def to_dict(self) -> dict[str, Any]:
        ratings = self.ratings
        return {
            **pick(ratings, "engine recipe recipe_id calibrated scale prior left_out"),
            "by": self.by,
            "false_discovery_rate": self.rate,
            "compared_with_others": self.compared,
            "players": [part for player in self.players for part in player.parts()],
            "sentences": {player.player: player.sentence for player in self.players},
            "too_few_decisions": {player.player: dict(player.too_few) for player in self.players},
            "unknown": {player.player: player.unknown for player in self.players},
            "notes": [*self.notes, *ratings.notes],
        }

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        for part in (part for player in self.players for part in player.parts()):
            combined, difference = part.pop("combined") or {}, part.pop("difference") or {}
            part.pop("ratings")
            apart = {f"difference_{name}" if name != "p" else name: x for name, x in difference.items()}
            rows.append({**part, **combined, **apart})
        return rows

    def words(self) -> Iterable[Words]:
        rows: list[list[object]] = []
        for player in self.players:
            whole = player.whole
            rows.append([player.player, int(whole.games), int(whole.decisions), str(whole), ""])
            for cut in player.slices:
                rating = "" if cut.rating is None else str(cut.rating)
                rows.append([f"  {cut.name}", cut.games, cut.decisions, rating, _difference(cut)])
        level = level_in_words(self.ratings.level)
        few = [f"{p.player}, {name} ({n})" for p in self.players for name, n in p.too_few.items()]
        yield Words(
            "\n".join(f"{player.player}: {player.sentence}." for player in self.players),
            [f"player, {self.by}", "games", "decisions", f"moves ({level})", f"difference ({level})"],
            rows,
            "\n".join([*([f"Too few decisions: {'; '.join(few)}."] if few else []), "More: --details"]),
            grey=f"{self.ratings.scale}; {self.ratings.recipe} with {self.ratings.engine}",
        )

    def details(self) -> Iterable[Words]:
        yield Words("\n".join(["", "How to read it", *self.notes, *self.ratings.notes]))


def _difference(cut: Slice) -> str:
    if (apart := cut.difference) is None:
        return "-"
    star = " *" if cut.stands_out else ""
    return f"{apart.elo:+z.0f} ({apart.low:+z.0f} to {apart.high:+z.0f}){star}"


# Lessons ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Band:
    """Decisions of one difficulty: what was lost and found, and what players of the same rating do there."""

    name: str
    games: int
    decisions: int
    lost: float
    """Mean loss of expectation, in per cent."""
    expected: float
    """The same of players of this rating in the same positions."""
    difference: float
    """Lost less expected: below zero is better than expected."""
    low: float
    high: float
    """Ends of its 95% interval, from a bootstrap over games."""
    found: float
    """Share of moves as good as the best."""
    expected_found: float


@dataclass(frozen=True, kw_only=True)
class Performance:
    """One player against what the positions asked."""

    player: str
    elo: float
    """The rating of the players that the moves are held against."""
    bands: tuple[Band, ...]
    accuracy: float
    """100 less the mean loss of expectation in per cent."""
    accuracy_of: Mapping[int, float]
    """What players of 1500, 2000 and 2500 would have had in the same positions."""
    hard_solved: int
    """Moves that lose at most 1% where at most one in four players of the same rating finds such a one."""
    easy_missed: int
    """Losses of a tenth of the expectation where three of four such players do plainly better."""

    def to_dict(self) -> dict[str, Any]:
        return {
            **asdict(self),
            **pick(self, "elo accuracy accuracy_of", 2),
            "bands": [jsonable(asdict(band)) for band in self.bands],
        }

    def words(self) -> Words:
        rows = [
            [
                band.name,
                band.decisions,
                f"{band.lost:.1f}%",
                f"{band.expected:.1f}%",
                f"{band.difference:+z.1f}"
                + (f" ({band.low:+z.1f} to {band.high:+z.1f})" if band.games >= 4 else ""),
                f"{band.found:.0%}",
                f"{band.expected_found:.0%}",
            ]
            for band in self.bands
        ]
        others = ", ".join(f"{elo}: {accuracy:.1f}" for elo, accuracy in self.accuracy_of.items())
        return Words(
            f"Against players of {self.elo:.0f} in the same positions",
            ["positions", "decisions", "lost", "theirs", "more than they (95%)", "best", "theirs"],
            rows,
            f"Accuracy {self.accuracy:.1f} (100 less what was lost); in the same positions players of "
            f"{others}.\n"
            f"Hard positions solved, which at most one in four such players does: {self.hard_solved}. Easy "
            f"ones missed, where three in four do better: {self.easy_missed}.\n"
            "Positions are easy, middling or hard by what players of 2000 lose there: under 1%, to 2.5%, "
            "more.",
        )


NEXT_LEVEL = 200
"""The next level is so many points above."""

GOOD_FIND = "good find"


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One position worth a look."""

    kind: str
    """Easy miss, missed win, turning point or good find; of several that fit, the first."""
    game: str
    turn: int
    colour: str
    opponent: str
    event: str
    year: int | None
    position_key: str
    """FEN without the counters."""
    played: str
    better: str
    """The engine's choice, UCI; for a find the move played."""
    lost: float = 0.0
    """Of the expectation, 0 to 1."""
    before: float = 0.0
    """Expectation with the best move."""
    of_100: int = 0
    """Of a hundred players of this rating: how many do plainly better, or, of a find, find it."""
    of_100_next: int = 0
    """The same of the next level."""
    link: str = ""
    played_san: str = ""
    better_san: str = ""

    @property
    def in_words(self) -> str:
        """The kind, where it was, what was played and what was better."""
        year = "" if str(self.year) in self.event else self.year
        when = ", ".join(str(part) for part in (self.event, year) if part)
        where = f" against {self.opponent}" if self.opponent else ""
        where += f" ({when})" if when else ""
        move = f"{self.turn}{'...' if self.colour == 'black' else '.'} {self.played_san}"
        better = "" if self.better == self.played else f"; better is {self.better_san}"
        return f"{self.kind[0].upper()}{self.kind[1:]}{where}: {move}{better}."

    @property
    def fen(self) -> str:
        """The position with counters, as programs want it."""
        return f"{self.position_key} 0 {self.turn}"

    def to_dict(self) -> dict[str, Any]:
        fields = asdict(self) | {"lost": number(self.lost), "before": number(self.before)}
        sans = {name: fields.pop(name) for name in ("played_san", "better_san")}
        return {**fields, "fen": self.fen, **sans}


@dataclass(frozen=True, kw_only=True)
class Lesson(Answer):
    """The positions of one player, the most instructive first."""

    player: str
    elo: int
    """The level that `of_100` is of, in hundreds."""
    games: int
    decisions: int
    moments: tuple[Moment, ...]
    against: Performance | None = None
    """The player against what all positions asked."""
    among: Standings | None = None
    """The player's measures among others of the same rating."""
    scale: str | None = None
    """What the levels are on."""

    def to_dict(self) -> dict[str, Any]:
        return {
            **pick(self, "player elo scale games decisions"),
            "positions": self.rows(),
            "against_expectation": jsonable(self.against),
            "percentiles": jsonable(self.among),
        }

    def rows(self) -> list[Row]:
        return [moment.to_dict() for moment in self.moments]

    def words(self) -> Iterable[Words]:
        kinds = Counter(moment.kind for moment in self.moments)
        of = f"of {counted(self.decisions, 'move')} in {counted(self.games, 'game')}"
        if not kinds:
            yield Words(f"{self.player}: nothing stood out {of}, no clear miss and no rare find.")
            return
        found = ", ".join(
            counted(n, kind, f"{kind}es" if kind.endswith("s") else "") for kind, n in kinds.items()
        )
        lines = [f"{self.player}: {counted(len(self.moments), 'position')} worth an hour {of} ({found})."]
        for place, moment in enumerate(self.moments, 1):
            lines += [f"{place}. {moment.in_words}", f"   {self.told(moment)}"]
            lines += [f"   {moment.link}"] * bool(moment.link) + [f"   {moment.fen}"]
        yield Words("\n".join([*lines, "More: --details  --pgn FILE"]), grey=self.scale or "")

    def told(self, moment: Moment) -> str:
        """What a position cost, and how many players of this and of the next level do better there."""
        above = self.elo + NEXT_LEVEL
        if moment.kind == GOOD_FIND:
            return (
                f"Of 100 players rated {self.elo}, {moment.of_100} find a move as good; of those rated "
                f"{above}, {moment.of_100_next}."
            )
        before, after = 100 * moment.before, 100 * (moment.before - moment.lost)
        return (
            f"The expected score fell from {before:.0f}% to {after:.0f}%. Of 100 players rated {self.elo}, "
            f"{moment.of_100} do better; of those rated {above}, {moment.of_100_next}."
        )

    def details(self) -> Iterable[Words]:
        if self.against is not None:
            yield self.against.words()
        if self.among is not None:
            yield standings_in_words([self.among])


# Progress -----------------------------------------------------------------------------------------------

_FEW_GAMES = 3

FEWEST_PERIODS = 3
"""A trend takes so many periods."""


@dataclass(frozen=True, kw_only=True)
class Period:
    """A month, or some games in a row."""

    name: str
    time: float
    """Where it lies on the axis: the mean date of its games, in years."""
    rating: Rating

    @property
    def few(self) -> bool:
        """Whether there are too few games to make much of."""
        return self.rating.games < _FEW_GAMES


@dataclass(frozen=True, kw_only=True)
class Trend:
    """Points of Elo for each year."""

    a_year: float
    low: float
    high: float
    time: float
    """The line passes the mean of the periods, by what is known of each: a time in years,"""
    elo: float
    """and the rating there."""

    def __str__(self) -> str:
        return f"{self.a_year:+z.0f} points a year ({self.low:+z.0f} to {self.high:+z.0f})"


@dataclass(frozen=True, kw_only=True)
class Progress(Answer):
    """One player over time."""

    player: str
    by: str
    """`month`, or how many games are one period."""
    periods: tuple[Period, ...]
    trend: Trend | None
    """None where there are too few periods, or too little time between them."""
    left_out: int
    """Games without a date."""
    scale: str | None = None
    """What the ratings are on."""

    @property
    def sentence(self) -> str:
        """The trend in words."""
        if self.trend is None:
            return f"no trend yet: it takes {FEWEST_PERIODS} periods over a quarter of a year"
        if self.trend.low <= 0 <= self.trend.high:
            return f"no clear trend: {self.trend}"
        return f"{'better' if self.trend.a_year > 0 else 'worse'} over time: {self.trend}"

    def to_dict(self) -> dict[str, Any]:
        return {
            **pick(self, "player by scale sentence"),
            "periods": self.rows(),
            "trend": self.trend and jsonable(asdict(self.trend), 1),
            "games_without_date": self.left_out,
        }

    def rows(self) -> list[Row]:
        return [
            {
                "period": period.name,
                "time": number(period.time, 3),
                "games": int(period.rating.games),
                "decisions": int(period.rating.decisions),
                **period.rating.to_dict(),
                "few": period.few,
            }
            for period in self.periods
        ]

    def words(self) -> Iterable[Words]:
        ratings = [period.rating for period in self.periods]
        notes = [f"* fewer than {_FEW_GAMES} games."] * any(period.few for period in self.periods)
        notes += [f"Games without a date: {self.left_out}."] * bool(self.left_out)
        curve = sparkline([rating.elo for rating in ratings])
        yield rated_table(
            f"{self.player}: {self.sentence}.  {curve}".rstrip(),
            {
                "period": [f"{period.name}{' *' if period.few else ''}" for period in self.periods],
                "games": [int(rating.games) for rating in ratings],
            },
            ratings,
            note="\n".join(notes),
            grey=self.scale or "",
            level=ratings[0].level if ratings else 0.95,
        )
