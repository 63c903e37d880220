"""The command that makes docs/coverage.md: sections are kept as they are worked out."""

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from research.evidence.coverage import __main__ as command
from research.evidence.coverage.tally import Tally


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


def test_a_run_that_was_broken_off_goes_on_and_makes_the_page_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def section(name: str, inside: int) -> dict[str, Tally]:
        calls.append(name)
        if calls == ["gain", "choice"]:
            raise KeyboardInterrupt
        return {name: Tally(10, inside, 0.2, 0)}

    known = {"forecasts/gain": lambda: section("gain", 9), "forecasts/choice": lambda: section("choice", 8)}
    monkeypatch.setattr(command, "sections", lambda: known)
    monkeypatch.setattr(sys, "argv", ["coverage", "--docs", str(tmp_path), "--work", str(tmp_path / "work")])
    (tmp_path / "reproduction").mkdir()
    with pytest.raises(KeyboardInterrupt):
        command.main()
    assert not (tmp_path / "coverage.md").exists()
    command.main()
    assert calls == ["gain", "choice", "choice"]
    assert "80% (44% to 97%)" in (tmp_path / "coverage.md").read_text()


def test_sections_that_are_asked_for_leave_the_others_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {f"forecasts/{name}": partial(_tally, name, 9) for name in ("gain", "choice")}
    monkeypatch.setattr(command, "sections", lambda: known)
    (tmp_path / "reproduction").mkdir()
    for words in ([], ["--only", "forecasts/gain"]):
        monkeypatch.setattr(sys, "argv", ["coverage", "--docs", str(tmp_path), *words])
        command.main()
        known["forecasts/gain"] = partial(_tally, "gain", 3)
        known["forecasts/choice"] = partial(_tally, "choice", 3)
    kept = json.loads((tmp_path / "reproduction" / "coverage.json").read_text())
    assert kept["forecasts/gain"]["gain"]["inside"] == 3
    assert kept["forecasts/choice"]["choice"]["inside"] == 9


def _tally(name: str, inside: int) -> dict[str, Tally]:
    return {name: Tally(10, inside, 0.2, 0)}


def test_every_method_has_its_sections() -> None:
    names = set(command.sections())
    for method in ("gain", "conformance", "covariance", "markov", "choice"):
        assert {f"forecasts/{method}", f"measures/{method}"} <= names
    assert "forecasts by rating" in names
