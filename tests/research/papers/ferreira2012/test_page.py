"""The page of Ferreira 2012."""

from collections.abc import Callable
from pathlib import Path

from assay.decisions.decisions import Decisions
from research.papers.ferreira2012 import mileposts, page

DOCS = Path(__file__).resolve().parents[4] / "docs"


def test_the_page_has_what_the_milepost_games_give(shared_data: Callable[[str], Path]) -> None:
    found = mileposts.MilepostGains(Decisions.read(shared_data("analysed/mileposts.parquet")))
    text = (DOCS / page.PAGE).read_text(encoding="utf-8")
    assert found.by_milepost() in text
    assert f"among the moves of all players is {found.correlation_among_all()}." in text
    rank, slope = found.against_each_other()
    assert f"rank correlation {rank:.2f}; but 100 points of rating are only {slope:.1f} points" in text
    assert f"after 30 moves in {found.covered('peak', 30):.1%} (peak)" in text
