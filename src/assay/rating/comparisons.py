"""Players against players, from decisions to an answer: cross-tables, forecasts, careers, matches."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.answers.comparisons import (
    Career,
    Comparison,
    GainScale,
    HeadToHeads,
    Match,
    MatchErrors,
    MatchForecast,
    MatchForecasts,
    Tournament,
    most_frequent_reason,
)
from assay.answers.ratings import (
    Forecast,
    PlayerRating,
    Quantity,
    Rating,
    Ratings,
    deviation_apart,
    with_combined,
)
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.names import Who, find_event, find_event_and_year, parse_years, spans
from assay.errors import FitError, InputError
from assay.models import gain
from assay.models.base import MoveModel, recipe_of
from assay.models.gain import LIMIT, GainModel
from assay.models.gain import compare as compare_by_gain
from assay.models.registry import make_model, methods
from assay.rating.calibration import calibrated, find_calibration
from assay.rating.careers import (
    FORGETTING,
    MIN_MOVES,
    Careers,
    GameProfiles,
    career_table,
    head_to_heads,
)
from assay.rating.group_ratings import COMBINED
from assay.rating.pipeline import rate_decisions
from assay.rating.scale import caveats_of, scale_of
from assay.source import Valuation, open_source

MOST_BY_RATING = 100
"""Years in a table of everyone against everyone by ratings."""


# Two ratings -------------------------------------------------------------------------------------------

BY_RATING = ("bayes", "choice", "depth", "traits")
"""Methods that forecast by the difference of ratings, and by no comparison of their own."""

_POINTS = 401
"""Points at which the distribution of the difference is held."""


def forecast_between(first: Rating, second: Rating, deviation: float | None = None) -> Forecast:
    """Expectation of the first, averaged over what both ratings may be, at the level of their intervals.

    Posteriors over Elo are near normal. `deviation` is that of the difference; by default both ratings are
    taken as independent, so that the interval is rather too wide than too narrow.
    """
    difference = first.elo - second.elo
    deviation = math.hypot(first.deviation, second.deviation) if deviation is None else deviation
    quantiles = (np.arange(_POINTS) + 0.5) / _POINTS
    value = float(expectation(difference + deviation * ndtri(quantiles)).mean())
    reach = float(ndtri((1 + first.level) / 2)) * deviation
    low, high = expectation(np.array([difference - reach, difference + reach])).tolist()
    return Forecast(first.method, value, low=low, high=high)


def forecast_of(first: PlayerRating | None, second: PlayerRating | None) -> Forecast | None:
    """The forecast by the ratings by moves of two; None where one has none."""
    if first is None or second is None or first.combined is None or second.combined is None:
        return None
    return forecast_between(first.combined, second.combined, deviation_apart(first, second))


def rated_forecasts(
    first: PlayerRating | None, second: PlayerRating | None, notes: Sequence[str] = ()
) -> dict[str, Forecast]:
    """Forecasts from the ratings of two, by each method and by the rating by moves, with notes on all."""
    if first is None or second is None:
        return {}
    ratings = [with_combined(player) for player in (first, second)]
    forecasts = {
        name: forecast_between(rating, ratings[1][name])
        for name, rating in ratings[0].items()
        if name in ratings[1]
    }
    if (by_moves := forecast_of(first, second)) is not None:
        forecasts[COMBINED] = by_moves
    return {name: replace(forecast, method=name, notes=tuple(notes)) for name, forecast in forecasts.items()}


# Players of games and champions ------------------------------------------------------------------------


def gain_model(
    decisions: Decisions,
    *,
    limit: int = LIMIT,
    engine_profile: str | None = None,
    include: Sequence[str] = (),
    engine_strength: float | None = None,
    engine_from: str | None = None,
) -> GainModel:
    """The method gain: the engine's distribution measured where that is asked for, or else possible.

    Its strength is the one given, or by Algorithm 3 that of the rated players of `engine_from`: an event
    among the decisions, or other analysed games of the same recipe.
    """
    if engine_strength is not None and engine_from is not None:
        raise InputError("choose one of --engine-strength and --engine-from")
    model = GainModel(limit=limit, engine_profile="peak", include=include)
    if engine_profile != "peak":
        measured = GainModel(limit=limit, engine_profile="measured", include=include)
        try:
            model = measured.measure_engine(decisions)
        except InputError:
            if engine_profile == "measured":
                raise
    if engine_strength is not None:
        return gain.of_strength(model, engine_strength)
    if engine_from is None:
        return model
    if Path(engine_from).exists():
        analysed = Valuation(analysed=recipe_of(decisions) or True, include=tuple(include))
        rated = Decisions.concat(open_source(Path(engine_from)).decisions(analysed, at_once=True))
    else:
        names = (name for name in set(decisions.text("event")) if name is not None)
        event, year = find_event_and_year(engine_from, names)
        rated = decisions.select(event=event, **({} if year is None else {"year": year}))
    return gain.of_strength(model, gain.engine_strength_from(rated, model))


class Roster:
    """Players who can be compared: profiles of their games by every method, and their ratings.

    This one is of decisions; `assay.rating.champions` has one of evidence that ships. `ratings` of all games
    that were made before spare rating everyone again; decisions are then read where a method needs them.
    """

    about = ""
    """What must be said wherever these players are compared."""
    by_moves: Sequence[str] | None = None
    """The methods that suffice for the rating by moves, where these alone are faster."""

    def __init__(self, read: Callable[[], Decisions], ratings: Ratings | None = None) -> None:
        self._read_decisions = read
        self._by_name = {} if ratings is None else {player.player: player for player in ratings.players}
        self.recipe_id = recipe_of(self._decisions) if ratings is None else ratings.recipe_id
        self.calibration = find_calibration(self.recipe_id)

    @cached_property
    def _decisions(self) -> Decisions:
        return self._read_decisions()

    def who(self, text: str) -> Who:
        """Whom a user means, by full name; years and event must be there."""
        who = Who.parse(text)
        return who if self._is_rated(who) else who.choose(self._decisions)[0]

    def _is_rated(self, who: Who) -> bool:
        return who.event is None and who.years is None and who.player in self._by_name

    def profiles(self, model: MoveModel) -> GameProfiles:
        """The games of everyone by a method; InputError where it can read none of them."""
        return GameProfiles.of(model, self._decisions)

    def rated(self, whom: Sequence[Who], methods: Sequence[str] | None = None) -> list[PlayerRating | None]:
        """Each player as `assay rate` rates them in the games that are meant; None where there is no rating.

        Everyone's moves in these games count as they do there: all games, or those of the years or the event.
        There may be more than `methods`.
        """
        ratings: dict[tuple[object, ...], dict[str, PlayerRating]] = {}
        answer: list[PlayerRating | None] = []
        for who in whom:
            key = (who.event, who.years)
            if self._is_rated(who):
                answer.append(self._by_name[who.player])
                continue
            if key not in ratings:
                meant = self._decisions if who.event is None else self._decisions.select(event=who.event)
                meant = meant if who.years is None else meant.select(year=who.years)
                ratings[key] = {player.player: player for player in self._ratings(meant)}
            player = ratings[key].get(who.player)
            answer.append(player and replace(player, about=str(who).partition("@")[2]))
        return answer

    def by_year(self, players: Sequence[str] | None = None) -> dict[tuple[str, int], PlayerRating]:
        """Each player's years, of all or of some, as `assay rate --by year` rates them."""
        return {
            (year.player, int(year.group)): year
            for year in self._ratings(self._decisions, by="year")
            if year.group.isdigit() and (players is None or year.player in players)
        }

    def moves(self, key: Who, rated: PlayerRating) -> float:
        """How many moves there are of a year."""
        return rated.decisions

    def rated_years(
        self,
        whom: Sequence[str],
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        forgetting: float = FORGETTING,
        min_moves: float = MIN_MOVES,
    ) -> dict[str, list[dict[str, Any]]] | None:
        """The rows of careers by the rating by moves alone, where these are there without other methods."""
        return None

    def beside(self, key: Who, rated: PlayerRating | None) -> dict[str, Any]:
        """What stands beside a year in a career, where that is known without its games."""
        return {}

    def _ratings(self, decisions: Decisions, **asked: Any) -> Sequence[PlayerRating]:
        if self.calibration is None:
            return ()
        try:
            return rate_decisions(decisions, self.calibration, **asked)[0]
        except InputError:  # nobody has decisions enough: the scale is there, ratings are not
            return ()

    def careers(
        self,
        names: Sequence[str] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        **how: Any,
    ) -> tuple[dict[str, Careers], list[str]]:
        """Careers by these methods; without names by every one that can, and why the others cannot.

        `settings` are those of a method that differ from its own: {"markov": {"prior": "none"}}. `how` has
        `forgetting` and `min_moves`.
        """
        careers, unable, settings = {}, [], settings or {}
        for name in settings:
            if names and name not in names:
                raise InputError(
                    f"the setting {', '.join(settings[name])} is one of {name}: add --method {name}"
                )
        for name in names or methods():
            model = calibrated(make_model(name, **settings.get(name, {})), self.recipe_id)
            try:
                careers[model.name] = Careers(model, self.profiles(model), **how)
            except InputError as error:
                if names:
                    raise InputError(f"{model.name}: {error}") from None
                unable.append(f"{model.name}: {error}")
        return careers, unable


