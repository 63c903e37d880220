"""The command that makes docs/coverage.md: sections are kept as they are worked out."""

import json
import sys
from pathlib import Path

import pytest

from assay.reproduction.coverage import __main__ as command
from assay.reproduction.coverage.tally import Tally


def test_sections_are_kept_and_the_page_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        command, "sections", lambda: {"forecasts/gain": lambda: {"gain": Tally(10, 9, 0.2, 0)}}
    )
    (tmp_path / "reproduction").mkdir()
    monkeypatch.setattr(sys, "argv", ["coverage", "--docs", str(tmp_path)])
    command.main()
    kept = json.loads((tmp_path / "reproduction" / "coverage.json").read_text())
    assert kept["forecasts/gain"]["gain"]["inside"] == 9
    assert "90% (55% to 100%)" in (tmp_path / "coverage.md").read_text()


def test_every_method_has_its_sections() -> None:
    names = set(command.sections())
    for method in ("gain", "conformance", "covariance", "markov", "choice"):
        assert {f"forecasts/{method}", f"measures/{method}"} <= names
    assert "forecasts by rating" in names
