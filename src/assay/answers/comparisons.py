"""Players against players: cross-tables, comparisons, forecasts of matches, careers, head-to-heads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.answers.answer import (
    Answer,
    Row,
    Words,
    counted,
    elo,
    jsonable,
    number,
    percent,
    pick,
    plain,
    points,
    span,
    sparkline,
    tens,
    with_interval,
)
from assay.answers.ratings import (
    Estimate,
    Forecast,
    PlayerRating,
    Quantity,
    Rating,
    best_in_words,
    rated_table,
)
from assay.decisions.arrays import Floats, Ints
from assay.decisions.elo import expectation
from assay.decisions.evaluation import is_on_scale
from assay.decisions.names import Who

# Two ratings -------------------------------------------------------------------------------------------


def expected_in_words(first: str, second: str, forecast: Forecast, how: str = "") -> str:
    """The expected score of the first against the second, and whether that settles who is stronger."""
    ends = span(forecast.low, forecast.high)
    score = f"{percent(forecast.expectation)}%{f' ({ends})' if ends else ''}"
    sentence = f"{first} is expected to score {score} against {second}{how}."
    if not ends:
        return sentence
    open_question = forecast.low <= 0.5 <= forecast.high
    return f"Too close to call: {sentence}" if open_question else sentence


def _rated_table(
    title: str,
    rated: Sequence[tuple[str, PlayerRating | None]],
    server: str,
    scale: str | None,
    *grey_words: str | None,
    about: str = "",
) -> Words:
    """Players with their ratings by moves, drawn on one axis; below it what they are about.

    Published ratings are those of `server`, if any, and are drawn where they are on the scale.
    """
    known = [(name, player) for name, player in rated if player and player.combined]
    marked = is_on_scale(server, scale)
    return rated_table(
        title,
        {
            "player": [name for name, _ in known],
            "games": [player.games for _, player in known],
            server or "publ.": [elo(player.reference) for _, player in known],
        },
        [player.combined for _, player in known],
        [player.reference if marked else math.nan for _, player in known],
        note="\n".join(filter(None, (about, "More: --details"))),
        grey=". ".join(filter(None, (scale, *grey_words))),
    )


# By the method gain --------------------------------------------------------------------------------------

PERCEIVED = "perceived strength (Ferreira 2012), not Elo"
"""What the paper's uncalibrated number is called, and differences of it."""

_ENDS = ("value", "low", "high")
_WIDEST = 10
"""With more players than this the cells of a cross-table do not fit on a page."""


@dataclass(frozen=True)
class GainScale:
    """Ratings on a scale, and the paper's own numbers: strengths perceived through the engine."""

    perceived: bool = False
    scale: str | None = None
    ratings: Mapping[tuple[str, str], PlayerRating] = field(default_factory=dict)
    """By player and event, or the player as it was asked for and nothing."""
    engine: float | None = None
    """The engine's strength, where it is known: Algorithm 4 then gives the players'."""
    strengths: Mapping[tuple[str, str], Quantity] = field(default_factory=dict)
    caveats: str = ""
    """That the scale is by a bridge, or rests on few games; empty for others."""
    published_by: str = ""
    """The server whose ratings the games have; empty for FIDE's, or where it is not known."""

    @property
    def asked(self) -> bool:
        """Whether the paper's own numbers were asked for."""
        return self.perceived or self.engine is not None

    def player(self, player: str, event: str = "") -> PlayerRating | None:
        """The ratings of a player at an event, where there are any; else of all their games."""
        return self.ratings.get((player, event)) or self.ratings.get((player, ""))

    def rating(self, player: str, event: str = "", method: str = "") -> Rating | None:
        """The rating by moves, or by one method alone."""
        rated = self.player(player, event)
        return None if rated is None else rated.ratings.get(method) if method else rated.combined

    def expected(self, first: str, second: str, event: str = "") -> float:
        """Expected score of the first in one game by Elo's curve; NaN where one has no rating."""
        ratings = [self.rating(name, event) for name in (first, second)]
        one, other = (math.nan if rating is None else rating.elo for rating in ratings)
        return float(expectation(one - other))

    def of(self, player: str, event: str = "") -> dict[str, Any]:
        """What JSON has of a player's ratings and of the strength by Algorithm 4."""
        strength = self._strength(player, event)
        return {
            "rating": jsonable(self.rating(player, event)),
            "rating_by_gain": jsonable(self.rating(player, event, "gain")),
            **({} if self.engine is None else {"perceived_through_engine": _ends_of(strength)}),
        }

    def _strength(self, player: str, event: str) -> Quantity | None:
        return self.strengths.get((player, event)) or self.strengths.get((player, ""))

    def columns(self, *perceived: str) -> list[str]:
        """Headings of what stands beside expectations by gain."""
        columns = ["rating by gain"] if self.scale is not None else []
        columns += perceived if self.perceived else ()
        return columns + (["through the engine"] if self.engine is not None else [])

    def cells(self, player: str, event: str = "", *perceived: str) -> list[object]:
        """The same of one player."""
        cells: list[object] = [] if self.scale is None else [str(self.rating(player, event, "gain") or "")]
        cells += perceived if self.perceived else ()
        if self.engine is not None:
            strength = self._strength(player, event)
            ends = "" if strength is None else [elo(getattr(strength, name)) for name in _ENDS]
            cells.append("{} ({} to {})".format(*ends) if ends else "")
        return cells

    @property
    def notes(self) -> list[str]:
        """What ratings are on, or that there are none; what strengths through the engine are."""
        no_scale = "No ratings: this recipe and engine have no calibration (assay calibrate makes one)."
        notes = [no_scale] if self.scale is None else [self.caveats] if self.caveats else []
        if self.engine is not None:
            notes.append(f"Through the engine, of strength {elo(self.engine)} (Algorithm 4): {PERCEIVED}.")
        return notes


