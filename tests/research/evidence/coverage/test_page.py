"""The page is made from what was kept."""

from research.evidence.coverage.page import tables

ROW = {"intervals": 100.0, "inside": 95.0, "width": 0.2, "bias": 0.01}


def test_every_section_has_its_table() -> None:
    kept = {
        "forecasts/gain": {"gain": ROW},
        "forecasts by rating": {"combined": ROW},
        "measures/markov": {"markov": ROW},
        "calibrations/11 x 8": {"combined": ROW, "one method": ROW},
    }
    shown = tables(kept)
    assert "gain" in shown["forecasts"]
    assert "combined" not in shown["forecasts"]
    assert "combined" in shown["rated"]
    assert "markov" in shown["measures"]
    assert "| 11" in shown["calibrations"]
    assert "88" in shown["calibrations"]
    assert all("95% (89% to 98%)" in table for table in shown.values())
