"""Read games by their results: the competition's CSV, and the games table of any source."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Floats
from assay.decisions.exclusions import ONLY_ABOUT_MOVES, Exclusion
from assay.decisions.time_control import FAST
from assay.errors import InputError, printable
from assay.results.games import RESULTS, ResultGames, month_of_date
from assay.source import ResultsFile, Source

COLUMNS = ("Month #", "White Player #", "Black Player #", "Score")
_HEADER = ",".join(f'"{column}"' for column in COLUMNS)

_MOST_DIGITS = 6
_MOST_SHOWN = 40


@dataclass(frozen=True)
class CompetitionFile:
    """A file in the columns of the 2010 competition, and its text up to the last column of each row."""

    games: ResultGames
    header: str
    rows: tuple[str, ...]

    def with_forecast(self, forecast: Floats) -> str:
        """The same file, character for character, with White's expected score in the last column."""
        lines = [f"{row}{value:.9f}\n" for row, value in zip(self.rows, forecast.tolist(), strict=True)]
        return self.header + "\n" + "".join(lines)


def read_competition(path: Path, *, forecast: bool = False) -> CompetitionFile:
    """Read games from a CSV with the columns `COLUMNS`, in the order of months.

    With `forecast`, scores may be missing. Whatever is wrong with the file is an InputError that names the
    line.
    """
    lines = _lines(path)
    if not lines:
        raise InputError(f"{path} is empty: its first line must be {_HEADER}")
    places = _places(path, lines[0])
    numbered = [(number, text) for number, text in enumerate(lines[1:], start=2) if text.strip()]
    parsed = [_row(path, line, text, places, forecast) for line, text in numbered]
    if not parsed:
        raise InputError(f"{path} has no games below its header: give a file with games")
    months = [month for month, *_ in parsed]
    for index, (earlier, later) in enumerate(pairwise(months)):
        if later < earlier:
            raise InputError(
                f"{path} is not in the order of months (game {index + 2} is of month {later}, the one before"
                f" of month {earlier}): sort it by its first column"
            )
    _, white, black, result = zip(*parsed, strict=True)
    games = ResultGames.from_names(months, white, black, result)
    rows = tuple(text[: text.rindex(",") + 1] for _, text in numbered)
    return CompetitionFile(games, lines[0], rows)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}: give a CSV file of games") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a CSV file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text in UTF-8: save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def _places(path: Path, header: str) -> list[int]:
    """Where each of `COLUMNS` stands in the file."""
    names = [name.strip() for name in _cells(path, 1, header)]
    if missing := [column for column in COLUMNS if column not in names]:
        raise InputError(f"{path} lacks the column {missing[0]!r}: its first line must be {_HEADER}")
    if names[-1] != COLUMNS[-1]:
        last = _short(names[-1])
        raise InputError(f"{path} has {last} as its last column: the last must be {COLUMNS[-1]!r}")
    return [names.index(column) for column in COLUMNS]


def _row(
    path: Path, line: int, text: str, places: Sequence[int], forecast: bool
) -> tuple[int, str, str, float]:
    cells = _cells(path, line, text)
    if len(cells) <= max(places):
        raise InputError(f"{path}, line {line}: {len(cells)} columns where the header has more")
    month, white, black, result = (printable(cells[place]).strip() for place in places)
    # By its length first: Python refuses to turn thousands of digits into a number.
    digits = month.lstrip("0")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
        raise InputError(f"{path}, line {line}: the month must be a whole number from 1, not {_short(month)}")
    if not white or not black:
        raise InputError(f"{path}, line {line}: a player is missing")
    if white == black:
        raise InputError(f"{path}, line {line}: player {_short(white)[1:-1]} cannot play against themselves")
    if not result and forecast:
        return int(month), white, black, float("nan")
    if not result:
        raise InputError(f"{path}, line {line}: a game to learn from has no score")
    try:
        return int(month), white, black, RESULTS[RESULTS.index(float(result))]
    except ValueError:
        message = f"{path}, line {line}: the score must be 0, 0.5 or 1, not {_short(result)}"
        raise InputError(message) from None


def _cells(path: Path, line: int, text: str) -> list[str]:
    try:
        return next(csv.reader([text]))
    except (csv.Error, StopIteration) as error:  # a cell of over 131,072 characters
        raise InputError(f"{path}, line {line}: it cannot be read as CSV ({error})") from None


def _short(text: str) -> str:
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}...")


def games_from_table(table: pa.Table, *, forecast: bool = False) -> tuple[ResultGames, dict[str, int]]:
    """Read the games table of a workspace as games by results, in the order of months.

    Games left out are counted by reason: those with an exclusion that is not about their moves alone, fast
    ones, those without a year, those of a player against themselves. With `forecast`, games without a result
    stay, to be forecast.
    """
    needed = ["game_id", "date", "year", "white", "black", "white_elo", "black_elo", "result", "exclusion"]
    if "time_class" in table.column_names:
        needed.append("time_class")
    left_out: Counter[str] = Counter()
    dated: list[tuple[int, dict[str, Any]]] = []
    for game in table.select(needed).to_pylist():
        month = month_of_date(game["date"] or "") or month_of_date(f"{game['year'] or 0:04}")
        if reason := _reason(game, month, forecast):
            left_out[reason] += 1
        else:
            dated.append((month or 0, game))
    dated.sort(key=itemgetter(0))

    def column(name: str) -> list[Any]:
        return [game[name] for _, game in dated]

    games = ResultGames.from_names(
        [month for month, _ in dated],
        column("white"),
        column("black"),
        np.array(column("result"), dtype=float),
        white_elo=np.array(column("white_elo"), dtype=float),
        black_elo=np.array(column("black_elo"), dtype=float),
        game_id=tuple(str(name) for name in column("game_id")),
    )
    return games, dict(left_out)


def _reason(game: dict[str, Any], month: int | None, forecast: bool) -> str | None:
    """Return why a game must be left out; None if it counts."""
    excluded = game["exclusion"]
    allowed = ONLY_ABOUT_MOVES | ({Exclusion.NO_RESULT} if forecast else set())
    if excluded is not None and excluded not in allowed:
        return str(excluded)
    if game.get("time_class") in FAST:
        return Exclusion.FAST_TIME_CONTROL.value
    if game["result"] is None and not forecast:
        return Exclusion.NO_RESULT.value
    if month is None or month < 1:
        return Exclusion.NO_DATE.value
    if not game["white"] or not game["black"] or game["white"] == game["black"]:
        return Exclusion.NO_TWO_PLAYERS.value
    return None


@dataclass(frozen=True)
class ResultSource:
    """Games, and the file they came from where predictions are to look like it."""

    games: ResultGames
    csv: CompetitionFile | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many games do not count, by reason."""


def read_results(source: Source, *, forecast: bool = False) -> ResultSource:
    """The games of a source by their results; with `forecast`, their results may be missing."""
    if isinstance(source, ResultsFile):
        csv_file = read_competition(source.path, forecast=forecast)
        return ResultSource(csv_file.games, csv_file)
    games, left_out = games_from_table(source.games(), forecast=forecast)
    if len(games) == 0:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(left_out.items()))
        raise InputError(f"no game of {source.path} counts ({reasons or 'there is none'}): give other games")
    return ResultSource(games, left_out=left_out)
