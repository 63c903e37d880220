"""Panel Rate: questions about one player: a lesson, progress."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.options import PLOT, prints, with_study

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.study import Study

_PLAYER = typer.Option(..., "--player", "-p", metavar="NAME", help="Whose. Part of the name is enough.")


@with_study
@prints
def lesson(
    study: Study,
    player: str = _PLAYER,
    positions: int = typer.Option(
        12, "--positions", min=1, max=200, metavar="N", help="How many positions, at most."
    ),
    pgn: Path | None = typer.Option(
        None,
        "--pgn",
        metavar="FILE",
        help="Also write them as PGN with comments, for any chess program, or to import as a study.",
    ),
) -> Answer:
    """Positions of a player worth an hour with a coach: easy misses, missed wins, turning points, good finds.

    Each with what was played, what was better and by how much, and how many of 100 players of the same rating
    and of the next level find it.
    """
    from assay.cli.output import say, write_text
    from assay.cli.progress import analysing
    from assay.files import check_writable
    from assay.insights.lesson import lesson_pgn

    check_writable(pgn)
    with analysing(study.recipe) as shown:
        found = study.lesson(player, positions=positions, progress=shown)
    if pgn is not None:
        write_text(pgn, lesson_pgn(found))
        say(f"{len(found.moments)} positions written to {pgn}")
    return found


@with_study
@prints
def progress(
    study: Study,
    player: str = _PLAYER,
    window: int | None = typer.Option(
        None, "--window", min=1, metavar="N", help="So many games in a row are one period, not a month."
    ),
    plot: Path | None = PLOT,
) -> Answer:
    """A player's rating by month, or by so many games in a row, with its trend in points of Elo a year."""
    from assay.cli.output import write_figure
    from assay.cli.progress import analysing
    from assay.figures.figure import check_figure

    check_figure(plot)
    with analysing(study.recipe) as shown:
        found = study.progress(player, window=window, progress=shown)
    if plot is not None:
        from assay.report.insights import progress_figure

        write_figure(plot, progress_figure(found))
    return found
