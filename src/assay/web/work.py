"""The jobs themselves: importing a file, analysing what is missing. The same calls as the commands make."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from assay.web.jobs import Job, Work

if TYPE_CHECKING:
    from assay.engine.backlog import AnalysisReport
    from assay.web.place import Place
    from assay.web.site import Options

Tell = Callable[..., None]


def work_of(place: Place, options: Options) -> dict[str, Work]:
    """What does each kind of job in a place."""

    def importing(job: Job, tell: Tell) -> dict[str, Any]:
        return import_file(place, job, tell)

    def analysing(job: Job, tell: Tell) -> dict[str, Any]:
        return analyse(place, options, job, tell)

    return {"import": importing, "analyse": analysing}


def import_file(place: Place, job: Job, tell: Tell) -> dict[str, Any]:
    """Import a file as `assay import` does; an upload is removed when its games are in the workspace.

    So is one that is no PGN. Where something else is the matter, such as a full disk, it may be tried again.
    """
    from assay.cli.answers.prepared import ImportAnswer
    from assay.errors import PgnError
    from assay.settings import find_settings
    from assay.workspace import Workspace

    assert job.path is not None
    said: list[str] = []
    try:
        report = Workspace(place.workspace).import_games(
            job.path,
            aliases=find_settings(place.workspace).aliases or None,
            # An import is short and not broken off: half of a file would be a riddle.
            progress=lambda _, size, at, games: _tell_safely(tell, at, size, f"{games:,} games"),
            say=said.append,
        )
    except PgnError:
        place.forget_upload(job.path)
        raise
    place.forget_upload(job.path)
    return {**ImportAnswer(report).document(), "rows": list(ImportAnswer(report).rows()), "said": said}


def _tell_safely(tell: Tell, *told: Any) -> None:
    from assay.web.jobs import Interrupted

    with suppress(Interrupted):
        tell(*told)


def analyse(place: Place, options: Options, job: Job, tell: Tell) -> dict[str, Any]:
    """Analyse what is missing as `assay analyse` does."""
    from assay.cli.answers.prepared import analysis_answer
    from assay.errors import InputError
    from assay.workspace import Workspace

    def progress(report: AnalysisReport) -> None:
        engines = "1 engine" if report.n_engines == 1 else f"{report.n_engines} engines"
        detail = f"{report.per_second:.1f} positions a second, {engines}"
        if report.failures:
            detail += f", {len(report.failures)} put aside"
        tell(report.done + len(report.failures), report.missing, detail)

    # What is to go on is read from the folder, which may come from anyone: no other file is a recipe.
    if job.recipe not in options.offered(place.workspace):
        raise InputError(f"the recipe '{job.recipe}' is not offered here: choose one of the first page")
    report = Workspace(place.workspace).analyse(
        options.recipe_of(job.recipe),
        players=list(job.players) or None,
        choice=options.choice(),
        engine=options.engine_for(place.workspace),
        jobs=options.jobs_for(place.workspace),
        before=lambda backlog, _: tell(0, len(backlog), "starting the engines"),
        progress=progress,
    )
    return dict(analysis_answer(report).document())
