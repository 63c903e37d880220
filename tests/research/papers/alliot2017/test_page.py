"""The page of Alliot 2017: it has what the years give."""

from collections.abc import Callable
from pathlib import Path

from assay.decisions.decisions import Decisions
from research.papers.alliot2017 import champions as of_champions
from research.papers.alliot2017 import losses, page

DOCS = Path(__file__).resolve().parents[4] / "docs"


def test_the_page_has_what_the_years_give(shared_data: Callable[[str], Path]) -> None:
    champions = Decisions.read(shared_data("analysed/championship-years.parquet"))
    mileposts = Decisions.read(shared_data("analysed/mileposts.parquet"))
    text = (DOCS / page.PAGE).read_text(encoding="utf-8")
    assert losses.by_colour(champions) in text
    assert losses.conformance_curve(mileposts) in text
    assert of_champions.complexity_table(champions, mileposts) in text
