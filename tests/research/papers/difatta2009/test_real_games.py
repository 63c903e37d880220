"""What the method finds on milepost games."""

from collections.abc import Callable
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.models.bayes import BayesModel
from research.papers.difatta2009 import page, real_games

DOCS = Path(__file__).resolve().parents[4] / "docs"


def test_the_page_has_what_the_milepost_games_give(shared_data: Callable[[str], Path]) -> None:
    decisions = Decisions.read(shared_data("analysed/mileposts.parquet"))
    text = (DOCS / page.PAGE).read_text(encoding="utf-8")
    model = BayesModel()
    assert real_games.table_3(model, decisions) in text
    assert real_games.training(model, decisions) in text
    assert real_games.order(model, decisions) in text
