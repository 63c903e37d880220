import json
from pathlib import Path

import pytest

from assay import doctor
from assay.cli import main
from assay.doctor import examine


def findings(**options: object) -> dict[str, doctor.Finding]:
    return {one.check: one for one in examine(**options)}  # type: ignore[arg-type]


@pytest.mark.engine
def test_a_machine_that_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings()
    assert all(one.ok for one in found.values()), found
    assert "Stockfish" in found["engine"].found
    assert main(["doctor"]) == 0
    assert "engine" in capsys.readouterr().out


def test_no_engine_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(engine="no-such-engine")["engine"]
    assert not found.ok
    assert "--engine" in found.advice
    assert main(["doctor", "--engine", "no-such-engine", "--json"]) == 1
    assert not all(one["ok"] for one in json.loads(capsys.readouterr().out))


def test_a_full_disk_and_old_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = type("Usage", (), {"free": 1e6})
    monkeypatch.setattr("assay.doctor.shutil.disk_usage", lambda _: usage)
    monkeypatch.setattr(
        "assay.doctor.requires", lambda _: ["numpy>=99", "no-such-package", 'x; extra == "dev"']
    )
    found = findings(engine="no-such-engine", place=tmp_path / "w")
    assert not found["free disk"].ok
    assert "numpy" in found["packages"].found
    assert "no-such-package (not there)" in found["packages"].found
    assert "x (" not in found["packages"].found
