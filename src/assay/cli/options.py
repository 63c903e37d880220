"""What many commands share: their options, and decisions from the source that a user names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

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
SOURCE = typer.Option(_DEFAULT, "--source", "-s", envvar=_VARIABLE, help=_SOURCES)
KEPT_IN = typer.Option(None, "--workspace", "-w", help="Where analyses are kept, if not beside the games.")
RECIPE = typer.Option("standard", "--recipe", help="How positions are analysed (see assay recipes).")
ENGINE = typer.Option(
    None, "--engine", help="UCI engine; else ASSAY_ENGINE, else stockfish where it is found."
)
JOBS = typer.Option(None, "--jobs", "-j", help="Engines at once; one per core if not given.")
JSON = typer.Option(False, "--json", help="Print JSON.")
CSV = typer.Option(False, "--csv", help="Print CSV.")


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
    """Decisions of a source; what is missing is analysed, with a progress bar."""
    from assay.cli.analysis import progress_shown
    from assay.study import Study

    study = Study(source, workspace=workspace, recipe=recipe, engine=engine, jobs=jobs, include=include)
    if study.is_decisions_file:
        return study.decisions(players=players)
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
