"""Games by results from whatever a user names: a CSV, PGN, or a workspace."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output import progress, say
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.domain.results import ResultGames
    from assay.ingest.results import CompetitionFile

SOURCE_HELP = "CSV in the columns of the 2010 competition, PGN (.gz, .bz2, .zst too), or a workspace."


@dataclass(frozen=True)
class GameSource:
    """Games, and the file they came from where predictions are to look like it."""

    games: ResultGames
    csv: CompetitionFile | None = None


def open_games(source: Path, *, forecast: bool = False) -> GameSource:
    """Read games; with `forecast`, their results may be missing. What was left out is said."""
    from assay.ingest.results import read_competition

    if not source.exists():
        raise InputError(f"there is no file or workspace {source}")
    if source.is_file() and _looks_like_csv(source):
        found = read_competition(source, forecast=forecast)
        return GameSource(found.games, found)
    if source.is_dir():
        return GameSource(_from_workspace(source, forecast))
    with tempfile.TemporaryDirectory(prefix="assay-") as place:
        workspace = Path(place) / "games.assay"
        _import(source, workspace)
        return GameSource(_from_workspace(workspace, forecast))


def _looks_like_csv(source: Path) -> bool:
    """By its name, or by the first column of the competition in its first line."""
    if source.suffix.lower() == ".csv":
        return True
    with source.open("rb") as file:
        return b"Month #" in file.read(200)


def _import(source: Path, workspace: Path) -> None:
    """Read PGN into a workspace that is thrown away afterwards."""
    from assay.workspace import Workspace

    with progress() as display:
        task = display.add_task(f"Reading {source.name}", total=None, detail="")

        def show(name: str, size: int, position: int, games: int) -> None:
            display.update(task, total=size or None, completed=position, detail=f"{games:,} games")

        Workspace(workspace).import_games(source, progress=show, say=say)


def _from_workspace(path: Path, forecast: bool) -> ResultGames:
    from assay.ingest.results import games_from_table
    from assay.workspace import Workspace

    games, left_out = games_from_table(Workspace(path).games(), forecast=forecast)
    if left_out:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(left_out.items()))
        say(f"Left out: {reasons}.")
    if len(games) == 0:
        raise InputError("no game is left that counts: see the reasons above")
    return games
