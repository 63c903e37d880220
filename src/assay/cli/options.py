"""What many commands share: their options, and decisions from the source that a user names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.analysis.backlog import AnalysisReport
    from assay.domain.decisions import Decisions

_DEFAULT = "games.assay"
_VARIABLE = "ASSAY_WORKSPACE"
_SOURCES = "PGN file, workspace folder, or decisions in a Parquet file."

WORKSPACE = typer.Option(
    _DEFAULT, "--workspace", "-w", envvar=_VARIABLE, help="Folder that holds the tables."
)
GAMES = typer.Argument(..., metavar="GAMES", help=_SOURCES, show_default=False)
# What every command on moves takes, so that a line can be changed from one into another.
SOURCE = typer.Option(
    None, "--source", "-s", "--games", envvar=_VARIABLE, help=_SOURCES, show_default=_DEFAULT
)
# Where the arguments are not players, they may be the games.
GAMES_OR_SOURCE = typer.Argument(None, metavar="[GAMES]", help="The same as --source.", show_default=False)
KEPT_IN = typer.Option(None, "--workspace", "-w", help="Where analyses are kept, if not beside the games.")
RECIPE = typer.Option("standard", "--recipe", help="How positions are analysed (see assay recipes).")
ENGINE = typer.Option(
    None, "--engine", help="UCI engine; else ASSAY_ENGINE, else stockfish where it is found."
)
JOBS = typer.Option(None, "--jobs", "-j", help="Engines at once; one per core if not given.")
JSON = typer.Option(False, "--json", help="Print JSON.")
CSV = typer.Option(False, "--csv", help="Print CSV.")


def source_of(named: Path | None, games: Path | None = None) -> Path:
    """The source that a user means, who may give it as an argument or by its option."""
    by_option = named is not None and str(named) != os.environ.get(_VARIABLE)
    if games is not None and by_option:
        raise InputError(f"two sources are given, {games} and {named}: leave one out")
    return games or named or Path(_DEFAULT)


def decisions_of(
    source: str | Path,
    recipe: str = "standard",
    *,
    workspace: Path | None = None,
    engine: str | None = None,
    jobs: int | None = None,
    players: Sequence[str] | None = None,
    include: Sequence[str] = (),
    trace: bool = False,
) -> Decisions:
    """Decisions of a source, of all players or of some, who are named as `find_player` takes it.

    What is missing is analysed, with a progress bar.
    """
    from assay.cli.analysis import progress_shown
    from assay.domain.names import find_player
    from assay.study import Study

    study = Study(source, workspace=workspace, recipe=recipe, engine=engine, jobs=jobs, include=include)
    if study.is_decisions_file:
        decisions = study.decisions()
        wanted = None if players is None else [find_player(name, decisions.players) for name in players]
        return decisions if wanted is None else decisions.select(player=wanted)
    with progress_shown() as shown:
        return study.decisions(players=players, trace=trace, progress=said_once(recipe, shown))


def said_once(recipe: str, shown: Callable[[AnalysisReport], None]) -> Callable[[AnalysisReport], None]:
    """Say once that engines are at work: a reader of results may not expect it."""
    from assay.cli.output import say

    said = False

    def show(report: AnalysisReport) -> None:
        nonlocal said
        if not said and report.missing:
            said = True
            say(
                f"{report.missing:,} positions are not analysed with recipe '{recipe}' yet: doing that now "
                "(Ctrl-C stops it, what is done is kept; --recipe names another)"
            )
        shown(report)

    return show
