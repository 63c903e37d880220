"""Work that takes long, one after another: imports first, then reviews of single games, then the analysis.

One thread does the work, and the workspace's lock keeps other programs out: where one is writing, the queue
waits. What an analysis has finished is on the disk at once, and what was asked for is written down, so a
server that is killed goes on where it was. The work is the same calls as the commands make.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.answers.answer import duration, pick
from assay.errors import InputError, LockedError, PgnError
from assay.web.cache import sentence_of
from assay.web.folder import ServedFolder

if TYPE_CHECKING:
    from assay.answers.prepared import AnalysisReport
    from assay.web.site import Site

WAITING, RUNNING, PAUSED, STOPPED, DONE, FAILED = "waiting", "running", "paused", "stopped", "done", "failed"
_OPEN = (WAITING, RUNNING, PAUSED)
_ORDER = {"import": 0, "review": 1, "analyse": 2}
"""Which kind of job goes before which."""

_MOST_CLOSED = 20
_AGAIN = 2.0
"""Seconds after which a workspace that another program writes to is tried again."""


class Interrupted(Exception):  # noqa: N818 - not an error: somebody asked for it
    """Raised within a job that is to end."""


@dataclass
class Job:
    """One thing to do, and how far it is."""

    number: int
    kind: str
    """import, review or analyse."""
    title: str
    state: str = WAITING
    done: int = 0
    total: int = 0
    detail: str = ""
    error: str = ""
    answer: dict[str, Any] = field(default_factory=dict)
    """What it did, as the command's --json has it."""
    path: Path | None = field(default=None, repr=False)
    account: str = ""
    """Whose games are imported, where it is not a file."""
    newest: int = 0
    """So many games of the account at most; 0: all."""
    recipe: str = ""
    game: str = ""
    """The id of the game that is reviewed."""

    @property
    def open(self) -> bool:
        """Whether something is still to be done."""
        return self.state in _OPEN

    @property
    def again(self) -> bool:
        """Whether it failed and may be tried again: an import whose file is still there, an analysis."""
        return self.state == FAILED and (self.path is None or self.path.exists())

    def to_dict(self) -> dict[str, Any]:
        """Describe it for pages and programs."""
        return pick(self, "number kind title state done total detail error answer again game")


Tell = Callable[..., None]
"""Is told how far a job is: done, total, words. Raises `Interrupted` where the job is to end."""

Work = Callable[[Job, Tell], dict[str, Any]]
"""Does a job of one kind."""


