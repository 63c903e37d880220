import sys
from pathlib import Path

import pytest

from examples.commands import run


def test_without_the_extra_it_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in sys.modules if name.startswith("assay.web.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    code, _, err = run(capsys, "serve", tmp_path, "--no-browser")
    assert code == 2
    assert "pip install starlette uvicorn" in " ".join(err.split())


def test_bad_use_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    (tmp_path / "a.pgn").write_text("")
    code, _, err = run(capsys, "serve", tmp_path / "a.pgn", "--no-browser")
    assert (code, err.count("\n")) == (2, 1), "a file without games"
    code, _, err = run(capsys, "serve", tmp_path, "--no-browser", "--time", "often")
    assert (code, err.count("\n")) == (2, 1)
    code, _, err = run(capsys, "serve", tmp_path, "--no-browser", "--host", "203.0.113.7")
    assert (code, "choose another --host" in err) == (3, True)
