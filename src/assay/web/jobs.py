"""What takes long, one after another: imports first, then the analysis, which goes on after each of them.

One thread does the work, and the workspace's own lock keeps other programs out: where one is writing, the
queue waits. What an analysis has finished is on the disk at once, and what was asked for is written down, so
a server that is killed goes on where it was.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.errors import InputError, LockedError
from assay.web.place import Place
from assay.web.sentences import sentence_of

WAITING, RUNNING, PAUSED, STOPPED, DONE, FAILED = "waiting", "running", "paused", "stopped", "done", "failed"
_OPEN = (WAITING, RUNNING, PAUSED)
_MOST_KEPT = 20
_AGAIN = 2.0
"""Seconds after which a workspace that another program writes to is tried again."""


class Interrupted(Exception):  # noqa: N818 - no error: somebody asked for it
    """Raised within a job that is to end."""


@dataclass
class Job:
    """One thing to do, and how far it is."""

    number: int
    kind: str
    """import or analyse."""
    title: str
    state: str = WAITING
    done: int = 0
    total: int = 0
    detail: str = ""
    error: str = ""
    answer: dict[str, Any] = field(default_factory=dict)
    """What it did, as the command's --json has it."""
    path: Path | None = field(default=None, repr=False)
    recipe: str = ""
    players: tuple[str, ...] = ()
    """Whose games are analysed; all, where none are named."""

    @property
    def open(self) -> bool:
        """Whether something is still to be done."""
        return self.state in _OPEN

    @property
    def again(self) -> bool:
        """Whether it failed and may be tried again: an import whose file is still there, an analysis."""
        return self.state == FAILED and (self.path is None or self.path.exists())

    def document(self) -> dict[str, Any]:
        """For pages and programs."""
        names = ("number", "kind", "title", "state", "done", "total", "detail", "error", "answer", "again")
        return {name: getattr(self, name) for name in names}


Work = Callable[[Job, Callable[..., None]], dict[str, Any]]
"""Does a job; is given what to tell how far it is, which raises `Interrupted` where the job is to end."""


