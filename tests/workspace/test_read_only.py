"""A fully analysed workspace on storage that cannot be written: rated, reported and exported."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from assay.decisions.exclusions import Choice
from assay.engine.engines import EngineConfig
from assay.errors import ReadOnlyError
from assay.workspace import Workspace
from examples.commands import printed, run


@pytest.fixture
def read_only(analysed: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Nothing below the workspace is opened for writing, made, moved or removed from here on."""
    place = str(analysed.path.resolve())

    def refuse(path: Any) -> None:
        if str(Path(path).resolve()).startswith(place):
            raise OSError(errno.EROFS, "Read-only file system", str(path))

    plain_open = os.open

    def opened(path: Any, flags: int, *given: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            refuse(path)
        return plain_open(path, flags, *given, **named)

    monkeypatch.setattr(os, "open", opened)
    for name in ("replace", "rename", "unlink", "rmdir", "touch", "mkdir"):
        plain = getattr(Path, name)

        def guarded(self: Path, *given: Any, plain: Any = plain, **named: Any) -> Any:
            if not (plain.__name__ == "mkdir" and self.is_dir()):
                refuse(self)
            return plain(self, *given, **named)

        monkeypatch.setattr(Path, name, guarded)
    return analysed


def test_it_is_rated_reported_and_exported(
    read_only: Workspace,
    engine: EngineConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recipe = tmp_path / "few.toml"
    recipe.write_text('base = "standard"\nname = "few lines"\nlines = 3\n')
    before = {path: path.stat().st_mtime_ns for path in read_only.path.rglob("*")}
    given = ("--engine", engine.path, "--recipe", recipe, "--min-decisions", "1")
    code, _, said = run(capsys, "rate", read_only.path, *given, "--report", tmp_path / "r.html")
    assert code == 0, said
    assert "cannot be written to: these ratings are not kept there" in said
    assert (tmp_path / "r.html").stat().st_size > 1000
    assert "Byrne" in printed(capsys, "export", "games", read_only.path)
    assert printed(capsys, "export", "decisions", read_only.path).count("\n") > 50
    assert printed(capsys, "status", read_only.path)
    assert {path: path.stat().st_mtime_ns for path in read_only.path.rglob("*")} == before


def test_what_is_not_analysed_is_told(read_only: Workspace, engine: EngineConfig) -> None:
    with pytest.raises(ReadOnlyError, match=r"and \d+ of its positions are not analysed"):
        Workspace(read_only.path).analyse("quick", engine=engine, jobs=1, choice=Choice())