class Jobs:
    """The queue, and the thread that works it off."""

    def __init__(self, folder: ServedFolder, work: Mapping[str, Work], again: float = _AGAIN) -> None:
        self._folder, self._work, self._again = folder, work, again
        self._jobs: list[Job] = []
        self._next_number = 1
        self._changed = threading.Condition()
        self._running: Job | None = None
        self._ends: str = ""
        """The state that the running job is to end in; empty where it is to go on."""
        self._closing = False
        self.version = 0
        """Rises with every change."""
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Take up what an earlier server left, and begin."""
        for path in self._folder.left_uploads():
            self.add_import(path, path.name)
        wish = self._folder.wishes().get("analysis")
        if isinstance(wish, dict) and isinstance(wish.get("recipe"), str):
            self.add_analysis(wish["recipe"], PAUSED if wish.get("paused") else WAITING)
        self._thread.start()

    def close(self, patience: float = 15.0) -> None:
        """End what runs, keep what it did; it stays wanted."""
        with self._changed:
            self._closing = True
            self._ends = self._ends or WAITING
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(patience)

    # Wishes ------------------------------------------------------------------------------------------------

    def add_import(self, path: Path, title: str) -> Job:
        """Import a file, before an analysis goes on."""
        return self._add(Job(0, "import", title, path=path))

    def add_account(self, account: str, newest: int) -> Job:
        """Import the games of an account, before an analysis goes on."""
        return self._add(Job(0, "import", account, account=account, newest=newest))

    def add_review(self, game_id: str, title: str, recipe: str) -> Job:
        """Analyse one game, before an analysis of all goes on; a review that is there already stays."""
        with self._changed:
            for job in self._jobs:
                if job.game == game_id and job.open:
                    return job
            return self._add(Job(0, "review", title, recipe=recipe, game=game_id))

    def add_analysis(self, recipe: str, state: str = WAITING) -> Job:
        """Analyse what is missing; an analysis that is there already goes on."""
        with self._changed:
            if (job := self._analysis()) is not None:
                if job.state == PAUSED and job.recipe == recipe:
                    self._set(job, state)
                elif job.recipe != recipe:
                    raise InputError("an analysis by another recipe is under way: stop it first")
                return job
            return self._add(Job(0, "analyse", Path(recipe).stem, state=state, recipe=recipe))

    def pause(self) -> None:
        """End the engines, and keep the analysis for later."""
        self._end(PAUSED)

    def resume(self) -> None:
        """Go on with an analysis that was paused."""
        with self._changed:
            if (job := self._analysis()) is not None and job.state == PAUSED:
                self._set(job, WAITING)

    def stop(self) -> None:
        """End the analysis; what is finished is kept."""
        self._end(STOPPED)

    def again(self, number: int) -> None:
        """Try once more what failed."""
        with self._changed:
            job = self._failed(number)
            if job is not None and (job.kind != "analyse" or self._analysis() is None):
                self._set(job, WAITING)

    def forget(self, number: int) -> None:
        """Give up what failed, and remove the upload that it was of."""
        with self._changed:
            if (job := self._failed(number)) is not None:
                self._jobs.remove(job)
                if job.path is not None:
                    self._folder.forget_upload(job.path)
                self._tell()

    @property
    def analysing(self) -> bool:
        """Whether an analysis runs, waits or is paused: more will be known."""
        with self._changed:
            return self._analysis() is not None

    def is_reviewed(self, game_id: str) -> bool:
        """Whether a review of this game runs or waits."""
        with self._changed:
            return any(job.game == game_id and job.open for job in self._jobs)

    def snapshot(self) -> list[dict[str, Any]]:
        """Describe all jobs that are open and the last of the others, newest first."""
        with self._changed:
            return [job.to_dict() for job in reversed(self._jobs)]

    def wait(self, condition: Callable[[list[Job]], bool], patience: float) -> bool:
        """Wait until the jobs are as wanted; for tests, and for those who ask for the end of something."""
        with self._changed:
            return self._changed.wait_for(lambda: condition([replace(job) for job in self._jobs]), patience)

    # The queue ---------------------------------------------------------------------------------------------

    def _failed(self, number: int) -> Job | None:
        return next((job for job in self._jobs if job.number == number and job.again), None)

    def _analysis(self) -> Job | None:
        return next((job for job in self._jobs if job.kind == "analyse" and job.open), None)

    def _add(self, job: Job) -> Job:
        with self._changed:
            job.number, self._next_number = self._next_number, self._next_number + 1
            self._jobs.append(job)
            running = self._running
            if running is not None and _ORDER[job.kind] < _ORDER[running.kind]:
                self._ends = self._ends or WAITING  # it goes on afterwards
            closed = [other for other in self._jobs if not other.open]
            for old in closed[: max(0, len(closed) - _MOST_CLOSED)]:
                self._jobs.remove(old)
            self._set(job, job.state)
        return job

    def _end(self, state: str) -> None:
        with self._changed:
            job = self._analysis()
            if job is not None and job is self._running:
                self._ends = state
                job.detail = "ending"
                self._tell()
            elif job is not None:
                self._set(job, state)

    def _set(self, job: Job, state: str, detail: str = "") -> None:
        job.state, job.detail = state, detail
        wish: dict[str, Any] | None = None
        if (analysis := self._analysis()) is not None:
            wish = {"recipe": analysis.recipe, "paused": analysis.state == PAUSED}
        try:
            self._folder.keep_wish("analysis", wish)
        except OSError as error:  # it goes on all the same, but not after a restart
            job.error = job.error or sentence_of(error)
        self._tell()

    def _tell(self) -> None:
        self.version += 1
        self._changed.notify_all()

    def _run(self) -> None:
        while (job := self._take()) is not None:
            try:
                job.answer = self._work[job.kind](job, partial(self._progress, job))
            except Interrupted:
                self._close(job, self._ends or WAITING)
            except LockedError as error:
                self._close(job, WAITING, str(error))
                with self._changed:  # some time, or until another wish comes
                    if not self._closing:
                        self._changed.wait(self._again)
            except Exception as error:
                job.error = sentence_of(error)
                self._close(job, FAILED)
            else:
                self._close(job, DONE)

    def _take(self) -> Job | None:
        """Wait for the next job, imports first, then reviews; None at the end."""
        with self._changed:
            while not self._closing:
                waiting = [job for job in self._jobs if job.state == WAITING]
                if waiting:
                    job = min(waiting, key=lambda job: (_ORDER[job.kind], job.number))
                    self._running, self._ends, job.error = job, "", ""
                    self._set(job, RUNNING)
                    return job
                self._changed.wait()
        return None

    def _progress(self, job: Job, done: int = 0, total: int = 0, detail: str = "") -> None:
        with self._changed:
            if self._ends:
                raise Interrupted
            job.done, job.total, job.detail = done, total, detail
            self._tell()

    def _close(self, job: Job, state: str, detail: str = "") -> None:
        with self._changed:
            self._running, self._ends = None, ""
            self._set(job, state, detail)


# The work ------------------------------------------------------------------------------------------------


def work_of(site: Site) -> dict[str, Work]:
    """Give what does each kind of job of a site."""
    return {
        "import": partial(import_file, site),
        "review": partial(analyse, site),
        "analyse": partial(analyse, site),
    }


def import_file(site: Site, job: Job, tell: Tell) -> dict[str, Any]:
    """Import a file or the games of an account as `assay import` does.

    An upload is removed when its games are in the workspace, and where it is not PGN. Where something else is
    the matter, such as a full disk, it may be tried again.
    """
    from assay.pgn.accounts import WantedGames
    from assay.workspace import Workspace

    def progress(_: Any, size: int, at: int, games: int) -> None:
        with suppress(Interrupted):  # an import is short and not broken off: half of a file would be a riddle
            tell(at, size, f"{games:,} games")

    source = job.path or job.account
    notes: list[str] = []
    try:
        report = Workspace(site.folder.workspace).import_games(
            source,
            aliases=site.settings.aliases or None,
            progress=progress,
            say=notes.append,
            wanted=WantedGames(most=job.newest or None),
        )
    except PgnError:
        if job.path is not None:
            site.folder.forget_upload(job.path)
        raise
    if job.path is not None:
        site.folder.forget_upload(job.path)
    problems = list(report.problems)
    said = [note for note in notes if note not in problems]
    return {**report.to_dict(), "rows": report.rows(), "said": said, "problems": problems}


def analyse(site: Site, job: Job, tell: Tell) -> dict[str, Any]:
    """Analyse what is missing as `assay analyse` does, of all games or of the one to be reviewed."""
    from assay.engine.recipe import find_recipe
    from assay.workspace import Workspace

    def progress(report: AnalysisReport) -> None:
        engines = "1 engine" if report.n_engines == 1 else f"{report.n_engines} engines"
        detail = f"{report.per_second:.1f} positions a second, {engines}"
        if report.per_second and report.missing > report.done:
            detail += f", about {duration((report.missing - report.done) / report.per_second)} left"
        if report.failures:
            detail += f", {len(report.failures)} put aside"
        tell(report.done + len(report.failures), report.missing, detail)

    # What is to go on is read from the folder, which may come from anyone: no other file is a recipe.
    if job.recipe != site.recipe and job.recipe not in site.recipes():
        raise InputError(f"the recipe '{job.recipe}' is not offered here: choose one of the first page")
    report = Workspace(site.folder.workspace).analyse(
        find_recipe(job.recipe),
        games=[job.game] if job.game else None,
        choice=site.choice,
        engine=site.engine,
        jobs=site.engines,
        before=lambda backlog, _: tell(0, len(backlog), "starting the engines"),
        progress=progress,
    )
    return report.to_dict()
