"""The tests mirror the tree: the test of any module is found by its name."""

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src" / "assay"

UNTESTED = {"domain/arrays.py", "models/choice/reference_positions.py"}
"""Names of types, and positions that are constants (`test_reference.py` reads them)."""


def modules() -> list[str]:
    found = (path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
    return sorted(path.as_posix() for path in found)


def test_of(module: str) -> Path:
    place = TESTS / module
    return place.with_name(f"test_{place.name}")


test_of.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("module", [one for one in modules() if one not in UNTESTED])
def test_every_module_has_its_test(module: str) -> None:
    assert test_of(module).is_file(), f"no {test_of(module).relative_to(TESTS.parent)} for {module}"


def test_what_is_left_out_is_there_and_has_no_test() -> None:
    for module in UNTESTED:
        assert (SOURCE / module).is_file(), f"{module} is gone: take it from the list"
        assert not test_of(module).exists(), f"{module} has its test: take it from the list"


WHOLE = {
    "analysis/test_recordings.py",
    "cli/test_completion.py",
    "domain/test_hostile_decisions.py",
    "faults/test_engines.py",
    "faults/test_kills.py",
    "faults/test_links.py",
    "faults/test_parts.py",
    "figures/test_drawn.py",
    "fuzz/test_files.py",
    "ingest/test_hostile_sources.py",
    "models/gain/test_tournament_simulated.py",
    "models/test_contract.py",
    "rating/test_calibration_files.py",
    "rating/test_shipped_calibration.py",
    "report/test_figures.py",
    "report/test_screenshot.py",
    "reproduction/test_pages.py",
    "stream/test_bad_input.py",
    "web/test_browser.py",
    "workspace/test_damage.py",
    "workspace/test_foreign.py",
    "workspace/test_growth.py",
    "workspace/test_read_only.py",
}
"""Tests of what no single module does: recorded engines, hostile files, figures, pages, years of growth,
damage, links and read-only storage under every command, faults at random moments."""


def test_every_test_is_of_a_module_or_of_a_whole() -> None:
    known = {test_of(module) for module in modules()} | {TESTS / name for name in WHOLE}
    packages = {
        test_of(f"{path.parent.relative_to(SOURCE).as_posix()}/init.py")
        for path in SOURCE.rglob("__init__.py")
    }
    of_the_repository = set(TESTS.glob("test_*.py"))
    strays = set(TESTS.rglob("test_*.py")) - known - packages - of_the_repository
    assert sorted(path.relative_to(TESTS).as_posix() for path in strays) == []
    assert all((TESTS / name).is_file() for name in WHOLE)