def _gain_scale(
    decisions: Decisions,
    model: GainModel,
    perceived: bool,
    ratings: Mapping[tuple[str, str], PlayerRating],
    strengths: Mapping[tuple[str, str], Quantity],
) -> GainScale:
    calibration = find_calibration(recipe_of(decisions))
    caveats = " ".join(caveats_of(calibration))
    return GainScale(perceived, scale_of(calibration), ratings, model.engine_strength, strengths, caveats)


def tournament(
    decisions: Decisions,
    model: GainModel,
    *,
    taken_from: str = "event",
    pairs: str = "met",
    event: str | None = None,
    perceived: bool = False,
    resamples: int = 200,
) -> Tournament:
    """Cross-tables by quality of play, of all events or of one."""
    names = {name for name in decisions.text("event") if name is not None}
    if event is not None:
        event = find_event(event, names)
    tables = gain.cross_tables(decisions, model, by=taken_from, pairs=pairs, event=event, resamples=resamples)
    by = "event" if taken_from == "event" and len(names) > 1 else "player"
    calibration = find_calibration(recipe_of(decisions))
    players: tuple[PlayerRating, ...] = ()
    if calibration is not None:
        with suppress(InputError):  # nobody has decisions enough: the scale is there, ratings are not
            players, _ = rate_decisions(decisions, calibration, by=by)
    strengths = {} if model.engine_strength is None else gain.strengths(decisions, model, by)
    ratings = {(player.player, player.group): player for player in players}
    return Tournament(tables, _gain_scale(decisions, model, perceived, ratings, strengths))


