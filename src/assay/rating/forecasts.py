"""A match between two ratings: the expectation that their posteriors let expect, with its interval."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.answers.comparisons import Match, MatchErrors, MatchForecast
from assay.answers.ratings import Forecast, PlayerRating, Rating, deviation_apart, with_combined
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.errors import FitError, InputError
from assay.rating.careers import Careers
from assay.rating.group_ratings import COMBINED

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
    try:
        return [_match_of(row) for row in rows]
    except (TypeError, ValueError) as error:
        raise InputError(f"{path} has a row that is not a match: {error}") from None


def _match_of(row: Mapping[str, Any]) -> Match:
    actual = float(row["actual"])
    one, other = (float(row[name]) if row.get(name) else None for name in ("first_elo", "second_elo"))
    share = actual / 100 if actual > 1 else actual
    return Match(
        first=row["first"],
        second=row["second"],
        year=int(row["year"]),
        actual=share,
        first_elo=one,
        second_elo=other,
    )


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
    found = sorted(meetings.items(), key=lambda item: item[0][2])
    return [_met(*named[:3], list(games.values())) for named, games in found if len(games) >= min_games]


def _met(first: str, second: str, year: int, games: Sequence[tuple[float, float, float]]) -> Match:
    actual, elo, other = np.array(games).mean(axis=0).tolist()
    known = not np.isnan(elo) and not np.isnan(other)
    return Match(
        first=first,
        second=second,
        year=year,
        actual=actual,
        first_elo=elo if known else None,
        second_elo=other if known else None,
        games=len(games),
    )


def forecast_matches(
    matches: Iterable[Match], careers: Sequence[Careers], resamples: int = 200
) -> list[MatchForecast]:
    """Every match from the year before it, by every method and by Elo where both ratings are known.

    What a method borrows from all players, such as a prior, it learns from the years before the match.
    """
    return [_forecast(match, careers, resamples) for match in matches]


def _forecast(match: Match, careers: Sequence[Careers], resamples: int) -> MatchForecast:
    forecasts: dict[str, Forecast] = {}
    notes: list[str] = []
    for one in careers:
        try:
            first, second = (one.parse(f"{name}@{match.year - 1}") for name in (match.first, match.second))
            forecasts[one.model.name] = one.before(match.year).forecast(first, second, resamples)
        except (FitError, InputError) as error:  # no such year, no Elo mapping, or too few moves to fit
            notes.append(f"{one.model.name}: {error}")
            continue
        notes += forecasts[one.model.name].notes
    if match.first_elo is not None and match.second_elo is not None:
        forecasts["elo"] = Forecast("elo", float(expectation(match.first_elo - match.second_elo)))
    forecasts["half"] = Forecast("half", 0.5)
    return MatchForecast(match, forecasts, tuple(dict.fromkeys(notes)))


def match_errors(rows: Sequence[MatchForecast]) -> list[MatchErrors]:
    """Mean error of every method over the matches that it forecast."""
    methods = dict.fromkeys(name for row in rows for name in row.forecasts)
    return [_errors(name, rows) for name in methods]


def _errors(name: str, rows: Sequence[MatchForecast]) -> MatchErrors:
    pairs = [(row.forecasts[name], row.match.actual) for row in rows if name in row.forecasts]
    expected = np.array([forecast.expectation for forecast, _ in pairs])
    actual = np.array([share for _, share in pairs])
    error = np.abs(expected - actual)
    varied = len(pairs) > 2 and np.ptp(expected) > 0 and np.ptp(actual) > 0
    return MatchErrors(
        name,
        len(pairs),
        float(error.mean()),
        float(error.std(ddof=1) / np.sqrt(len(error))) if len(error) > 1 else float("nan"),
        float(np.corrcoef(expected, actual)[0, 1]) if varied else float("nan"),
    )
