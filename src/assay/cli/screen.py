"""Panel Rate: how unusual play is for a rating."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from assay.cli.options import PLAYER, PLOT, by_option, prints, with_study
from assay.decisions.grouping import By

if TYPE_CHECKING:
    from assay.answers.screening import Screening
    from assay.study import Study


@with_study
@prints
def screen(
    study: Study,
    player: list[str] | None = PLAYER,
    by: Literal["player", "event", "game"] = by_option(By.PLAYER, By.PLAYER, By.EVENT, By.GAME),
    min_decisions: int = typer.Option(
        20, "--min-decisions", metavar="N", min=1, help="Do not screen players with fewer turns than this."
    ),
    rating_error: float = typer.Option(
        60.0,
        "--rating-error",
        metavar="POINTS",
        min=0.0,
        max=400.0,
        help="How far strength may be from the published rating (standard deviation).",
    ),
    unsure: list[str] | None = typer.Option(
        None,
        "--unsure",
        metavar="NAME",
        help="A junior, a comeback, a stale rating: this player's rating has an error of 150. Repeatable.",
    ),
    full: bool = typer.Option(
        False, "--full", help="Test those who are named again with the recipe standard, which takes longer."
    ),
    report: Path | None = typer.Option(
        None, "--report", metavar="FILE", help="Also write a report: one HTML file to open in a browser."
    ),
    plot: Path | None = PLOT,
) -> Screening:
    """Say whose play is unusual for the rating, and how many honest players would show it by chance.

    Moves are held against what players of that rating choose in these positions. Nothing here says that
    anybody did anything: docs/screening.md says what the test cannot do.
    """
    from assay.cli.output import say, write_figure, write_text
    from assay.cli.progress import analysing
    from assay.figures.figure import check_figure
    from assay.files import check_writable

    check_writable(report)
    check_figure(plot)
    with analysing(study.recipe) as shown:
        found = study.screen(
            players=player or None,
            by=by,
            min_decisions=min_decisions,
            rating_error=rating_error,
            unsure=unsure or (),
            full=full,
            progress=shown,
        )
    if report is not None:
        from assay.report.screening import screening_page

        write_text(report, screening_page(found, source=study.source.name))
        say(f"the report is in {report}: open it in a browser")
    if plot is not None:
        from assay.report.screening import funnel_figure

        write_figure(plot, funnel_figure(found))
    return found
