"""The championships forecast from the years before."""

from pathlib import Path

from assay.answers.ratings import Forecast
from research.papers.alliot2017 import matches, page

DOCS = Path(__file__).resolve().parents[4] / "docs"


def test_earlier_years_are_kept_from_the_page() -> None:
    """Made anew without the decisions of earlier years, the page keeps their table and says so."""
    kept = matches.kept_earlier(DOCS / page.PAGE)
    assert kept.startswith(matches.NOT_MADE_ANEW)
    assert kept.endswith("| Fischer-Spassky 1972 | 63 | markov raw | 70.7 (46-93) | 74.5 (51-90) |")
    assert kept in (DOCS / page.PAGE).read_text(encoding="utf-8")


def test_a_forecast_is_shown_with_its_interval() -> None:
    assert matches.span(Forecast("x", 0.617, low=0.5, high=0.7)) == "61.7 (50-70)"
