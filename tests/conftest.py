import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "src" / "assay" / "examples"


@pytest.fixture(autouse=True)
def _quiet_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine happens to have (a spelling file, a workspace, a width) must not change a test."""
    monkeypatch.setenv("ASSAY_SPELLING", "")
    monkeypatch.delenv("ASSAY_WORKSPACE", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)


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
