"""The bundled tournament, analysed by a recipe so small that it takes no time."""

import shutil
from pathlib import Path

import pytest

from assay.rating.calibration import VARIABLE
from assay.study import Study
from examples import SIMULATED

RECIPE = """
base = "quick"
nodes = 400
lines = 3
"""


@pytest.fixture(scope="session")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled tournament, analysed by a tiny recipe in the workspace beside it."""
    place = tmp_path_factory.mktemp("rate")
    (place / "tiny.toml").write_text(RECIPE)
    shutil.copy(SIMULATED, place / "games.pgn")
    Study(place / "games.pgn", recipe=str(place / "tiny.toml")).decisions()
    return place


@pytest.fixture
def games(analysed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, where no calibration is found."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    shutil.copytree(analysed, tmp_path / "place")
    monkeypatch.chdir(tmp_path / "place")
    return Path("games.pgn")
