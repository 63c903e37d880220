"""A pupil's games, and the calibration that they are rated by."""

from pathlib import Path

import pytest

from assay.rating.calibration import Calibration, find_calibration
from examples.pupil_games import STANDARD, pupil_games


@pytest.fixture(scope="session")
def calibration() -> Calibration:
    found = find_calibration(STANDARD)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def pupil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("insights") / "pupil.parquet"
    pupil_games(8).write(path)
    return path