class Jobs:
    """The queue, and the thread that works it off."""

    def __init__(self, place: Place, work: dict[str, Work], again: float = _AGAIN) -> None:
        self._place = place
        self._work = work
        self._again = again
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
        for path in self._place.left_uploads():
            self.add_import(path, path.name)
        wanted = self._place.kept().get("analysis")
        if isinstance(wanted, dict) and isinstance(wanted.get("recipe"), str):
            who = wanted.get("players", [])
            players = [one for one in who if isinstance(one, str)] if isinstance(who, list) else []
            state = PAUSED if wanted.get("paused") else WAITING
            self.add_analysis(wanted["recipe"], state=state, players=players)
        self._thread.start()

    def close(self, patience: float = 15.0) -> None:
        """End what runs, keep what it did; it stays wanted."""
        with self._changed:
            self._closing = True
            self._ends = self._ends or WAITING
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(patience)

    # What is asked -----------------------------------------------------------------------------------------

    def add_import(self, path: Path, title: str) -> Job:
        """Import a file, before an analysis goes on."""
        return self._add(Job(0, "import", title, path=path))

    def add_analysis(self, recipe: str, state: str = WAITING, players: Sequence[str] = ()) -> Job:
        """Analyse what is missing, of some players or of all; an analysis that is there already goes on."""
        with self._changed:
            if (job := self._analysis()) is not None:
                if job.state == PAUSED and job.recipe == recipe:
                    self._set(job, state)
                elif job.recipe != recipe:
                    raise InputError("an analysis by another recipe is under way: stop it first")
                return job
            who = tuple(one for one in players if one)
            title = Path(recipe).stem + (f", games of {', '.join(who)}" if who else "")
            return self._add(Job(0, "analyse", title, state=state, recipe=recipe, players=who))

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
            if job is not None and (job.kind == "import" or self._analysis() is None):
                self._set(job, WAITING)

    def forget(self, number: int) -> None:
        """Give up what failed, and remove the upload that it was of."""
        with self._changed:
            if (job := self._failed(number)) is not None:
                self._jobs.remove(job)
                if job.path is not None:
                    self._place.forget_upload(job.path)
                self._tell()

    @property
    def analysing(self) -> bool:
        """Whether an analysis runs, waits or is paused: more will be known."""
        with self._changed:
            return self._analysis() is not None

    def snapshot(self) -> list[dict[str, Any]]:
        """All jobs that are open and the last of the others, newest first."""
        with self._changed:
            return [job.document() for job in reversed(self._jobs)]

    def wait(self, condition: Callable[[list[Job]], bool], patience: float) -> bool:
        """Wait until the jobs are as wanted; for tests, and for those who ask for the end of something."""
        end = time.monotonic() + patience
        with self._changed:
            while not condition([replace(job) for job in self._jobs]):
                if not self._changed.wait(end - time.monotonic()) and time.monotonic() >= end:
                    return False
        return True

    # The queue ---------------------------------------------------------------------------------------------

    def _failed(self, number: int) -> Job | None:
        return next((job for job in self._jobs if job.number == number and job.again), None)

    def _analysis(self) -> Job | None:
        return next((job for job in self._jobs if job.kind == "analyse" and job.open), None)

    def _add(self, job: Job) -> Job:
        with self._changed:
            job.number, self._next_number = self._next_number, self._next_number + 1
            self._jobs.append(job)
            if job.kind == "import" and self._running is not None and self._running.kind == "analyse":
                self._ends = self._ends or WAITING  # it goes on after the import
            closed = [one for one in self._jobs if not one.open]
            for old in closed[: max(0, len(closed) - _MOST_KEPT)]:
                self._jobs.remove(old)
            self._set(job, job.state)
        return job

    def _end(self, state: str) -> None:
        with self._changed:
            job = self._analysis()
            if job is None:
                return
            if job is self._running:
                self._ends = state
                job.detail = "ending"
                self._tell()
            else:
                self._set(job, state)

    def _set(self, job: Job, state: str, detail: str = "") -> None:
        job.state, job.detail = state, detail
        analysis = self._analysis()
        wanted: dict[str, Any] = {}
        if analysis is not None:
            wanted = {"recipe": analysis.recipe, "paused": analysis.state == PAUSED}
            wanted |= {"players": list(analysis.players)} if analysis.players else {}
        try:
            self._place.keep({"analysis": wanted} if wanted else {})
        except OSError as error:  # it goes on all the same, but not after a restart
            job.error = job.error or sentence_of(error)
        self._tell()

    def _tell(self) -> None:
        self.version += 1
        self._changed.notify_all()

    def _run(self) -> None:
        while (job := self._take()) is not None:
            try:
                answer = self._work[job.kind](job, lambda *told, job=job: self._progress(job, *told))
            except Interrupted:
                self._close(job, self._ends or WAITING)
            except LockedError as error:
                self._close(job, WAITING, str(error))
                self._rest()
            except Exception as error:
                job.error = sentence_of(error)
                self._close(job, FAILED)
            else:
                job.answer = answer
                self._close(job, DONE)

    def _take(self) -> Job | None:
        """The next job, imports first; waits for one. None at the end."""
        with self._changed:
            while True:
                if self._closing:
                    return None
                waiting = [job for job in self._jobs if job.state == WAITING]
                waiting.sort(key=lambda job: (job.kind != "import", job.number))
                if waiting:
                    job = self._running = waiting[0]
                    self._ends = ""
                    job.error = ""
                    self._set(job, RUNNING)
                    return job
                self._changed.wait()

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

    def _rest(self) -> None:
        """Wait some time, or until another wish comes."""
        with self._changed:
            if not self._closing:
                self._changed.wait(self._again)