def compare(
    decisions: Decisions,
    whom: Sequence[str],
    model: GainModel,
    *,
    perceived: bool = False,
    ratings: Ratings | None = None,
) -> Comparison:
    """Two players, each in any years: by their ratings, and by the method gain."""
    (first, own), (second, other) = (Who.parse(text).choose(decisions) for text in whom)
    names = str(first), str(second)
    rated = Roster(lambda: decisions, ratings).rated([first, second])
    by_name = {(name, ""): player for name, player in zip(names, rated, strict=True) if player is not None}
    strengths: dict[tuple[str, str], Quantity] = {}
    if model.engine_strength is not None:
        for name, games in zip(names, (own, other), strict=True):
            (strengths[name, ""],) = gain.strengths(games, model, "player").values()
    return replace(
        compare_by_gain(own, other, model),
        names=names,
        scale=_gain_scale(decisions, model, perceived, by_name, strengths),
        forecast=forecast_of(rated[0], rated[1]),
    )


def forecast(
    roster: Roster,
    players: Sequence[str],
    whom: Sequence[str],
    names: Sequence[str] | None = None,
    *,
    resamples: int = 200,
    **how: Any,
) -> MatchForecasts:
    """The expected result of the first player against the second, by these methods or by every one.

    `players` are the two as a user names them, `whom` the same by their full names; `how` has `settings`,
    `forgetting` and `min_moves`.
    """
    first, second = players
    caveats, about = caveats_of(roster.calibration), [roster.who(text) for text in whom]

    def by_rating(methods: Sequence[str] | None) -> tuple[list[PlayerRating | None], dict[str, Forecast]]:
        # Where the recipe has a scale, what forecasts by ratings takes them from where `rate` does.
        one, other = roster.rated(about, methods)
        return [one, other], rated_forecasts(one, other, caveats)

    def by_method() -> tuple[list[Forecast], list[str]]:
        forecasts: dict[str, Forecast] = {}
        able, notes = roster.careers(names, **how)
        for name, careers in able.items():
            try:
                forecasts[name] = careers.forecast(careers.parse(whom[0]), careers.parse(whom[1]), resamples)
            except (FitError, InputError) as error:
                notes.append(f"{name}: {error}")
        ratings = by_rating(None)[1]
        unable = [note for note in notes if note.partition(": ")[0] not in ratings]
        forecasts |= {name: x for name, x in ratings.items() if name in (names or [*BY_RATING, COMBINED])}
        if not forecasts:
            raise InputError(most_frequent_reason(f"no method can forecast {first} against {second}", notes))
        return list(forecasts.values()), unable

    rated, ratings = by_rating(roster.by_moves)
    answer = MatchForecasts(
        first, second, (), (), (rated[0], rated[1]), scale_of(roster.calibration), about=roster.about
    )
    if names is None and COMBINED in ratings:
        return replace(answer, forecasts=[ratings[COMBINED]], later=by_method)
    forecasts, unable = by_method()
    return replace(answer, forecasts=forecasts, unable=unable)


