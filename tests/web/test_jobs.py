import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.errors import EngineError, InputError, LockedError
from assay.web.jobs import DONE, FAILED, PAUSED, RUNNING, STOPPED, WAITING, Job, Jobs
from assay.web.place import Place

LONG = 60.0
"""Seconds after which a test gives up: nothing takes that long."""


class Kitchen:
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
def kitchen() -> Kitchen:
    return Kitchen()


@pytest.fixture
def start(tmp_path: Path, kitchen: Kitchen) -> Iterator[Callable[[], Jobs]]:
    made: list[Jobs] = []

    def begin() -> Jobs:
        work = {"import": kitchen.importing, "analyse": kitchen.analysing}
        made.append(Jobs(Place(tmp_path), work, again=0.01))
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


def test_an_analysis_runs_to_its_end(start: Callable[[], Jobs], kitchen: Kitchen, tmp_path: Path) -> None:
    jobs = start()
    job = jobs.add_analysis("quick")
    assert jobs.wait(lambda all_: all_[0].done > 2, LONG)
    assert Place(tmp_path).kept() == {"analysis": {"recipe": "quick", "paused": False}}
    kitchen.finish.set()
    reached(jobs, job.number, DONE)
    assert jobs.snapshot()[0]["answer"]["analysed"] > 2
    assert Place(tmp_path).kept() == {}


def test_pause_resume_and_stop(start: Callable[[], Jobs], kitchen: Kitchen) -> None:
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
    assert kitchen.begun == ["quick", "quick"]
    jobs.resume()  # nothing is there to go on with
    assert jobs.snapshot()[0]["state"] == STOPPED


def test_an_import_goes_before_the_analysis_which_then_goes_on(
    start: Callable[[], Jobs], kitchen: Kitchen
) -> None:
    jobs = start()
    analysis = jobs.add_analysis("quick").number
    reached(jobs, analysis, RUNNING)
    added = jobs.add_import(Path("a.pgn"), "a.pgn").number
    reached(jobs, added, DONE)
    reached(jobs, analysis, RUNNING)
    assert jobs.wait(lambda _: kitchen.begun == ["quick", "a.pgn", "quick"], LONG)


def test_a_queue_that_ends_goes_on_after_a_restart(start: Callable[[], Jobs], kitchen: Kitchen) -> None:
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
    start: Callable[[], Jobs], tmp_path: Path, kitchen: Kitchen
) -> None:
    Place(tmp_path).new_upload("left.pgn").write_text("1. e4")
    jobs = start()
    reached(jobs, 1, DONE)
    assert kitchen.begun == ["left.pgn"]


def test_where_another_program_writes_the_queue_waits(start: Callable[[], Jobs], kitchen: Kitchen) -> None:
    kitchen.failing = [LockedError("it is being written to by process 7")] * 3
    jobs = start()
    number = jobs.add_import(Path("a.pgn"), "a.pgn").number
    reached(jobs, number, DONE)
    assert kitchen.begun == ["a.pgn"] * 4


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("that is not PGN"), "that is not PGN"),
        (OSError(28, "No space left on device"), "the disk is full"),
        (ValueError("odd"), "ValueError"),
    ],
)
def test_a_failure_is_one_sentence_and_ends_nothing_else(
    start: Callable[[], Jobs], kitchen: Kitchen, error: Exception, said: str
) -> None:
    kitchen.failing = [error]
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
    start: Callable[[], Jobs], kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = start()

    def full(_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jobs._place, "keep", full)
    kitchen.finish.set()
    reached(jobs, jobs.add_analysis("quick").number, DONE)
    assert "the disk is full" in jobs.snapshot()[0]["error"]


def test_what_failed_is_tried_again_or_forgotten(
    start: Callable[[], Jobs], kitchen: Kitchen, tmp_path: Path
) -> None:
    kitchen.failing = [OSError(28, "No space left on device")] * 2
    jobs = start()
    paths = [Place(tmp_path).new_upload("a.pgn") for _ in range(2)]
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
    assert kitchen.begun == ["a.pgn"] * 3
    jobs.forget(numbers[1])
    jobs.forget(numbers[0])  # what is done is not forgotten, nor its file touched
    assert [job["number"] for job in jobs.snapshot()] == numbers[:1]
    assert Place(tmp_path).left_uploads() == paths[:1]


def test_an_analysis_that_failed_goes_on_where_it_was_told_to(
    start: Callable[[], Jobs], kitchen: Kitchen, tmp_path: Path
) -> None:
    jobs = start()
    analysing = jobs._work["analyse"]

    def dies(job: Job, tell: Callable[..., None]) -> dict[str, Any]:
        raise EngineError("the engine died")

    jobs._work["analyse"] = dies
    number = jobs.add_analysis("quick", players=["Ann"]).number
    reached(jobs, number, FAILED)
    assert Place(tmp_path).kept() == {}
    jobs._work["analyse"] = analysing
    kitchen.finish.set()
    jobs.again(number)
    reached(jobs, number, DONE)
    assert jobs.snapshot()[0]["title"] == "quick, games of Ann"
