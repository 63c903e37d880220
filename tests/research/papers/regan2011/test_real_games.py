"""What the method finds on milepost games."""

from collections.abc import Callable
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.models.choice.model import ChoiceModel
from assay.models.choice.tables import mileposts_of
from research.markdown import table
from research.papers.regan2011 import page, real_games

DOCS = Path(__file__).resolve().parents[4] / "docs"


def test_the_page_has_what_the_milepost_games_give(shared_data: Callable[[str], Path]) -> None:
    decisions = Decisions.read(shared_data("analysed/mileposts.parquet"))
    model = ChoiceModel()
    parts = mileposts_of(model, decisions)
    text = (DOCS / page.PAGE).read_text(encoding="utf-8")
    assert f"outside the lines in {100 * real_games.outside_lines(parts):.1f}% of the turns" in text
    default = real_games.quality_row("as by default", real_games.quality(model, parts))
    assert table((), [default]).splitlines()[-1] in text