def _ends_of(quantity: Quantity | None) -> dict[str, Any] | None:
    return None if quantity is None else pick(quantity, "value low high", 1)


@dataclass(frozen=True, eq=False)
class PerceivedRatings:
    """Perceived ratings of some players."""

    ratings: Floats
    """Perceived rating of each player; in a group without any known rating, the distance to its mean."""
    group: Ints
    """Which connected group each player belongs to."""
    anchors: Floats
    """The average rating that each group is tied to; NaN where no rating of the group is known."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossTable:
    """Players in order of their results, with a cell for each pair that is compared."""

    title: str
    by: str
    players: tuple[str, ...]
    elos: Floats
    """Reference rating of each player, the mean over the games; NaN if unknown."""
    games: Ints
    """Number of games between each two."""
    results: Floats
    """Sum of their results for the first; NaN where one is unknown."""
    expectations: Floats
    """Expectation of the first in one game against the second; NaN where they are not compared."""
    differences: Floats
    """Rating difference of the first over the second; NaN where they are not compared."""
    perceived: PerceivedRatings
    """Algorithm 2: perceived ratings of the players."""
    low: Floats
    high: Floats
    """95% interval of the perceived ratings, from resampled games; NaN where there is none."""
    against_engine: Floats
    """Expectation of each player against the engine."""
    to_engine: Floats
    """Rating difference of each player to the engine."""
    engine_strength: tuple[float, float]
    """Algorithm 3: the engine's strength by published ratings and by perceived ratings; NaN where unknown."""
    notes: tuple[str, ...] = ()

    @property
    def total_results(self) -> Floats:
        """Points of each player; NaN where a result is unknown."""
        return np.asarray(np.where(self.games > 0, self.results, 0.0).sum(axis=1))

    @property
    def total_expectations(self) -> Floats:
        """Points that the distributions of gain let expect of each player, over the games they played."""
        return np.asarray(np.nansum(self.games * self.expectations, axis=1))

    def cells(self, scale: GainScale) -> list[dict[str, Any]]:
        """One row for each pair that is compared, seen from either side."""
        return [
            {
                "event": self.title,
                "player": player,
                "opponent": opponent,
                "games": int(self.games[row, column]),
                "points": number(self.results[row, column]),
                "expectation": number(scale.expected(player, opponent, self.title)),
                "expectation_by_gain": number(self.expectations[row, column]),
                **(
                    {"perceived_difference": number(self.differences[row, column], 1)}
                    if scale.perceived
                    else {}
                ),
            }
            for row, player in enumerate(self.players)
            for column, opponent in enumerate(self.players)
            if not math.isnan(self.expectations[row, column])
        ]

    def expected_points(self, scale: GainScale) -> list[float]:
        """Points that ratings by moves let expect of each player in the games played; NaN without ratings."""
        return [
            sum(
                int(played) * scale.expected(player, opponent, self.title)
                for opponent, played in zip(self.players, self.games[row], strict=True)
                if played
            )
            for row, player in enumerate(self.players)
        ]

    def to_dict(self, scale: GainScale) -> dict[str, Any]:
        cells, expected = self.cells(scale), self.expected_points(scale)
        players = [
            {
                "player": player,
                "elo": number(self.elos[row], 1),
                "points": number(self.total_results[row]),
                "expected_points": number(expected[row]),
                "expected_points_by_gain": number(self.total_expectations[row]),
                "group": int(self.perceived.group[row]),
                "against_engine": {"expectation": number(self.against_engine[row])},
                **(self._perceived(row) if scale.perceived else {}),
                **scale.of(player, self.title),
                "opponents": [
                    {key: value for key, value in cell.items() if key not in ("event", "player")}
                    for cell in cells
                    if cell["player"] == player
                ],
            }
            for row, player in enumerate(self.players)
        ]
        engine = dict(zip(("by_elo", "by_estimate"), jsonable(self.engine_strength, 1), strict=True))
        return {
            "event": self.title,
            "by": self.by,
            "scale": scale.scale,
            "players": players,
            "groups": [{"anchor": number(anchor, 1)} for anchor in self.perceived.anchors],
            **({"perceived_engine_strength": engine} if scale.perceived else {}),
            **({} if scale.engine is None else {"engine_strength": number(scale.engine, 1)}),
            "notes": [*self.notes, *([scale.caveats] if scale.caveats else [])],
        }

    def _perceived(self, row: int) -> dict[str, Any]:
        """The paper's own number, which is not Elo, under its own name."""
        columns = (self.perceived.ratings, self.low, self.high, self.to_engine)
        numbers = zip((*_ENDS, "to_engine"), columns, strict=True)
        return {"perceived_strength": {name: number(values[row], 1) for name, values in numbers}}

    def words(self, scale: GainScale) -> Words:
        few = len(self.players) <= _WIDEST
        numbers = [" ".join(f"{place:>2}" for place in range(1, len(self.players) + 1))] * few
        rated = [scale.player(player, self.title) for player in self.players]
        published = any(map(math.isfinite, self.elos.tolist()))
        columns = ["", "player", *numbers, "pts"]
        columns += ["exp.", "moves", "95% range"] if any(rated) else []
        columns += [scale.published_by or "publ."] if published else []
        rows: list[list[object]] = []
        for row, (player, expected) in enumerate(zip(self.players, self.expected_points(scale), strict=True)):
            rating = scale.rating(player, self.title)
            cells: list[object] = [row + 1, player]
            cells += [" ".join(f"{self._result(row, column):>2}" for column in range(len(rated)))] * few
            cells.append(points(self.total_results[row]))
            if any(rated):
                cells.append("" if math.isnan(expected) else f"{expected:.1f}")
                cells += ["", ""] if rating is None else [rating.shown, rating.range]
            rows.append([*cells, *([elo(self.elos[row])] if published else [])])
        known = sorted(
            (player for player in rated if player and player.combined),
            key=lambda player: -player.combined.elo if player.combined else 0.0,
        )
        notes = [best_in_words(known)] if len(known) > 1 else []
        compared = is_on_scale(scale.published_by, scale.scale) and np.isfinite(self.elos).all()
        if compared and len(known) == len(self.players) > 1:
            # Ratings by moves keep their own mean, where Algorithm 2 takes the published one (step 4).
            by_moves = float(np.mean([player.combined.elo for player in known if player.combined]))
            notes.append(f"Mean by moves {tens(by_moves)}, published {tens(float(self.elos.mean()))}.")
        if known:
            notes.append("exp.: the points that these ratings by moves score here on average.")
        else:
            notes += scale.notes
        games = counted(int(self.games.sum()) // 2, "game")
        notes.append("More: --details")
        title, note = f"{self.title} · {games}", "\n".join(notes)
        beside = scale.scale or ""
        return Words(title, columns, rows, note, int(published), beside, scale.caveats)

    def _result(self, row: int, column: int) -> str:
        return points(self.results[row, column]) if self.games[row, column] else "·"

    def by_gain(self, scale: GainScale) -> Words:
        """A table like Table 1 of Ferreira 2012: what the distributions of gain let expect."""
        wide = len(self.players) <= _WIDEST
        places = range(len(self.players)) if wide else range(0)
        columns = ["", "player", *(str(place + 1) for place in places), "points", "by gain"]
        columns += scale.columns("perceived", "95% interval")
        rows: list[list[object]] = []
        for row, player in enumerate(self.players):
            low, high = elo(self.low[row]), elo(self.high[row])
            perceived = elo(self.perceived.ratings[row]), f"{low} to {high}" if low else ""
            rows.append(
                [
                    *(str(row + 1), player),
                    *(self._cell(row, column, scale) for column in places),
                    *(points(self.total_results[row]), f"{self.total_expectations[row]:.2f}"),
                    *scale.cells(player, self.title, *perceived),
                ]
            )
        notes = list(self.notes) if scale.perceived else []
        difference = " and perceived difference" if scale.perceived else ""
        if wide:
            notes.insert(0, f"In each cell: (result), expected score by gain{difference}.")
        if scale.perceived:
            notes.append(f"Perceived: {PERCEIVED}.")
            by_elo, by_estimate = self.engine_strength
            if not math.isnan(by_elo):
                strength = f"{elo(by_elo)} by ratings, {elo(by_estimate)}"
                notes.append(f"Perceived strength of the engine: {strength}.")
        title = f"By the method gain, distributions by {self.by}: not on the Elo scale"
        return Words(title, columns, rows, "\n".join([*notes, *scale.notes]))

    def _cell(self, row: int, column: int, scale: GainScale) -> str:
        """Result and expectation, and the perceived difference if asked, one below the other."""
        expected = self.expectations[row, column]
        if math.isnan(expected):
            return "–"
        played = int(self.games[row, column])
        several = f"/{played}" if played > 1 else ""
        result = f"({points(self.results[row, column])}{several})" if played else ""
        difference = elo(float(self.differences[row, column]), signed=True)
        return f"{result}\n{expected:.2f}" + (f"\n{difference}" if scale.perceived else "")


@dataclass(frozen=True)
class Tournament(Answer):
    """Cross-tables by quality of play, one for each event."""

    events: Sequence[CrossTable]
    scale: GainScale

    def to_dict(self) -> list[dict[str, Any]]:
        return [event.to_dict(self.scale) for event in self.events]

    def rows(self) -> list[Row]:
        return [cell for event in self.events for cell in event.cells(self.scale)]

    @property
    def detailed(self) -> bool:
        return self.scale.asked

    def words(self) -> Iterable[Words]:
        return [event.words(self.scale) for event in self.events]

    def details(self) -> Iterable[Words]:
        return [event.by_gain(self.scale) for event in self.events]


@dataclass(frozen=True)
class Comparison(Answer):
    """The first player against the second: by their ratings, and by the method gain."""

    estimates: tuple[Estimate, Estimate]
    """Each against the engine."""
    expectation: float
    low: float
    high: float
    """By gain, with its interval."""
    resampled: bool
    """Whether that interval comes from resampled games; of fewer it comes from the moves, widened."""
    differences: tuple[float, float, float]
    """Perceived difference of the first over the second, with the ends of its interval."""
    names: tuple[str, str] = ("first", "second")
    scale: GainScale = GainScale()
    forecast: Forecast | None = None
    """By both ratings; None where one of the two has none."""

    def to_dict(self) -> dict[str, Any]:
        scale = self.scale
        players = [
            {
                "player": name,
                **pick(estimate, "games decisions"),
                "mean_gain": number(estimate["mean_gain"].value),
                "against_engine": {"expectation": number(estimate["expectation"].value)},
                **(
                    {"perceived_to_engine": number(estimate["difference"].value, 1)}
                    if scale.perceived
                    else {}
                ),
                **scale.of(name),
            }
            for name, estimate in zip(self.names, self.estimates, strict=True)
        ]
        forecast = self.forecast
        ends = forecast and (forecast.expectation, forecast.low, forecast.high)
        differences = dict(zip(_ENDS, jsonable(self.differences, 1), strict=True))
        by_gain = jsonable((self.expectation, self.low, self.high))
        return {
            "scale": scale.scale,
            "players": players,
            "expectation": ends and dict(zip(_ENDS, jsonable(ends), strict=True)),
            "expectation_by_gain": dict(zip(_ENDS, by_gain, strict=True)),
            **({"perceived_difference": differences} if scale.perceived else {}),
            **({} if scale.engine is None else {"engine_strength": number(scale.engine, 1)}),
            "resampled": self.resampled,
            **({"notes": [scale.caveats]} if scale.caveats else {}),
        }

    def rows(self) -> list[Row]:
        document = self.to_dict()
        rows: list[Row] = []
        for player, of_first in zip(document["players"], (True, False), strict=True):
            engine = {f"engine_{name}": x for name, x in player.pop("against_engine").items()}
            ratings: dict[str, Any] = {}
            for name in ("rating", "rating_by_gain"):
                rating = player.pop(name) or {}
                ratings |= {f"{name}_{end}": rating.get(end) for end in ("elo", "low", "high")}
            if "perceived_through_engine" in player:
                through = player.pop("perceived_through_engine") or dict.fromkeys(_ENDS)
                player |= {f"perceived_through_engine_{name}": x for name, x in through.items()}
            row = {**player, **engine}
            for name, suffix in (("expectation", ""), ("expectation_by_gain", "_by_gain")):
                ends = list((document[name] or dict.fromkeys(_ENDS)).values())
                if not of_first:
                    ends = [None if end is None else round(1 - end, 4) for end in (ends[0], ends[2], ends[1])]
                row |= dict(zip((name, f"low{suffix}", f"high{suffix}"), ends, strict=True))
            rows.append({**row, **(ratings if self.scale.scale is not None else {})})
        return rows

    @property
    def detailed(self) -> bool:
        """Whether the paper's numbers were asked for, or are all there is."""
        return self.scale.asked or self.forecast is None

    def words(self) -> Iterable[Words]:
        if self.forecast is not None:
            title = expected_in_words(*self.names, self.forecast)
            rated = [(name, self.scale.player(name)) for name in self.names]
            scale = self.scale
            yield _rated_table(title, rated, scale.published_by, scale.scale, scale.caveats)
        else:
            by_gain = Forecast("gain", self.expectation, low=self.low, high=self.high)
            yield Words(expected_in_words(*self.names, by_gain, " by the method gain"))

    def details(self) -> Iterable[Words]:
        columns = ["player", "games", "decisions", "mean gain", "against engine"]
        rows = [
            [
                *(name, round(estimate.games), round(estimate.decisions)),
                *(f"{estimate['mean_gain'].value:+z.3f}", f"{estimate['expectation'].value:.3f}"),
                *self.scale.cells(name, "", elo(estimate["difference"].value, signed=True)),
            ]
            for name, estimate in zip(self.names, self.estimates, strict=True)
        ]
        how = "resampled games" if self.resampled else "moves: too few games to resample"
        notes = [
            f"Expectation of {self.names[0]} by gain: {self.expectation:.3f} ({self.low:.3f} to "
            f"{self.high:.3f}), 95% interval from {how}; it is not on the Elo scale.",
        ]
        if self.scale.perceived:
            value, low, high = (elo(end, signed=True) for end in self.differences)
            notes.append(f"Perceived difference {value} ({low} to {high}): {PERCEIVED}.")
        columns += self.scale.columns("perceived difference")
        yield Words("By the method gain", columns, rows, "\n".join([*notes, *self.scale.notes]))


# Forecasts -----------------------------------------------------------------------------------------------


def most_frequent_reason(what: str, notes: Sequence[str]) -> str:
    """What cannot be done and why: the reason that most methods give."""
    reasons = Counter(note.partition(": ")[2] for note in notes).most_common(1)
    return f"{what}: {reasons[0][0]}" if reasons else what


@dataclass(frozen=True)
class MatchForecasts(Answer):
    """One match: by the ratings of both, and by every method."""

    first: str
    second: str
    forecasts: Sequence[Forecast]
    unable: Sequence[str] = ()
    """Methods that have no forecast, and why."""
    rated: tuple[PlayerRating | None, PlayerRating | None] = (None, None)
    scale: str | None = None
    published_by: str = ""
    """The server whose ratings the games have; empty for FIDE's, or where it is not known."""
    about: str = ""
    """What must be said of these players."""
    later: Callable[[], tuple[Sequence[Forecast], Sequence[str]]] | None = None
    """Finds the forecasts of all methods, and why some have none, where `forecasts` has the answer alone."""

    @cached_property
    def by_method(self) -> tuple[Sequence[Forecast], Sequence[str]]:
        """Forecasts of all methods, and why some have none."""
        return (self.forecasts, self.unable) if self.later is None else self.later()

    @property
    def answer(self) -> Forecast:
        """The forecast by ratings where there is one; else that of the first method."""
        by_method = {forecast.method: forecast for forecast in self.forecasts}
        return by_method.get("combined", self.forecasts[0])

    @property
    def remarks(self) -> list[str]:
        """Caveats of the forecasts, and why some methods have none: equal notes once."""
        forecasts, unable = self.by_method
        notes = [f"{forecast.method}: {note}" for forecast in forecasts for note in forecast.notes]
        methods = [forecast.method for forecast in forecasts] + [note.partition(": ")[0] for note in unable]
        lines = grouped_by_method([*notes, *unable], methods)
        return ["; ".join(lines)] if lines else []

    def to_dict(self) -> dict[str, Any]:
        return {
            **pick(self, "first second scale"),
            "by": self.answer.method,
            **pick(self.answer, "expectation low high"),
            "ratings": [jsonable(player and player.combined) for player in self.rated],
            "forecasts": self.rows(),
            "notes": [*self.remarks, *([self.about] if self.about else [])],
        }

    def rows(self) -> list[Row]:
        names = ("method", "expectation", "low", "high", "win", "draw", "loss")
        return [plain({name: getattr(forecast, name) for name in names}) for forecast in self.by_method[0]]

    @property
    def detailed(self) -> bool:
        """Whether methods are all there is, or were named."""
        return self.answer.method != "combined"

    def words(self) -> Iterable[Words]:
        answer = self.answer
        by_rating = not self.detailed
        how = "" if by_rating else f" by the method {answer.method}"
        title = expected_in_words(self.first, self.second, answer, how)
        if by_rating:
            rated = list(zip((self.first, self.second), self.rated, strict=True))
            yield _rated_table(title, rated, self.published_by, self.scale, *answer.notes, about=self.about)
        else:
            yield Words(title)

    def details(self) -> Iterable[Words]:
        yield Words(
            "By method, colours shared: percent for the first",
            ("method", "expected", "95% interval", "win", "draw", "loss"),
            [
                (
                    "rating by moves" if forecast.method == "combined" else forecast.method,
                    percent(forecast.expectation),
                    span(forecast.low, forecast.high),
                    *map(percent, (forecast.win, forecast.draw, forecast.loss)),
                )
                for forecast in self.by_method[0]
            ],
            "\n".join(self.remarks),
        )


@dataclass(frozen=True, kw_only=True)
class Match:
    """A match, with the share of the points that the first player took."""

    first: str
    second: str
    year: int
    actual: float
    first_elo: float | None = None
    second_elo: float | None = None
    games: int | None = None

    def __str__(self) -> str:
        return f"{self.first}-{self.second} {self.year}"


@dataclass(frozen=True)
class MatchForecast:
    """A match with its forecast by each method that has one."""

    match: Match
    forecasts: Mapping[str, Forecast]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MatchErrors:
    """How one method did over several matches."""

    method: str
    matches: int
    error: float
    """Mean absolute error of the share of points."""
    deviation: float
    """Standard error of that mean."""
    correlation: float
    """Of forecasts and results; NaN where either does not vary."""


@dataclass(frozen=True)
class Matches(Answer):
    """Matches forecast from the year before, beside the results."""

    matches: Sequence[MatchForecast]
    methods: Sequence[str]
    errors: Sequence[MatchErrors]

    @property
    def _names(self) -> list[str]:
        return [error.method for error in self.errors]

    def to_dict(self) -> dict[str, Any]:
        return {
            "matches": [plain(row) for row in self._flat()],
            "errors": [plain(asdict(error)) for error in self.errors],
        }

    def rows(self) -> list[Row]:
        ends = [f"{name}_{end}" for name in self._names for end in ("low", "high")]
        columns = ["first", "second", "year", "actual", *self._names, *ends]
        return [{name: plain(row).get(name) for name in columns} for row in self._flat()]

    def _flat(self) -> list[dict[str, Any]]:
        return [
            {
                **asdict(row.match),
                **{n: row.forecasts[n].expectation for n in self._names if n in row.forecasts},
                **{
                    f"{n}_{end}": getattr(f, end) for n, f in row.forecasts.items() for end in ("low", "high")
                },
            }
            for row in self.matches
        ]

    def words(self) -> Iterable[Words]:
        names = self._names
        yield Words(
            "Matches forecast from the year before: percent for the first player",
            ("match", "actual", *names),
            [
                (str(r.match), percent(r.match.actual), *(_forecast(r.forecasts.get(name)) for name in names))
                for r in self.matches
            ],
            "\n".join(self._notes()),
        )
        yield Words(
            "Mean errors",
            ("method", "matches", "mean error", "standard error", "correlation"),
            [
                (
                    *(e.method, e.matches, percent(e.error, 1), percent(e.deviation, 1)),
                    "" if math.isnan(e.correlation) else f"{e.correlation:z.2f}",
                )
                for e in self.errors
            ],
        )

    def _notes(self) -> list[str]:
        """The notes of all matches, equal ones once, with how many matches have them."""
        about: dict[str, set[str]] = {}
        for row in self.matches:
            for note in grouped_by_method(row.notes, self.methods):
                about.setdefault(note, set()).add(str(row.match))
        return [f"{note} ({len(which)} matches)" if len(which) > 1 else note for note, which in about.items()]


def _forecast(forecast: Forecast | None) -> str:
    """A forecast in percent with its interval."""
    if forecast is None:
        return ""
    ends = span(forecast.low, forecast.high)
    return percent(forecast.expectation) + (f" ({ends})" if ends else "")


# Careers -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Career(Answer):
    """Every year of one player or of several."""

    players: Mapping[str, Sequence[dict[str, Any]]]
    """By player, one row for each year."""
    methods: Sequence[str] = ()
    """Names of all methods, in whose order their numbers are printed."""
    scale: str | None = None
    caveats: Sequence[str] = ()
    """That the scale is by a bridge, or rests on few games."""
    about: str = ""
    """What must be said of these players."""
    later: Callable[[], Mapping[str, Sequence[dict[str, Any]]]] | None = None
    """Finds the numbers of all methods, where `players` has the ratings alone."""

    @cached_property
    def _years(self) -> list[dict[str, Any]]:
        tables = self.players if self.later is None else self.later()
        return [row for table in tables.values() for row in table]

    def to_dict(self) -> list[dict[str, Any]]:
        ends = ("elo", "low", "high", "bound")
        return [
            plain(
                {
                    **row,
                    **({"moves_only": alone.to_dict()} if (alone := row.get("moves_only")) else {}),
                    "ratings": {
                        name: {end: getattr(rating, end) for end in ends}
                        for name, rating in row["ratings"].items()
                    },
                }
            )
            for row in self._years
        ]

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        for year in self._years:
            ratings = {
                f"{end}_{name}": getattr(rating, end)
                for name, rating in year["ratings"].items()
                for end in ("elo", "low", "high")
            }
            unprinted = ("ratings", "notes", "moves_only")
            rows.append(plain({**{k: x for k, x in year.items() if k not in unprinted}, **ratings}))
        return rows

    @property
    def detailed(self) -> bool:
        """Whether the methods' numbers are all there is."""
        return not any("combined" in row["ratings"] for rows in self.players.values() for row in rows)

    def words(self) -> Iterable[Words]:
        if self.detailed:
            return []
        *others, last = [self._by_rating(*player) for player in self.players.items()]
        note = "\n".join(filter(None, (last.note, self.about, "More: --details")))
        grey = ". ".join(filter(None, (self.scale, *self.caveats)))
        return [*others, replace(last, note=note, grey=grey)]

    def _by_rating(self, player: str, rows: Sequence[dict[str, Any]]) -> Words:
        ratings = [row["ratings"].get("combined") for row in rows]
        best = max(
            (row for row in rows if "combined" in row["ratings"]),
            key=lambda row: (row["active"], row["ratings"]["combined"].elo),
        )
        rating = best["ratings"]["combined"]
        curve = sparkline([math.nan if rating is None else rating.elo for rating in ratings])
        few = sum(not row["active"] for row in rows)
        notes = [f"* too few moves (--min-moves): {few} of {len(rows)} years."] if few else []
        alone = [row.get("moves_only") for row in rows]
        if any(alone):
            notes.append("alone: by the moves of that year only, from a flat prior; it varies more.")
        when = f"{'best ' if len(rows) > 1 else ''}in {best['year']}"
        return rated_table(
            f"{player}: {when}, {rating.shown} ({rating.range})  {curve}".rstrip(),
            {
                "year": [f"{row['year']}{'' if row['active'] else ' *'}" for row in rows],
                "games": [int(row["games"]) for row in rows],
                "of": [row.get("games_of_year", "") for row in rows],
            },
            ratings,
            after={
                "alone": ["" if each is None else each.shown for each in alone],
                "publ.": [elo(row.get("published", math.nan)) for row in rows],
            },
            note="\n".join(notes),
            grey="",
            level=rating.level,
        )

    def details(self) -> Iterable[Words]:
        rows = self._years
        numbers = self._headlines({name: None for row in rows for name in row})
        several = len(self.players) > 1
        cells = [
            (
                *([row["player"]] if several else []),
                *(f"{row['year']}", int(row["games"]), int(row["decisions"])),
                *(with_interval(row, name) for name in numbers),
            )
            for row in rows
        ]
        yield Words(
            "By method: " + ", ".join(self.players),
            (
                *([*(["player"] if several else []), "year", "games", "moves"]),
                *(name.replace("_", " ") for name in numbers),
            ),
            cells,
            "\n".join(grouped_by_method((note for row in rows for note in row["notes"]), self.methods)),
            len(numbers) - 1,
        )

    def _headlines(self, names: Iterable[str]) -> list[str]:
        """Conformance, and the first number of every other method: JSON and CSV have all of them."""
        columns = list(names)
        first = [next((key for key in columns if key.startswith(f"{name}_")), "") for name in self.methods]
        others = [key for key in first if key and not key.startswith("conformance")]
        return ["conformance_0", "conformance", *others]


def grouped_by_method(notes: Iterable[str], methods: Sequence[str]) -> list[str]:
    """Notes, equal ones once: one that several methods have names them, one that all have nobody."""
    by_reason: dict[str, list[str]] = {}
    for note in notes:
        method, _, reason = note.partition(": ")
        by = by_reason.setdefault(reason if method in methods else note, [])
        if method in methods and method not in by:
            by.append(method)
    everyone = set(methods)
    return [
        f"{', '.join(by)}: {note}" if by and set(by) != everyone else note for note, by in by_reason.items()
    ]


@dataclass(frozen=True, eq=False)
class HeadToHeads(Answer):
    """Every player-year against every other."""

    keys: tuple[Who, ...]
    as_white: Floats
    """Expectation of the row with White against the column."""
    method: str = ""
    white: bool = False
    """Whether the row has White in what is printed; else colours are shared."""
    note: str = ""
    low: Floats | None = None
    high: Floats | None = None
    """Ends of the 95% ranges, colours shared; None where a method has none."""
    about: str = ""

    @property
    def match(self) -> Floats:
        """Expectation of the row in a match with colours shared."""
        return np.asarray((self.as_white + 1 - self.as_white.T) / 2)

    def best_years(self) -> tuple[Who, ...]:
        """The year of each player with most victories over all years of all others (section 4.3.2).

        The mean expectation decides between equals. Players come best first, by their expectation against
        the best years of the others.
        """
        players = np.array([key.player for key in self.keys])
        others = players[:, None] != players[None, :]
        wins = ((self.match > 0.5) & others).sum(axis=1)
        mean = np.where(others, self.match, 0.0).sum(axis=1)
        best = [
            max(np.flatnonzero(players == player), key=lambda row: (wins[row], mean[row]))
            for player in dict.fromkeys(players.tolist())
        ]
        among = self.match[np.ix_(best, best)].sum(axis=1)
        return tuple(self.keys[best[index]] for index in np.argsort(-among, kind="stable"))

    def among(self, keys: Sequence[Who]) -> HeadToHeads:
        """Those between these only, in this order."""
        rows = [self.keys.index(key) for key in keys]
        low, high = (None if x is None else x[np.ix_(rows, rows)] for x in (self.low, self.high))
        return replace(self, keys=tuple(keys), as_white=self.as_white[np.ix_(rows, rows)], low=low, high=high)

    def _cells(self) -> list[list[float | None]]:
        return [
            [None if i == j else round(float(value), 2) for j, value in enumerate(row)]
            for i, row in enumerate(100 * (self.as_white if self.white else self.match))
        ]

    def to_dict(self) -> dict[str, Any]:
        names = [str(key) for key in self.keys]
        return {
            "method": self.method,
            "white": self.white,
            "names": names,
            "expectation": self.rows(),
            **{
                end: jsonable((100 * values).tolist(), 2)
                for end, values in (("low", self.low), ("high", self.high))
                if values is not None
            },
            **({"notes": [self.about]} if self.about else {}),
        }

    def rows(self) -> list[Row]:
        names = [str(key) for key in self.keys]
        return [
            {"player": name, **dict(zip(names, row, strict=True))}
            for name, row in zip(names, self._cells(), strict=True)
        ]

    def words(self) -> Iterable[Words]:
        how = "with White" if self.white else "colours shared"
        shown = [["" if cell is None else f"{cell:.0f}" for cell in row] for row in self._cells()]
        names = short_names(self.keys)
        # All columns are one, so that twenty players fit on a line.
        wide, longest = 2 + any(cell == "100" for row in shown for cell in row), max(map(len, names))
        lines = [
            f"{place:>2} {name:<{longest}} {' '.join(f'{cell:>{wide}}' for cell in row)}"
            for place, (name, row) in enumerate(zip(names, shown, strict=True), start=1)
        ]
        heads = " ".join(f"{index + 1:>{wide}}" for index in range(len(shown)))
        means = [
            float(np.mean([cell for cell in row if cell is not None] or [50.0])) for row in self._cells()
        ]
        best = max(range(len(means)), key=means.__getitem__)
        yield Words(
            f"{names[best]} is expected to score most: {means[best]:.0f}% on average against the others.\n"
            f"Expected score of the row in percent, {how}, by {self.method}",
            (f"{'':{longest + 3}} {heads}",),
            [(line,) for line in lines],
            "\n".join(filter(None, (self.note, self._settled(), self.about))),
        )

    def details(self) -> Iterable[Words]:
        if self.low is None or self.high is None:
            return
        names, pairs = short_names(self.keys), np.argwhere(np.triu(np.isfinite(self.low), 1)).tolist()
        yield Words(
            "Every pair, colours shared, in percent",
            ("first", "second", "expected", "95% range"),
            [
                (names[i], names[j], f"{100 * self.match[i, j]:.0f}", span(self.low[i, j], self.high[i, j]))
                for i, j in pairs
            ],
        )

    def _settled(self) -> str:
        if self.low is None or self.high is None:
            return ""
        above = np.triu(np.isfinite(self.low), 1)
        settled = above & ((self.low > 0.5) | (self.high < 0.5))
        return f"{settled.sum()} of {above.sum()} pairs are settled: the 95% range does not contain 50."


def short_names(keys: Sequence[Who]) -> list[str]:
    """Family names with the year, where these are different; else full names."""
    families = {key.player: key.player.partition(",")[0].strip() for key in keys}
    if len(set(families.values())) < len(families):
        return [str(key) for key in keys]
    return [" ".join(filter(None, (families[key.player], str(key).partition("@")[2]))) for key in keys]
