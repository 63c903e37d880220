"""The page: every table is made, and the page that is committed says what the norms that ship say."""

from pathlib import Path

import pytest

from assay.screening import page as pages
from assay.screening.measured import Measurement
from assay.screening.norms import find_norms
from assay.screening.power import share
from examples.screened_games import STANDARD, calibration

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_whole_page(measurement: Measurement, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "FEWEST_GAMES", 2)
    norms = measurement.norms(calibration(), {"games": 30})
    text = pages.page(measurement, norms, {"all moves": measurement.powers(share(1.0))})
    assert "| all moves, 1 |" in text
    assert "{{" not in text


def test_the_committed_page_is_of_the_norms_that_ship() -> None:
    norms = find_norms(STANDARD)
    assert norms is not None
    text = (DOCS / "screening.md").read_text(encoding="utf-8")
    assert pages.rates(norms) in text
    assert pages.dispersion(norms) in text
    assert pages.sequence_rates(norms) in text
