"""Players against players: cross-tables, comparisons, forecasts of matches, careers, head-to-heads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from assay.answers.answer import Answer, Row, Words, elo, number, percent, plain, points, span, with_interval
from assay.answers.ratings import Estimate, Forecast, Quantity, Rating
from assay.decisions.arrays import Floats, Ints
from assay.decisions.names import Who

# By the method gain --------------------------------------------------------------------------------------

PERCEIVED = "perceived strength (Ferreira 2012), not Elo"
"""What the paper's uncalibrated number is called, and differences of it."""

_ENDS = ("value", "low", "high")
_WIDEST = 12
"""With more players than this the cells of a cross-table do not fit on a page."""


@dataclass(frozen=True)
class GainScale:
    """Ratings by gain on a scale, and the paper's own number where it is asked for."""

    perceived: bool = False
    scale: str | None = None
    ratings: Mapping[tuple[str, str], Rating] = field(default_factory=dict)
    """By player and event, or the player as it was asked for and nothing."""
    engine: float | None = None
    """The engine's strength, where it is known: Algorithm 4 then gives the players'."""
    strengths: Mapping[tuple[str, str], Quantity] = field(default_factory=dict)
    caveats: str = ""
    """That the scale is by a bridge, or rests on few games; empty for others."""

    def rating(self, player: str, event: str = "") -> Rating | None:
        """The rating of a player at an event, where there is one; else of all their games."""
        return self.ratings.get((player, event)) or self.ratings.get((player, ""))

    def strength(self, player: str, event: str = "") -> Quantity | None:
        """Perceived strength of a player through the engine, at an event or in all games."""
        return self.strengths.get((player, event)) or self.strengths.get((player, ""))

    def through_engine(self, player: str, event: str = "") -> dict[str, Any]:
        """Perceived strength by Algorithm 4, as JSON has it; empty where the engine's is not known."""
        if self.engine is None:
            return {}
        strength = self.strength(player, event)
        ends = None if strength is None else {name: number(getattr(strength, name), 1) for name in _ENDS}
        return {"perceived_through_engine": ends}

    def columns(self, *perceived: str, change: bool = False) -> list[str]:
        """Headings of what stands beside expectations."""
        columns = ["rating by gain", *(["change"] if change else [])] if self.scale is not None else []
        columns += perceived if self.perceived else ()
        return columns + (["through the engine"] if self.engine is not None else [])

    def cells(
        self, player: str, event: str = "", *perceived: str, published: float | None = None
    ) -> list[object]:
        """The same of one player; with the change against the published rating where that is given."""
        cells: list[object] = []
        if self.scale is not None:
            rating = self.rating(player, event)
            cells.append("" if rating is None else _with_ends(rating.elo, rating.low, rating.high))
            if published is not None:
                cells.append("" if rating is None else elo(rating.elo - published, signed=True))
        cells += perceived if self.perceived else ()
        if self.engine is not None:
            strength = self.strength(player, event)
            cells.append("" if strength is None else _with_ends(strength.value, strength.low, strength.high))
        return cells

    @property
    def note(self) -> str:
        """What ratings are on, or that there are none."""
        if self.scale is None:
            return "No ratings: this recipe and engine have no calibration (assay calibrate makes one)."
        return f"Rating by gain, with its 95% interval: {self.scale}. {self.caveats}".rstrip()

    def engine_notes(self) -> list[str]:
        """What strengths through the engine are."""
        if self.engine is None:
            return []
        return [f"Through the engine, of strength {elo(self.engine)} (Algorithm 4): {PERCEIVED}."]


def _with_ends(value: float, low: float, high: float) -> str:
    return f"{elo(value)} ({elo(low)} to {elo(high)})"


