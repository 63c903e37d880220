"""The main job: rate, calibrate, report."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.options import CSV, ENGINE, GAMES, JOBS, JSON, KEPT_IN, RECIPE

if TYPE_CHECKING:
    from assay.domain.rating import Ratings
    from assay.study import Study
    from assay.validation.accuracy import Outcome


class By(StrEnum):
    """What is rated apart."""

    PLAYER = "player"
    YEAR = "year"
    EVENT = "event"
    GAME = "game"


class Evaluations(StrEnum):
    """Where the values of moves come from."""

    AUTO = "auto"
    FILE = "file"
    ENGINE = "engine"


PLAYER = typer.Option(None, "--player", "-p", help="Only this player (a part of the name does); repeat it.")
METHOD = typer.Option(None, "--method", "-m", help="Only this method; repeat it for several.")
BY = typer.Option(By.PLAYER, "--by", help="Rate players, or their years, events or games apart.")
LEAST = typer.Option(
    10, "--min-decisions", min=1, help="Decisions after the opening that it takes to be rated."
)
EVALUATIONS = typer.Option(
    Evaluations.AUTO,
    "--evaluations",
    help="Values from the engine, or from the file's own comments; auto: the engine where there is one.",
)
CALIBRATION = typer.Option(None, "--calibration", help="A file made by assay calibrate; else one is found.")


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("rate")(rate)
    app.command("report")(report)
    app.command("calibrate")(calibrate)


def rate(
    source: Path = GAMES,
    player: list[str] | None = PLAYER,
    method: list[str] | None = METHOD,
    by: By = BY,
    min_decisions: int = LEAST,
    evaluations: Evaluations = EVALUATIONS,
    report: Path | None = typer.Option(None, "--report", help="Write a report, one HTML file, here too."),
    calibration: Path | None = CALIBRATION,
    workspace: Path | None = KEPT_IN,
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Rate the players of some games: by every method and all together, with 95% intervals.

    Imports the games, analyses what is missing, and keeps both beside the file. Called again, it starts from
    there.
    """
    from assay.cli.output import check_out, print_csv, print_json
    from assay.cli.rating_output import COLUMNS, csv_rows, for_programs, print_ratings
    from assay.study import Study

    check_out(report)
    study = Study(
        source, workspace=workspace, recipe=recipe, engine=engine, jobs=jobs, evaluations=evaluations
    )
    ratings = _rated(study, player, method, by, min_decisions, calibration, history=report is not None)
    if as_json:
        print_json(for_programs(ratings))
    elif as_csv:
        print_csv(csv_rows(ratings), COLUMNS)
    else:
        print_ratings(ratings)
    if report is not None:
        again = _again(source, report, player, method, by, min_decisions, evaluations, calibration, recipe)
        _write_report(study, ratings, report, again)


def report(
    source: Path = GAMES,
    out: Path = typer.Option("report.html", "--out", "-o", help="The HTML file to write."),
    player: list[str] | None = PLAYER,
    method: list[str] | None = METHOD,
    by: By = BY,
    min_decisions: int = LEAST,
    evaluations: Evaluations = EVALUATIONS,
    calibration: Path | None = CALIBRATION,
    workspace: Path | None = KEPT_IN,
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
) -> None:
    """Write the report of some games: ratings, a card per player, the largest losses; one HTML file."""
    from assay.cli.output import check_out
    from assay.study import Study

    check_out(out)
    study = Study(
        source, workspace=workspace, recipe=recipe, engine=engine, jobs=jobs, evaluations=evaluations
    )
    ratings = _rated(study, player, method, by, min_decisions, calibration, history=True)
    again = _again(source, out, player, method, by, min_decisions, evaluations, calibration, recipe)
    _write_report(study, ratings, out, again)


def calibrate(
    sources: list[Path] = typer.Argument(
        ..., metavar="GAMES...", help="Games of players with ratings: PGN, workspaces, decisions."
    ),
    out: Path | None = typer.Option(
        None, "--out", "-o", help="File to write; else it is kept for you, and found by assay rate."
    ),
    check: bool = typer.Option(
        False, "--check", help="Also rate each half of the games by the other: errors and coverage."
    ),
    workspace: Path | None = KEPT_IN,
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Fit the Elo scale of a recipe from games of players with known ratings (mileposts)."""
    from assay.cli.analysis import progress_shown
    from assay.cli.calibration_output import print_calibration
    from assay.cli.options import said_once
    from assay.cli.output import check_out, say
    from assay.errors import InputError
    from assay.models.calibration_files import place_of
    from assay.study import Study
    from assay.study import calibrate as fit
    from assay.validation.accuracy import held_out

    check_out(out)
    studies = [
        Study(source, workspace=workspace, recipe=recipe, engine=engine, jobs=jobs) for source in sources
    ]
    with progress_shown() as shown:
        made, appearances = fit(studies, progress=said_once(recipe, shown))
    path = out or place_of(made.recipe_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    made.write(path)
    outcomes: list[Outcome] = []
    if check:
        try:
            outcomes = held_out(appearances)
        except InputError:
            say("there are too few games to rate each half of them by the other: not checked")
    print_calibration(made, path, outcomes, as_json=as_json, as_csv=as_csv)


def _rated(
    study: Study,
    players: list[str] | None,
    methods: list[str] | None,
    by: By,
    min_decisions: int,
    calibration: Path | None,
    *,
    history: bool,
) -> Ratings:
    from assay.cli.analysis import progress_shown
    from assay.cli.options import said_once
    from assay.models.calibration import Calibration

    with progress_shown() as shown:
        return study.rate(
            players=players or None,
            methods=methods or None,
            by=by,
            min_decisions=min_decisions,
            calibration=None if calibration is None else Calibration.read(calibration),
            history=history,
            progress=said_once(study.recipe, shown),
            rating=shown.step("Rating"),
        )


def _again(
    source: Path,
    out: Path,
    players: list[str] | None,
    methods: list[str] | None,
    by: By,
    min_decisions: int,
    evaluations: Evaluations,
    calibration: Path | None,
    recipe: str,
) -> str:
    """The command that makes the report again, by names of files only: paths are of one machine."""
    words = ["assay", "report", source.name, "--out", out.name, "--recipe", Path(recipe).name]
    for name, values in (("--player", players), ("--method", methods)):
        words += [word for value in values or () for word in (name, value)]
    if by is not By.PLAYER:
        words += ["--by", by.value]
    if min_decisions != LEAST.default:
        words += ["--min-decisions", str(min_decisions)]
    if evaluations is not Evaluations.AUTO:
        words += ["--evaluations", evaluations.value]
    if calibration is not None:
        words += ["--calibration", calibration.name]
    return shlex.join(words)


def _write_report(study: Study, ratings: Ratings, out: Path, again: str) -> None:
    from assay.cli.output import say, write_text

    write_text(out, study.report(ratings, command=again))
    say(f"the report is in {out}: open it in a browser")
