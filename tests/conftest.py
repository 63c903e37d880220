import os
import socket
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from assay.decisions.decisions import Decisions
from assay.engine.engines import EngineConfig
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from examples.engines import scripted_engine
from examples.gain_examples import annotated_pgn
from examples.milepost_games import milepost_games

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "src" / "assay" / "data" / "examples"

# How long a case takes depends on what else the machine does: no reason to fail.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")


@pytest.fixture(autouse=True)
def _quiet_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine happens to have (a spelling file, a workspace, a width) must not change a test."""
    monkeypatch.setenv("ASSAY_SPELLING", "")
    monkeypatch.delenv("ASSAY_WORKSPACE", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches another machine, and so no code that a test runs does: servers are on this one."""
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and self.type == socket.SOCK_STREAM:
            assert ip_address(address[0]).is_loopback, f"a connection to {address[0]}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Path of a file of the shared development data; the test is skipped where it is absent."""
    base = Path(os.environ.get("ASSAY_SHARED", ROOT.parent / "shared")) / "data"

    def find(relative: str) -> Path:
        path = base / relative
        if not path.exists():
            pytest.skip(f"needs the shared development data ({relative})")
        return path

    return find


@pytest.fixture(scope="session")
def examples() -> Path:
    """The folder of bundled example games."""
    return EXAMPLES


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., EngineConfig]:
    """A function that makes a scripted engine of the given arguments."""

    def make(*arguments: object, patience: float = 20.0) -> EngineConfig:
        return scripted_engine(tmp_path, *arguments, patience=patience)

    return make


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    """The Game of the Century with its evaluations in comments."""
    path = tmp_path / "game.pgn"
    path.write_text(annotated_pgn())
    return path


# One calibration of simulated players for all tests of ratings: to fit it takes a while.


@pytest.fixture(scope="session")
def games() -> Decisions:
    return milepost_games(games=10, games_each=5)


@pytest.fixture(scope="session")
def appearances(games: Decisions) -> Appearances:
    return Appearances.of(games)


@pytest.fixture(scope="session")
def calibration(appearances: Appearances) -> Calibration:
    return Calibration.fit(appearances, {"engine": "agents", "recipe": "made", "games": 100})
