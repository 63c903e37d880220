import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.errors import EngineError, InputError, LockedError, PgnError
from assay.web.folder import ServedFolder
from assay.web.jobs import DONE, FAILED, PAUSED, RUNNING, STOPPED, WAITING, Interrupted, Job, Jobs, work_of
from assay.web.site import Options, Site
from assay.workspace import Workspace

LONG = 60.0
"""Seconds after which a test gives up: nothing takes that long."""


class Worker:
    """Work that goes on until it is told to end, and notes what was begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.finish = threading.Event()
        self.failing: list[Exception] = []

    def importing(self, job: Job, tell: Callable[..., None]) -> dict[str, Any]:
        self.begun.append(job.title)
        if self.failing:
            raise self.failing.pop()
        return {"added": 1}

    def analysing(self, job: Job, tell: Callable[..., None]) -> dict[str, Any]:
        self.begun.append(job.recipe)
        steps = 0
        while not self.finish.wait(0.005):
            steps += 1
            tell(steps, 1000, "at work")
        return {"analysed": steps}


@pytest.fixture
def worker() -> Worker:
    return Worker()


@pytest.fixture
def start(tmp_path: Path, worker: Worker) -> Iterator[Callable[[], Jobs]]:
    made: list[Jobs] = []

    def begin() -> Jobs:
        work = {"import": worker.importing, "review": worker.analysing, "analyse": worker.analysing}
        made.append(Jobs(ServedFolder(tmp_path), work, again=0.01))
        made[-1].start()
        return made[-1]

    yield begin
    for one in made:
        one.close()


def reached(jobs: Jobs, number: int, state: str) -> None:
    """Wait until a job is in a state."""
    assert jobs.wait(lambda all_: any(j.number == number and j.state == state for j in all_), LONG), (
        jobs.snapshot()
    )


def test_an_analysis_runs_to_its_end(start: Callable[[], Jobs], worker: Worker, tmp_path: Path) -> None:
    jobs = start()
    job = jobs.add_analysis("quick")
    assert jobs.wait(lambda all_: all_[0].done > 2, LONG)
    assert ServedFolder(tmp_path).wishes() == {"analysis": {"recipe": "quick", "paused": False}}
    worker.finish.set()
    reached(jobs, job.number, DONE)
    assert jobs.snapshot()[0]["answer"]["analysed"] > 2
    assert ServedFolder(tmp_path).wishes() == {}


def test_pause_resume_and_stop(start: Callable[[], Jobs], worker: Worker) -> None:
    jobs = start()
    number = jobs.add_analysis("quick").number
    reached(jobs, number, RUNNING)
    jobs.pause()
    reached(jobs, number, PAUSED)
    assert jobs.add_analysis("quick", state=PAUSED).number == number  # no second one
    with pytest.raises(InputError, match="another recipe"):
        jobs.add_analysis("deep")
    jobs.resume()
    reached(jobs, number, RUNNING)
    jobs.stop()
    reached(jobs, number, STOPPED)
    assert worker.begun == ["quick", "quick"]
    jobs.resume()  # nothing is there to go on with
    assert jobs.snapshot()[0]["state"] == STOPPED


def test_an_import_goes_before_the_analysis_which_then_goes_on(
    start: Callable[[], Jobs], worker: Worker
) -> None:
    jobs = start()
    analysis = jobs.add_analysis("quick").number
    reached(jobs, analysis, RUNNING)
    added = jobs.add_import(Path("a.pgn"), "a.pgn").number
    reached(jobs, added, DONE)
    reached(jobs, analysis, RUNNING)
    assert jobs.wait(lambda _: worker.begun == ["quick", "a.pgn", "quick"], LONG)


def test_a_queue_that_ends_goes_on_after_a_restart(start: Callable[[], Jobs], worker: Worker) -> None:
    first = start()
    reached(first, first.add_analysis("quick").number, RUNNING)
    first.close()
    second = start()
    reached(second, 1, RUNNING)
    second.pause()
    reached(second, 1, PAUSED)
    second.close()
    assert start().snapshot()[0]["state"] == PAUSED


def test_uploads_that_were_left_are_imported(
    start: Callable[[], Jobs], tmp_path: Path, worker: Worker
) -> None:
    ServedFolder(tmp_path).new_upload("left.pgn").write_text("1. e4")
    jobs = start()
    reached(jobs, 1, DONE)
    assert worker.begun == ["left.pgn"]


def test_where_another_program_writes_the_queue_waits(start: Callable[[], Jobs], worker: Worker) -> None:
    worker.failing = [LockedError("it is being written to by process 7")] * 3
    jobs = start()
    number = jobs.add_import(Path("a.pgn"), "a.pgn").number
    reached(jobs, number, DONE)
    assert worker.begun == ["a.pgn"] * 4


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("that is not PGN"), "that is not PGN"),
        (OSError(28, "No space left on device"), "the disk is full"),
        (ValueError("odd"), "ValueError"),
    ],
)
def test_a_failure_is_one_sentence_and_ends_nothing_else(
    start: Callable[[], Jobs], worker: Worker, error: Exception, said: str
) -> None:
    worker.failing = [error]
    jobs = start()
    bad, good = (jobs.add_import(Path(name), name).number for name in ("bad.pgn", "good.pgn"))
    reached(jobs, bad, FAILED)
    reached(jobs, good, DONE)
    assert said in next(job["error"] for job in jobs.snapshot() if job["number"] == bad)


def test_old_jobs_are_forgotten(start: Callable[[], Jobs]) -> None:
    jobs = start()
    for number in range(1, 31):
        jobs.add_import(Path("a.pgn"), "a.pgn")
        reached(jobs, number, DONE)
    assert len(jobs.snapshot()) <= 22
    assert all(job["state"] in (DONE, WAITING) for job in jobs.snapshot())


def test_a_disk_that_is_full_does_not_end_the_queue(
    start: Callable[[], Jobs], worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = start()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jobs._folder, "keep_wish", full)
    worker.finish.set()
    reached(jobs, jobs.add_analysis("quick").number, DONE)
    assert "the disk is full" in jobs.snapshot()[0]["error"]


def test_what_failed_is_tried_again_or_forgotten(
    start: Callable[[], Jobs], worker: Worker, tmp_path: Path
) -> None:
    worker.failing = [OSError(28, "No space left on device")] * 2
    jobs = start()
    paths = [ServedFolder(tmp_path).new_upload("a.pgn") for _ in range(2)]
    for path in paths:
        path.write_text("1. e4")
    numbers = [jobs.add_import(path, path.name).number for path in paths]
    for number in numbers:
        reached(jobs, number, FAILED)
    assert [job["again"] for job in jobs.snapshot()] == [True, True]
    jobs.again(numbers[0])
    reached(jobs, numbers[0], DONE)
    assert jobs.snapshot()[-1]["error"] == ""
    jobs.again(numbers[0])  # it is done
    jobs.again(77)
    assert worker.begun == ["a.pgn"] * 3
    jobs.forget(numbers[1])
    jobs.forget(numbers[0])  # what is done is not forgotten, nor its file touched
    assert [job["number"] for job in jobs.snapshot()] == numbers[:1]
    assert ServedFolder(tmp_path).left_uploads() == paths[:1]


def test_an_analysis_that_failed_goes_on_where_it_was_told_to(
    start: Callable[[], Jobs], worker: Worker, tmp_path: Path
) -> None:
    jobs = start()
    analysing = jobs._work["analyse"]

    def dies(job: Job, tell: Callable[..., None]) -> dict[str, Any]:
        raise EngineError("the engine died")

    jobs._work["analyse"] = dies
    number = jobs.add_analysis("quick").number
    reached(jobs, number, FAILED)
    assert ServedFolder(tmp_path).wishes() == {}
    jobs._work["analyse"] = analysing
    worker.finish.set()
    jobs.again(number)
    reached(jobs, number, DONE)
    assert jobs.snapshot()[0]["title"] == "quick"


def test_a_review_goes_before_the_analysis_which_goes_on_afterwards(
    start: Callable[[], Jobs], worker: Worker
) -> None:
    jobs = start()
    analysis = jobs.add_analysis("standard")
    reached(jobs, analysis.number, RUNNING)
    review = jobs.add_review("a", "Ann – Bob", "quick")
    reached(jobs, review.number, RUNNING)
    assert jobs.is_reviewed("a")
    assert not jobs.is_reviewed("b")
    assert jobs.add_review("a", "Ann – Bob", "quick") is review  # pressed twice
    assert jobs.analysing
    imported = jobs.add_import(Path("a.pgn"), "a.pgn")
    reached(jobs, imported.number, DONE)
    worker.finish.set()
    reached(jobs, review.number, DONE)
    reached(jobs, analysis.number, DONE)
    assert worker.begun == ["standard", "quick", "a.pgn", "quick", "standard"]


def nothing(*_: Any) -> None:
    return None


def uploaded(site: Site, text: str) -> Job:
    path = site.folder.new_upload("games.pgn")
    path.write_text(text)
    return Job(1, "import", "games.pgn", path=path)


def test_an_upload_is_gone_when_its_games_are_there(tmp_path: Path, pgn: Path) -> None:
    site = Site(tmp_path / "served")
    site.folder.path.mkdir()
    job = uploaded(site, pgn.read_text())
    found = work_of(site)["import"](job, nothing)
    assert (found["added"], found["rows"][0]["games"]) == (1, 1)
    assert [path.name for path in site.folder.path.iterdir()] == ["games.assay"]


def test_what_is_no_pgn_is_said_and_not_kept(tmp_path: Path) -> None:
    site = Site(tmp_path)
    with pytest.raises(PgnError, match="not PGN"):
        work_of(site)["import"](uploaded(site, "\0\1 nothing of chess"), nothing)
    assert site.folder.left_uploads() == []


def test_an_upload_waits_while_another_program_writes(tmp_path: Path, pgn: Path) -> None:
    site = Site(tmp_path)
    work = work_of(site)["import"]
    work(uploaded(site, pgn.read_text()), nothing)
    job = uploaded(site, '[White "A"]\n[Black "B"]\n\n1. d4 d5 *\n')
    with Workspace(site.folder.workspace).writing(), pytest.raises(LockedError):
        work(job, nothing)
    assert site.folder.left_uploads() == [job.path]
    assert work(job, nothing)["added"] == 1


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), InputError("it was written by a newer assay")]
)
def test_an_upload_stays_where_it_is_not_to_blame(
    tmp_path: Path, pgn: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise error

    site = Site(tmp_path)
    job = uploaded(site, pgn.read_text())
    importing = work_of(site)["import"]
    with monkeypatch.context() as context:
        context.setattr(Workspace, "import_games", fails)
        with pytest.raises(type(error)):
            importing(job, nothing)
    assert site.folder.left_uploads() == [job.path]
    assert importing(job, nothing)["added"] == 1
    assert site.folder.left_uploads() == []


def test_an_analysis_that_is_broken_off_keeps_what_it_did(tmp_path: Path, pgn: Path, kitchen: Path) -> None:
    site = Site(tmp_path)
    options = Options(recipe=str(kitchen / "few.toml"), engine=str(kitchen / "engine"), jobs=1)
    work = work_of(Site(tmp_path, options))
    work["import"](uploaded(site, pgn.read_text()), nothing)
    job = Job(2, "analyse", "few", recipe=str(kitchen / "few.toml"))

    def tell(done: int, total: int, detail: str) -> None:
        if done >= 20:
            raise Interrupted

    with pytest.raises(Interrupted):
        work["analyse"](job, tell)
    kept = Workspace(site.folder.workspace).table_analyses.count()
    assert 0 < kept < 80
    found = work["analyse"](job, nothing)
    assert found["analysed"] == found["missing"] < found["positions"]
