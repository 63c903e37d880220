from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, LockedError, PgnError
from assay.web.jobs import Interrupted, Job
from assay.web.place import Place
from assay.web.site import Options
from assay.web.work import work_of
from assay.workspace import Workspace


def nothing(*_: Any) -> None:
    return None


def uploaded(place: Place, text: str) -> Job:
    path = place.new_upload("games.pgn")
    path.write_text(text)
    return Job(1, "import", "games.pgn", path=path)


def test_an_upload_is_gone_when_its_games_are_there(tmp_path: Path, pgn: Path) -> None:
    place = Place(tmp_path / "served")
    place.prepare()
    job = uploaded(place, pgn.read_text())
    found = work_of(place, Options())["import"](job, nothing)
    assert (found["added"], found["rows"][0]["games"]) == (1, 1)
    assert [path.name for path in place.folder.iterdir()] == ["games.assay"]


def test_what_is_no_pgn_is_said_and_not_kept(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with pytest.raises(PgnError, match="not PGN"):
        work_of(place, Options())["import"](uploaded(place, "\0\1 nothing of chess"), nothing)
    assert place.left_uploads() == []


def test_an_upload_waits_while_another_program_writes(tmp_path: Path, pgn: Path) -> None:
    place = Place(tmp_path)
    work = work_of(place, Options())["import"]
    work(uploaded(place, pgn.read_text()), nothing)
    job = uploaded(place, pgn.read_text())
    with Workspace(place.workspace).writing(), pytest.raises(LockedError):
        work(job, nothing)
    assert place.left_uploads() == [job.path]
    assert work(job, nothing)["known"] == 1


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), InputError("it was written by a newer assay")]
)
def test_an_upload_stays_where_it_is_not_to_blame(
    tmp_path: Path, pgn: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise error

    place = Place(tmp_path)
    job = uploaded(place, pgn.read_text())
    importing = work_of(place, Options())["import"]
    with monkeypatch.context() as context:
        context.setattr(Workspace, "import_games", fails)
        with pytest.raises(type(error)):
            importing(job, nothing)
    assert place.left_uploads() == [job.path]
    assert importing(job, nothing)["added"] == 1
    assert place.left_uploads() == []


def test_an_analysis_that_is_broken_off_keeps_what_it_did(tmp_path: Path, pgn: Path, kitchen: Path) -> None:
    place = Place(tmp_path)
    options = Options(recipe=str(kitchen / "few.toml"), engine=str(kitchen / "engine"), jobs=1)
    work = work_of(place, options)
    work["import"](uploaded(place, pgn.read_text()), nothing)
    job = Job(2, "analyse", "few", recipe=str(kitchen / "few.toml"))

    def tell(done: int, total: int, detail: str) -> None:
        if done >= 20:
            raise Interrupted

    with pytest.raises(Interrupted):
        work["analyse"](job, tell)
    kept = Workspace(place.workspace).table_analyses.count()
    assert 0 < kept < 80
    found = work["analyse"](job, nothing)
    assert found["analysed"] == found["missing"] < found["positions"]
