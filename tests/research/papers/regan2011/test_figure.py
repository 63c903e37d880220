"""Mileposts beside the paper's, drawn."""

from assay.reproduce import facts
from examples.choice_mileposts import milepost
from examples.drawings import texts
from research.papers.regan2011.figure import OURS, THEIRS, svg


def test_mileposts_are_ours_filled_and_the_papers_hollow() -> None:
    rows = [milepost(elo) for elo in (2400, 2500)]
    published = {row["elo"]: row for row in facts("regan2011")["periods"]["2006-2009"]}
    drawn = svg(rows, published)
    assert {OURS, THEIRS, "sensitivity s_fit", "first-move agreement, %"} <= set(texts(drawn))
    assert drawn.count(' class="mark-0"') == 1 + 2 * len(rows)  # one in the legend
    assert drawn.count(' class="line-1 hollow"') == 1 + 2 * len(published)