def career(roster: Roster, whom: Sequence[str], **how: Any) -> Career:
    """Every year of these players: rating, games, and the numbers of every method."""

    def by_method() -> dict[str, list[dict[str, Any]]]:
        able, unable = roster.careers(**how)
        if "conformance" not in able:
            raise InputError(most_frequent_reason("no method can read these careers", unable))
        conformance = able.pop("conformance")
        others = [careers for careers in able.values() if careers.model.ready]
        players = {player: conformance.parse(player).player for player in whom}
        ratings, tables = roster.by_year(list(players.values())), {}
        for player, name in players.items():
            rows = career_table(player, conformance, others, ratings=ratings)
            tables[name] = [
                {
                    **row,
                    **roster.beside(Who(name, row["year"]), ratings.get((name, row["year"]))),
                    "notes": [*row["notes"], *unable],
                }
                for row in rows
            ]
        return tables

    about = scale_of(roster.calibration), caveats_of(roster.calibration), roster.about
    if (rows := roster.rated_years(whom, **how)) is not None:
        return Career(rows, list(methods()), *about, later=by_method)
    return Career(by_method(), list(methods()), *about)


def _is_meant(key: Who, who: Who) -> bool:
    return key.player == who.player and (who.years is None or key.year in who.years)


def versus(
    roster: Roster,
    *,
    players: Sequence[str] | None = None,
    years: str | None = None,
    every_year: bool = False,
    white: bool = False,
    method: str | None = None,
    **how: Any,
) -> HeadToHeads:
    """Everyone against everyone, each in their best year, or in every year with enough moves.

    `players` may be asked for in some years: `Tal@1958-1960`. By a method, or, None, by the rating by moves,
    where the best year is that of the highest rating.
    """
    wanted = parse_years(years)
    whom = list(map(roster.who, players or ()))
    if at_event := [str(who) for who in whom if who.event is not None]:
        raise InputError(f"{at_event[0]}: years are compared here; assay forecast takes events")
    if method is None:
        rated = {Who(*key): year for key, year in roster.by_year().items() if year.combined is not None}
        least = how.get("min_moves", MIN_MOVES)
        keys = [key for key in rated if wanted is None or key.year in wanted]
        if not keys and rated:
            there = spans(sorted({key.year for key in rated if key.year is not None}))
            raise InputError(f"no games of anybody in {years}: there are those of {there}")
        keys = [key for key in keys if roster.moves(key, rated[key]) >= least]
        keys = [key for key in keys if not whom or any(_is_meant(key, who) for who in whom)]
        if not every_year:
            best: dict[str, Who] = {}
            for key in sorted(keys, key=lambda key: rated[key].combined.elo):  # type: ignore[union-attr]
                best[key.player] = key
            keys = list(best.values())
        table = by_ratings({key: rated[key] for key in keys})
        return replace(table, white=white, about=roster.about)
    [careers] = roster.careers([method], **how)[0].values()
    keys = [key for key in careers.active(wanted) if not whom or any(_is_meant(key, who) for who in whom)]
    table = head_to_heads(careers, keys)
    note = f"{len(table.keys)} years with enough moves, of {len({key.player for key in table.keys})} players."
    table = replace(table, method=method, white=white, note=note, about=roster.about)
    return table if every_year else careers.with_ranges(table.among(table.best_years()))


def by_ratings(rated: Mapping[Who, PlayerRating]) -> HeadToHeads:
    """Head-to-heads by the ratings by moves, strongest first; colours do not count."""
    if len(rated) < 2:
        raise InputError("fewer than two years have a rating by moves: name more players or years")
    if len(rated) > MOST_BY_RATING:
        raise InputError(f"{len(rated)} years are too many for one table: name players or years")
    keys = sorted(rated, key=lambda key: -rated[key].combined.elo)  # type: ignore[union-attr]
    cells = [[forecast_of(rated[first], rated[second]) for second in keys] for first in keys]
    expected, low, high = (
        np.array([[getattr(cell, name) for cell in row] for row in cells])
        for name in ("expectation", "low", "high")
    )
    return HeadToHeads(tuple(keys), expected, "rating by moves", low=low, high=high)


# Matches forecast from the year before, beside what happened (Alliot 2017, Table 5).