@dataclass(frozen=True, eq=False)
class PerceivedRatings:
    """Perceived ratings of some players."""

    ratings: Floats
    """Perceived rating of each player; in a group without any known rating, the distance to its mean."""
    group: Ints
    """Which connected group each player belongs to."""
    anchors: Floats
    """The average rating that each group is tied to; NaN where no rating of the group is known."""

    @property
    def n_groups(self) -> int:
        """Number of groups that no difference connects."""
        return len(self.anchors)


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
    """Algorithm 3: the engine's strength by reference ratings and by perceived ratings; NaN where unknown."""
    notes: tuple[str, ...] = ()

    @property
    def total_results(self) -> Floats:
        """Points of each player; NaN where a result is unknown."""
        return np.asarray(np.where(self.games > 0, self.results, 0.0).sum(axis=1))

    @property
    def total_expectations(self) -> Floats:
        """Points that the distributions of gain let expect of each player, over the games they played."""
        return np.asarray(np.nansum(self.games * self.expectations, axis=1))

    @property
    def changes(self) -> Floats:
        """Perceived rating less the reference rating."""
        return self.perceived.ratings - self.elos

    def cells(self, scale: GainScale) -> list[dict[str, Any]]:
        """One row for each pair that is compared, seen from either side."""
        return [
            {
                "event": self.title,
                "player": player,
                "opponent": opponent,
                "games": int(self.games[row, column]),
                "points": number(self.results[row, column]),
                "expectation": number(self.expectations[row, column]),
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

    def to_dict(self, scale: GainScale) -> dict[str, Any]:
        """One event of `assay tournament --json`."""
        cells = self.cells(scale)
        players = [
            {
                "player": player,
                "elo": number(self.elos[row], 1),
                "points": number(self.total_results[row]),
                "expected_points": number(self.total_expectations[row]),
                "rating": rating and rating.to_dict(),
                "group": int(self.perceived.group[row]),
                "against_engine": {"expectation": number(self.against_engine[row])},
                **(self._perceived(row) if scale.perceived else {}),
                **scale.through_engine(player, self.title),
                "opponents": [
                    {key: value for key, value in cell.items() if key not in ("event", "player")}
                    for cell in cells
                    if cell["player"] == player
                ],
            }
            for row, player in enumerate(self.players)
            for rating in [scale.rating(player, self.title)]
        ]
        by_elo, by_estimate = (number(x, 1) for x in self.engine_strength)
        engine = {"by_elo": by_elo, "by_estimate": by_estimate}
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
        numbers = zip(
            ("value", "low", "high", "to_engine"),
            (self.perceived.ratings, self.low, self.high, self.to_engine),
            strict=True,
        )
        return {"perceived_strength": {name: number(values[row], 1) for name, values in numbers}}

    def words(self, scale: GainScale) -> Words:
        """A table like Table 1 of Ferreira 2012."""
        wide = len(self.players) <= _WIDEST
        places = range(len(self.players)) if wide else range(0)
        columns = ["", "player", "Elo", *(str(place + 1) for place in places), "points", "expected"]
        columns += scale.columns("perceived", "95% interval", change=True)
        rows: list[list[object]] = []
        for row, player in enumerate(self.players):
            low, high = elo(self.low[row]), elo(self.high[row])
            perceived = elo(self.perceived.ratings[row]), f"{low} to {high}" if low else ""
            rows.append(
                [
                    *(str(row + 1), player, elo(self.elos[row])),
                    *(self._cell(row, column, scale) for column in places),
                    *(points(self.total_results[row]), f"{self.total_expectations[row]:.2f}"),
                    *scale.cells(player, self.title, *perceived, published=float(self.elos[row])),
                ]
            )
        notes = self._notes(wide, scale)
        return Words(f"{self.title} (distributions by {self.by})", columns, rows, "\n".join(notes))

    def _cell(self, row: int, column: int, scale: GainScale) -> str:
        """Result and expectation, and the perceived difference if asked, one below the other."""
        expectation = self.expectations[row, column]
        if math.isnan(expectation):
            return "–"
        played = int(self.games[row, column])
        several = f"/{played}" if played > 1 else ""
        result = f"({points(self.results[row, column])}{several})" if played else ""
        difference = elo(float(self.differences[row, column]), signed=True)
        return f"{result}\n{expectation:.2f}" + (f"\n{difference}" if scale.perceived else "")

    def _notes(self, wide: bool, scale: GainScale) -> list[str]:
        notes = list(self.notes) if scale.perceived else []
        if wide:
            what = ", expectation and perceived difference" if scale.perceived else ", expectation"
            notes.insert(0, f"In each cell: (result){what} by gain.")
        else:
            notes.append("Cells are left out of a table this wide: see --json or --csv.")
        notes.append(scale.note)
        if scale.perceived:
            notes.append(f"Perceived: {PERCEIVED}.")
            by_elo, by_estimate = self.engine_strength
            if not math.isnan(by_elo):
                strength = f"{elo(by_elo)} by ratings, {elo(by_estimate)}"
                notes.append(f"Perceived strength of the engine: {strength}.")
        return [*notes, *scale.engine_notes()]


@dataclass(frozen=True)
class Tournament(Answer):
    """Cross-tables by quality of play, one for each event."""

    events: Sequence[CrossTable]
    scale: GainScale

    def to_dict(self) -> list[dict[str, Any]]:
        """One object for each event."""
        return [event.to_dict(self.scale) for event in self.events]

    def rows(self) -> list[Row]:
        """One row for each pair that is compared, seen from either side."""
        return [cell for event in self.events for cell in event.cells(self.scale)]

    def words(self) -> Iterable[Words]:
        """One cross-table for each event."""
        return [event.words(self.scale) for event in self.events]


@dataclass(frozen=True)
class Comparison(Answer):
    """The first player against the second, by gain."""

    estimates: tuple[Estimate, Estimate]
    """Each against the engine."""
    expectation: float
    low: float
    high: float
    resampled: bool
    """Whether the interval comes from resampled games; of fewer it comes from the moves, widened."""
    differences: tuple[float, float, float]
    """Rating difference of the first over the second, with the ends of its interval."""
    names: tuple[str, str] = ("first", "second")
    scale: GainScale = GainScale()

    def to_dict(self) -> dict[str, Any]:
        """What `assay compare --json` prints."""
        scale = self.scale
        differences = dict(zip(_ENDS, (number(end, 1) for end in self.differences), strict=True))
        players = [
            {
                "player": name,
                "games": number(estimate.games),
                "decisions": number(estimate.decisions),
                "mean_gain": number(estimate["mean_gain"].value),
                "against_engine": {"expectation": number(estimate["expectation"].value)},
                "rating": rating and rating.to_dict(),
                **({"perceived_to_engine": number(to_engine, 1)} if scale.perceived else {}),
                **scale.through_engine(name),
            }
            for name, estimate in zip(self.names, self.estimates, strict=True)
            for rating, to_engine in [(scale.rating(name), estimate["difference"].value)]
        ]
        ends = zip(_ENDS, (self.expectation, self.low, self.high), strict=True)
        return {
            "scale": scale.scale,
            "players": players,
            "expectation": {name: number(value) for name, value in ends},
            **({"perceived_difference": differences} if scale.perceived else {}),
            **({} if scale.engine is None else {"engine_strength": number(scale.engine, 1)}),
            "resampled": self.resampled,
            **({"notes": [scale.caveats]} if scale.caveats else {}),
        }

    def rows(self) -> list[Row]:
        """One row for each of the two, with what is to be expected against the other."""
        document = self.to_dict()
        value, low, high = document["expectation"].values()
        turned = [None if end is None else round(1 - end, 4) for end in (value, high, low)]
        rows: list[Row] = []
        for player, ends in zip(document["players"], ((value, low, high), turned), strict=True):
            engine = {f"engine_{name}": x for name, x in player.pop("against_engine").items()}
            rating = player.pop("rating") or dict.fromkeys(("elo", "low", "high"))
            if "perceived_through_engine" in player:
                through = player.pop("perceived_through_engine") or dict.fromkeys(_ENDS)
                player |= {f"perceived_through_engine_{name}": x for name, x in through.items()}
            row = {**player, **engine, **dict(zip(("expectation", "low", "high"), ends, strict=True))}
            on_scale = {f"rating_{name}": x for name, x in rating.items()}
            rows.append({**row, **(on_scale if self.scale.scale is not None else {})})
        return rows

    def words(self) -> Iterable[Words]:
        """Two players side by side, and the first against the second."""
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
            f"Expectation of {self.names[0]}: {self.expectation:.3f} ({self.low:.3f} to {self.high:.3f}); "
            f"95% interval from {how}.",
            self.scale.note,
        ]
        if self.scale.perceived:
            value, low, high = (elo(end, signed=True) for end in self.differences)
            notes.append(f"Perceived difference {value} ({low} to {high}): {PERCEIVED}.")
        notes += self.scale.engine_notes()
        columns += self.scale.columns("perceived difference")
        yield Words(f"{self.names[0]} against {self.names[1]}", columns, rows, "\n".join(notes))


# Forecasts -----------------------------------------------------------------------------------------------


def most_frequent_reason(what: str, notes: Sequence[str]) -> str:
    """What cannot be done and why: the reason that most methods give."""
    reasons = Counter(note.partition(": ")[2] for note in notes).most_common(1)
    return f"{what}: {reasons[0][0]}" if reasons else what


@dataclass(frozen=True)
class MatchForecasts(Answer):
    """One match by every method."""

    first: str
    second: str
    forecasts: Sequence[Forecast]
    unable: Sequence[str] = ()
    """Methods that have no forecast, and why."""

    @property
    def remarks(self) -> list[str]:
        """Caveats of the forecasts, and why some methods have none: equal notes once."""
        methods: dict[str, list[str]] = {}
        for forecast in self.forecasts:
            for note in forecast.notes:
                methods.setdefault(note, []).append(forecast.method)
        for note in self.unable:
            method, _, reason = note.partition(": ")
            methods.setdefault(reason, []).append(method)
        everyone = len(self.forecasts) + len(self.unable)
        lines = [note if len(by) == everyone else f"{', '.join(by)}: {note}" for note, by in methods.items()]
        return ["; ".join(lines)] if lines else []

    def to_dict(self) -> dict[str, Any]:
        """What `assay forecast --json` prints."""
        return {"first": self.first, "second": self.second, "forecasts": self.rows(), "notes": self.remarks}

    def rows(self) -> list[Row]:
        """One row for each method."""
        names = ("method", "expectation", "low", "high", "win", "draw", "loss")
        return [plain({name: getattr(forecast, name) for name in names}) for forecast in self.forecasts]

    def words(self) -> Iterable[Words]:
        """One table, in percent for the first player."""
        yield Words(
            f"{self.first} against {self.second}, colours shared: percent for the first",
            ("method", "expectation", "95% interval", "win", "draw", "loss"),
            [
                (
                    forecast.method,
                    percent(forecast.expectation),
                    span(forecast.low, forecast.high),
                    *map(percent, (forecast.win, forecast.draw, forecast.loss)),
                )
                for forecast in self.forecasts
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
        """Matches and mean errors."""
        return {
            "matches": [plain(row) for row in self._flat()],
            "errors": [plain(asdict(error)) for error in self.errors],
        }

    def rows(self) -> list[Row]:
        """One row for each match."""
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
        """Matches, then mean errors."""
        names = self._names
        yield Words(
            "Matches forecast from the year before: percent for the first player",
            ("match", "actual", *names),
            [
                (str(r.match), percent(r.match.actual), *(_forecast(r.forecasts.get(name)) for name in names))
                for r in self.matches
            ],
            "\n".join(self._grouped()),
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

    def _grouped(self) -> list[str]:
        """The notes of all matches, equal ones once: by how many methods, and of how many matches."""
        reasons: dict[str, tuple[set[str], set[str]]] = {}
        for row in self.matches:
            for note in row.notes:
                method, _, reason = note.partition(": ")
                by, about = reasons.setdefault(reason if method in self.methods else note, (set(), set()))
                by |= {method} & set(self.methods)
                about.add(str(row.match))
        return [f"{reason}{self._counts(by, about)}" for reason, (by, about) in reasons.items()]

    def _counts(self, by: set[str], about: set[str]) -> str:
        methods = [name for name in self.methods if name in by]
        parts = [f"{len(about)} matches"] if len(about) > 1 else []
        if methods:
            parts.append("all methods" if len(methods) == len(self.methods) else ", ".join(methods))
        return f" ({'; '.join(parts)})" if parts else ""


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

    @property
    def _years(self) -> list[dict[str, Any]]:
        return [row for table in self.players.values() for row in table]

    def to_dict(self) -> list[dict[str, Any]]:
        """One object for each year."""
        return [plain(row) for row in self._years]

    def rows(self) -> list[Row]:
        """One row for each year, its ratings as columns."""
        rows: list[Row] = []
        for year in self._years:
            ratings = {
                f"{end}_{name}": rating[end]
                for name, rating in year["ratings"].items()
                for end in ("elo", "low", "high")
            }
            cells = plain({**year, **ratings})
            rows.append({name: value for name, value in cells.items() if name not in ("ratings", "notes")})
        return rows

    def words(self) -> Iterable[Words]:
        """The rating, and as many numbers of the methods as there is room for."""
        rows = self._years
        numbers = self._headlines({name: None for row in rows for name in row})
        rated = any(row["ratings"] for row in rows)
        several = len(self.players) > 1
        few = sum(not row["active"] for row in rows)
        columns = [*(["player"] if several else []), "year", "games", "moves", *(["rating"] if rated else [])]
        cells = [
            (
                *([row["player"]] if several else []),
                f"{row['year']}{'' if row['active'] else ' *'}",
                *(int(row["games"]), int(row["decisions"])),
                *([_combined(row["ratings"])] if rated else []),
                *(with_interval(row, name) for name in numbers),
            )
            for row in rows
        ]
        notes = [
            *([f"* too few moves (--min-moves): {few} of {len(rows)} years."] if few else []),
            *grouped_by_method((note for row in rows for note in row["notes"]), self.methods),
        ]
        yield Words(
            "Careers: " + ", ".join(self.players),
            (*columns, *(name.replace("_", " ") for name in numbers)),
            cells,
            "\n".join(notes),
            len(numbers) - (not rated),
        )

    def _headlines(self, names: Iterable[str]) -> list[str]:
        """Conformance, and the first number of every other method: JSON and CSV have all of them."""
        columns = list(names)
        first = [next((key for key in columns if key.startswith(f"{name}_")), "") for name in self.methods]
        others = [key for key in first if key and not key.startswith("conformance")]
        return ["conformance_0", "conformance", *others]


def _combined(ratings: Mapping[str, Mapping[str, float]]) -> str:
    """The rating by all methods together, with its interval."""
    if "combined" not in ratings:
        return ""
    return "{elo:.0f} ({low:.0f} to {high:.0f})".format(**ratings["combined"])


def grouped_by_method(notes: Iterable[str], methods: Sequence[str]) -> list[str]:
    """Notes, equal ones once: one that several methods have for the same reason names them."""
    by_reason: dict[str, list[str]] = {}
    for note in notes:
        before, _, reason = note.partition(": ")
        by = by_reason.setdefault(reason if before in methods else note, [])
        if before in methods and before not in by:
            by.append(before)
    return [f"{', '.join(by)}: {note}" if by else note for note, by in by_reason.items()]


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
        return HeadToHeads(tuple(keys), self.as_white[np.ix_(rows, rows)], self.method, self.white, self.note)

    def _cells(self) -> list[list[float | None]]:
        return [
            [None if i == j else round(float(value), 2) for j, value in enumerate(row)]
            for i, row in enumerate(100 * (self.as_white if self.white else self.match))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Names, and a row for each."""
        names = [str(key) for key in self.keys]
        return {"method": self.method, "white": self.white, "names": names, "expectation": self.rows()}

    def rows(self) -> list[Row]:
        """One row for each player and year."""
        names = [str(key) for key in self.keys]
        return [
            {"player": name, **dict(zip(names, row, strict=True))}
            for name, row in zip(names, self._cells(), strict=True)
        ]

    def words(self) -> Iterable[Words]:
        """One square table, columns by number."""
        how = "with White" if self.white else "colours shared"
        shown = [["" if cell is None else f"{cell:.0f}" for cell in row] for row in self._cells()]
        yield Words(
            f"Expectation of the row in percent, {how}, by {self.method}",
            ("", "", *(str(index + 1) for index in range(len(shown)))),
            [(i + 1, str(key), *row) for i, (key, row) in enumerate(zip(self.keys, shown, strict=True))],
            self.note,
        )
