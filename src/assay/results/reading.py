"""Games by their results, from any source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.errors import InputError
from assay.results.competition import CompetitionFile, games_from_table, read_competition
from assay.results.table import ResultGames
from assay.source.base import Source
from assay.source.files import ResultsFile


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
        found = read_competition(source.path, forecast=forecast)
        return ResultSource(found.games, found)
    games, left_out = games_from_table(source.games(), forecast=forecast)
    if len(games) == 0:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(left_out.items()))
        raise InputError(f"no game of {source.path} counts ({reasons or 'there is none'}): give other games")
    return ResultSource(games, left_out=left_out)