COLUMNS = ("first", "second", "year", "actual")
"""What a list of matches must have; first_elo, second_elo and games may be there too."""


def read_matches(path: str | Path) -> list[Match]:
    """Matches from a CSV file with the columns first, second, year, actual (a share or a percentage)."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: give a CSV file of matches") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder: give a CSV file of matches") from None
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{path} is not a CSV file in UTF-8: give one with a row for each match") from None
    missing = [name for name in COLUMNS if not rows or name not in rows[0]]
    if missing:
        raise InputError(
            f"{path} needs the columns {', '.join(COLUMNS)}, and {', '.join(missing)} is missing"
        )
    matches = []
    try:
        for row in rows:
            actual = float(row["actual"])
            one, other = (float(row[end]) if row.get(end) else None for end in ("first_elo", "second_elo"))
            matches.append(
                Match(
                    first=row["first"],
                    second=row["second"],
                    year=int(row["year"]),
                    actual=actual / 100 if actual > 1 else actual,
                    first_elo=one,
                    second_elo=other,
                )
            )
    except (TypeError, ValueError) as error:
        raise InputError(f"{path} has a row that is not a match: {error}") from None
    return matches


def find_matches(decisions: Decisions, min_games: int = 6) -> list[Match]:
    """Matches among the games: two players who met at least so often in one event of one year.

    Players are listed by name, not by who won; their Elo is the mean of the published ratings in these games.
    """
    meetings: dict[tuple[str, str, int, str], dict[str, tuple[float, float, float]]] = defaultdict(dict)
    columns = [decisions.text(name) for name in ("player", "opponent", "event", "game_id")]
    numbers = [decisions.numbers(name) for name in ("year", "result", "player_elo", "opponent_elo")]
    for player, opponent, event, game, year, result, elo, other in zip(*columns, *numbers, strict=True):
        if player is None or opponent is None or game is None or np.isnan(year) or np.isnan(result):
            continue
        named = min(player, opponent), max(player, opponent), int(year), event or ""
        meetings[named][game] = (result, elo, other) if player < opponent else (1 - result, other, elo)
    matches = []
    for (first, second, in_year, _), games in sorted(meetings.items(), key=lambda item: item[0][2]):
        if len(games) >= min_games:
            actual, *elos = np.array(list(games.values())).mean(axis=0).tolist()
            one, other = elos if not np.isnan(elos).any() else (None, None)
            matches.append(
                Match(
                    first=first,
                    second=second,
                    year=in_year,
                    actual=actual,
                    first_elo=one,
                    second_elo=other,
                    games=len(games),
                )
            )
    return matches


def forecast_matches(
    matches: Iterable[Match], careers: Sequence[Careers], resamples: int = 200
) -> list[MatchForecast]:
    """Every match from the year before it, by every method and by Elo where both ratings are known.

    What a method borrows from all players, such as a prior, it learns from the years before the match.
    """
    rows = []
    for match in matches:
        forecasts: dict[str, Forecast] = {}
        notes: list[str] = []
        for one in careers:
            name = one.model.name
            try:
                first, second = (one.parse(f"{who}@{match.year - 1}") for who in (match.first, match.second))
                forecasts[name] = one.before(match.year).forecast(first, second, resamples)
            except (FitError, InputError) as error:  # no such year, no Elo mapping, or too few moves to fit
                notes.append(f"{name}: {error}")
            else:
                notes += forecasts[name].notes
        if match.first_elo is not None and match.second_elo is not None:
            forecasts["elo"] = Forecast("elo", float(expectation(match.first_elo - match.second_elo)))
        forecasts["half"] = Forecast("half", 0.5)
        rows.append(MatchForecast(match, forecasts, tuple(dict.fromkeys(notes))))
    return rows


def match_errors(rows: Sequence[MatchForecast]) -> list[MatchErrors]:
    """Mean error of every method over the matches that it forecast."""
    errors = []
    for name in dict.fromkeys(name for row in rows for name in row.forecasts):
        pairs = [(row.forecasts[name].expectation, row.match.actual) for row in rows if name in row.forecasts]
        expected, actual = np.array(pairs).T
        error = np.abs(expected - actual)
        varied = len(pairs) > 2 and np.ptp(expected) > 0 and np.ptp(actual) > 0
        errors.append(
            MatchErrors(
                name,
                len(pairs),
                float(error.mean()),
                float(error.std(ddof=1) / np.sqrt(len(error))) if len(error) > 1 else math.nan,
                float(np.corrcoef(expected, actual)[0, 1]) if varied else math.nan,
            )
        )
    return errors
