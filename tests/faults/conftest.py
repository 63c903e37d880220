"""What the tests of faults share: one small workspace, imported and analysed in many parts."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.workspace import Workspace
from examples.engines import scripted_engine
from examples.interrupted import SHORT, analyse_in_small_parts, seconds_of


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="session")
def engine(place: Path) -> EngineConfig:
    """An engine that does as it is asked."""
    return scripted_engine(place)


@pytest.fixture(scope="session")
def source(place: Path) -> Path:
    """A short game in PGN."""
    path = place / "games.pgn"
    path.write_text(SHORT)
    return path


@pytest.fixture(scope="session")
def imported(place: Path, source: Path) -> Path:
    """A workspace with one game."""
    path = place / "imported.assay"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_SPELLING", "")
        Workspace(path).import_games(source)
    return path


@pytest.fixture(scope="session")
def analysed(place: Path, imported: Path, engine: EngineConfig) -> Path:
    """The same, analysed."""
    path = place / "analysed.assay"
    shutil.copytree(imported, path)
    seconds_of(analyse_in_small_parts, (path, engine))
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[Path, int], Path]:
    """A function that gives a copy of a workspace to be ill-treated."""

    def make(workspace: Path, number: int) -> Path:
        path = tmp_path / f"{number}.assay"
        shutil.copytree(workspace, path)
        return path

    return make
